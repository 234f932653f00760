"""What was really done to the site: which Nodes were gone, for how long, and which hosts were recabled.

It is told by those who do it, before they do it, and says what may have left a HyperNode. It knows nothing of what the
controller was told, saw or concluded.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from threading import Lock

LATE = 10.0
"""Seconds that a write may come after what it was decided on is over: 3.4 were seen where five programs kept two cores
busy, a look and its plan among them."""


@dataclass(slots=True)
class Absence:
    """A Node that was deleted, and perhaps came back. Times of the monotonic clock."""

    begin: float
    end: float | None = None

    def lasted(self, hold: float, now: float) -> bool:
        """Whether it was longer than the hold, and not over for long."""
        end = now if self.end is None else self.end
        return end - self.begin >= hold and now - end <= LATE


@dataclass(frozen=True, slots=True)
class Home:
    """The leaf group that a host is cabled to, and the whole sweeps that were published before."""

    unit: int
    sweeps: int = 0


@dataclass(slots=True)
class Ledger:
    """`hold` and `patience` are what the controller is set to: seconds, and whole sweeps."""

    hold: float
    patience: int
    sweeps: int = 0
    present: set[str] = field(default_factory=set)
    absences: dict[str, list[Absence]] = field(default_factory=dict)
    homes: dict[str, list[Home]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def join(self, node: str, unit: int) -> None:
        """The Node is about to be created, or to come back."""
        with self._lock:
            self.homes.setdefault(node, [Home(unit)])
            self.present.add(node)
            for absence in self.absences.get(node, [])[-1:]:
                absence.end = absence.end or time.monotonic()

    def leave(self, node: str) -> None:
        """The Node is about to be deleted."""
        with self._lock:
            self.present.discard(node)
            self.absences.setdefault(node, []).append(Absence(time.monotonic()))

    def move(self, node: str, unit: int) -> None:
        """The host hangs at another leaf group from the next sweep on."""
        with self._lock:
            self.homes[node].append(Home(unit, self.sweeps))

    def sweep(self) -> None:
        """A whole sweep is about to be published."""
        with self._lock:
            self.sweeps += 1

    def settle(self) -> None:
        """Every move is carried out: nobody may be where it was."""
        with self._lock:
            self.homes = {node: homes[-1:] for node, homes in self.homes.items()}
            self.absences = {
                node: [absence for absence in found if absence.end is None] for node, found in self.absences.items()
            }

    def may_leave(self, node: str) -> bool:
        """Whether there is evidence that it is not where it was."""
        now = time.monotonic()
        with self._lock:
            gone = any(absence.lasted(self.hold, now) for absence in self.absences.get(node, ()))
            homes = self.homes.get(node, ())
            return gone or (len(homes) > 1 and self.sweeps - homes[1].sweeps >= self.patience)

    def units(self, node: str) -> set[int]:
        """The leaf groups that it may stand in."""
        with self._lock:
            return {home.unit for home in self.homes.get(node, ())}

    def unit(self, node: str) -> int:
        """The leaf group that it hangs at now."""
        return self.homes[node][-1].unit

    def on_the_move(self, node: str) -> bool:
        """Whether it was recabled since all was settled."""
        return len(self.homes[node]) > 1
