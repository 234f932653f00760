"""Is the process well, is it ready: what /healthz and /readyz answer with."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True)
class Health:
    """Times are of `clock`, in seconds. Questions are answered in the event loop, so an answer proves that it turns.

    An API server that does not answer is no reason to be restarted: only what a restart mends counts.
    """

    stale_after: float
    clock: Callable[[], float] = time.monotonic
    synced: bool = False
    """Whether what the process is there for stands: its caches, or its report."""
    waits: str = "the caches are not whole yet"
    """Why not, while it does not."""
    stopping: bool = False
    electing: Callable[[], bool] = lambda: True
    """Whether the thread that renews the Lease is at work."""
    unseen: Callable[[], str] = lambda: ""
    """Why nobody knows who holds the Lease, or nothing."""
    _beat: float | None = None

    def beat(self) -> None:
        """Something was looked at or written."""
        self._beat = self.clock()

    def rest(self) -> None:
        """Nothing is due: no beat is missed."""
        self._beat = None

    def trouble(self) -> str:
        """What is wrong, or nothing."""
        if not self.electing() and not self.stopping:
            return "the thread that renews the Lease has ended"
        silent = 0.0 if self._beat is None else self.clock() - self._beat
        if silent > self.stale_after:
            return f"the last look or write was {silent:.0f} s ago, more than {self.stale_after:g} s"
        return ""

    def unready(self) -> str:
        """Why nobody should count on this process, or nothing."""
        if self.stopping:
            return "stopping"
        return self.unseen() or ("" if self.synced else self.waits)
