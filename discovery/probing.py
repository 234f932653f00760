"""What every probe answers: found, absent (nothing of that kind here) or failed (why), and how long it took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from discovery.reports import ABSENT, FAILED, FOUND, ProbeOutcome

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Probed(Generic[T]):
    """One look of one probe. `found` is null unless something was found; what is bad beside it is told in `reason`."""

    name: str
    outcome: str
    """Found, Absent or Failed, as in `discovery.reports`."""
    found: T | None = None
    reason: str | None = None
    seconds: float = 0.0

    @property
    def told(self) -> ProbeOutcome:
        """As a NodeReport tells it."""
        return ProbeOutcome(name=self.name, outcome=self.outcome, reason=self.reason)


def found(name: str, value: T, reason: str | None = None) -> Probed[T]:
    """There is something; `reason` says what was dropped or left out beside it."""
    return Probed(name, FOUND, value, reason)


def absent(name: str, reason: str) -> Probed[T]:
    """There is nothing of that kind on this host."""
    return Probed(name, ABSENT, None, reason)


def failed(name: str, reason: str) -> Probed[T]:
    """Nobody knows what there is: the last good evidence stays, and ages."""
    return Probed(name, FAILED, None, reason)
