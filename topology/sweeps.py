"""How many whole sweeps in a row showed something: what is taken away is taken away by sweeps, never by looks."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Sweeps:
    """The whole sweeps so far, by sweeper, at this look and at the one before."""

    now: Mapping[str, int] = field(default_factory=dict)
    before: Mapping[str, int] = field(default_factory=dict)
    live: AbstractSet[str] = frozenset()
    """Those that still sweep; the others are not waited for."""
    enough: int = 3
    """So many whole sweeps must show it."""

    @property
    def new(self) -> bool:
        """Whether a whole sweep came since the look before."""
        return any(count != self.before.get(name, 0) for name, count in self.now.items())

    def agree(self, first: Mapping[str, int]) -> bool:
        """Whether every live sweeper has made enough whole sweeps since it stood at `first`."""
        return min((self.now.get(name, 0) - first.get(name, 0) for name in self.live), default=0) >= self.enough
