"""So many at once, and then one every so often: what keeps a storm of events from becoming a storm of work."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Allowance:
    """Times are of any monotonic clock, in seconds."""

    burst: int
    """So many may follow each other after a quiet time."""
    every: float
    """Seconds until one more is allowed."""
    _full_at: float = 0.0
    """When nothing of the burst is used up any more."""

    def wait(self, now: float) -> float:
        """Seconds until one is allowed; 0: now."""
        return max(0.0, self._full_at - now - (self.burst - 1) * self.every)

    def take(self, now: float) -> None:
        """One happens now."""
        self._full_at = max(self._full_at, now) + self.every
