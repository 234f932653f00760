"""What one look at a port says of its link: the input of `discovery.health`, whatever probe it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

LINK_UP, LINK_DOWN, LINK_WAITING = "Up", "Down", "Waiting"
"""The states of a link. Waiting: the cable works and the subnet manager has not brought the port up (Init, Armed)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """Error counters of one port as they stand; null where missing, unreadable, `N/A` or saturated, never zero instead.

    Only what forward error correction could not repair: corrected bits and raw error rates are no error of a link.
    """

    symbol_errors: int | None = None
    """InfiniBand `symbol_error` (PortCounters SymbolErrorCounter), Ethernet `rx_symbol_err_phy`."""
    uncorrectable_blocks: int | None = None
    """Ethernet: blocks that FEC gave up (`rx_pcs_..._uncorrectable`, ethtool's `fec_uncorrectable_blocks`)."""
    link_error_recovery: int | None = None
    """An error counter, not a flap."""
    link_downed: int | None = None
    """InfiniBand `link_downed`, Ethernet carrier-down count: how often the link was lost."""
    receive_errors: int | None = None
    """`port_rcv_errors`."""
    local_link_integrity_errors: int | None = None
    excessive_buffer_overrun_errors: int | None = None
    nvlink_errors: int | None = None
    """NVLink: the sum of what its links could not recover."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PortSample:
    """One port at one moment."""

    at: datetime
    clock: float | None = None
    """The same in seconds of a clock that runs evenly and begins with the boot of the host that looks: intervals are
    of this one, for `at` jumps where somebody sets the time. Null: not known."""
    link: str | None = None
    """Up, Down or Waiting; null: not known in this sample, which changes nothing."""
    reason: str | None = None
    """CamelCase, where the link is not up: such as `PhysicalLinkDown`, `PortDisabled`, `NoCarrier`."""
    pam4: bool = False
    """Whether its lanes are PAM4 (HDR and above, Ethernet from 50 Gb/s a lane)."""
    counters: Counters = field(default_factory=Counters)
    legs_down: int = 0
    """Of a bond: its members without a carrier, while another one has it (`link` is Up then)."""
    incarnation: str | None = None
    """Boot id, and what tells one load of the driver from the next: counters and transitions begin anew with it."""
