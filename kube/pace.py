"""How fast we ask: a rate limit that gives way when the server is busy, and growing pauses between attempts."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What one client may ask of a server. The defaults let a scheduler bind a thousand pods a second."""

    rate: float = 1000.0
    """Requests a second, as long as the server does not answer 429."""
    burst: int = 1000
    """So many may go at once after a quiet time."""
    in_flight: int = 64
    timeout: float = 30.0
    """Seconds for one request and its answer, a page of a list included."""
    connect: float = 10.0
    """Seconds of them for a connection, TLS included."""
    attempts: int = 5
    """Tries of a call that may be repeated."""
    longest_wait: float = 60.0
    """Seconds to wait at most when the server names a Retry-After."""
    idle: float = 150.0
    """Seconds without a byte after which a watch counts as dead (servers send a bookmark about every minute)."""


class Pace:
    """The rate limit: halves when the server pushes back, recovers by a twentieth of the full rate a second."""

    def __init__(self, limits: Limits) -> None:
        self._full = limits.rate
        self._burst = limits.burst
        self._rate = limits.rate
        self._due = 0.0
        """When the next request may go, if the burst is used up."""
        self._changed = 0.0

    @property
    def rate(self) -> float:
        """Requests a second at present."""
        return self._rate

    async def turn(self) -> None:
        """Wait for one's turn; turns are given in the order of the calls."""
        now = asyncio.get_running_loop().time()
        self._recover(now)
        self._due = max(self._due, now - self._burst / self._rate) + 1 / self._rate
        if self._due > now:
            await asyncio.sleep(self._due - now)

    def pushed_back(self) -> None:
        """The server answered 429: half the rate, at most once a second, never under a twentieth."""
        now = asyncio.get_running_loop().time()
        if now - self._changed >= 1.0 or self._rate == self._full:
            self._rate = max(self._rate / 2, self._full / 20)
            self._changed = now
            self._due = max(self._due, now)

    def _recover(self, now: float) -> None:
        if self._rate < self._full and now - self._changed >= 1.0:
            self._rate = min(self._full, self._rate + self._full / 20 * (now - self._changed))
            self._changed = now


@dataclass(slots=True)
class BackOff:
    """Pauses that double from `first` to `longest` seconds, each shortened by up to a half at random."""

    first: float = 0.2
    longest: float = 30.0
    _next: float = 0.0

    def pause(self) -> float:
        """Seconds to wait now; the next answer will be about twice that."""
        whole = self._next or self.first
        self._next = min(whole * 2, self.longest)
        return whole * random.uniform(0.5, 1.0)

    def reset(self) -> None:
        """Things work again: the next pause is the first one."""
        self._next = 0.0
