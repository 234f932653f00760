"""A port's verdict: one of the words of `discovery.reports`, and its reason."""

from __future__ import annotations

from dataclasses import dataclass

from discovery.reports import UNKNOWN

LINK_NOT_UP = "LinkDown"
"""Down, where the sample gives no reason of its own (such as `PhysicalLinkDown` or `NoCarrier`)."""
NEVER_UP = "NeverUp"
"""Unprovisioned: there is no link, and no record that there ever was one."""
NOT_READABLE = "NotReadable"
"""Unknown: several samples in a row could not be read."""
WAITING_FOR_SUBNET_MANAGER = "WaitingForSubnetManager"
"""Unknown: the cable works, and no subnet manager has brought the port up."""
TOO_MANY_SYMBOL_ERRORS = "TooManySymbolErrors"
"""Down: there is a link, and so many errors that it is of no use."""
SYMBOL_ERRORS, LINK_ERROR_RECOVERY, BOND_LEG_DOWN = "SymbolErrors", "LinkErrorRecovery", "BondLegDown"
"""Degraded."""
LINK_FLAPPING = "LinkFlapping"
"""Flapping."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a port is."""

    word: str = UNKNOWN
    """Up, Degraded, Flapping, Down, Unprovisioned or Unknown."""
    reason: str | None = None
    """CamelCase; null where the port is up."""
