"""What is wrong, or worth knowing, in the cabling: the values that every check returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class CableEnd:
    """One end of a cable: the name of the switch or host, the node GUID of its block, the port. None is unknown."""

    name: str | None
    guid: str | None
    port: int | None


@dataclass(frozen=True, slots=True)
class Anomaly:
    """One finding. `kind` is one of the words of `rules`: swapped-rails, swapped-cables, stray-cable, missing-link …"""

    kind: str
    severity: Severity
    fabric: str | None
    where: tuple[CableEnd, ...]
    detail: str
    """One sentence for the operator."""
