"""Who leads, as this process knows it: a term that ends by the clock alone when it is not renewed in time.

The thread that renews the Lease (`kube.lease`) writes here, everybody else asks. A term has a number, and what was
decided in one term is not written in another: a process that was frozen past its Lease leads again only in a new term,
so nothing of its old plan is written.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

LOOK_AGAIN = 0.5
"""Seconds after which a term that nobody ended is looked at again: the clock ends terms without a word."""

_CLOCK: int = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)

Unsubscribe = Callable[[], None]


def steady() -> float:
    """Seconds of a clock that only rises and, on Linux, goes on while the machine sleeps: others' clocks do."""
    return time.clock_gettime(_CLOCK)


class Leading(Protocol):
    """Whether we lead."""

    @property
    def term(self) -> int:
        """The number of the term that we lead in now; 0 when we do not lead."""
        ...

    def subscribe(self, changed: Callable[[], None]) -> Unsubscribe:
        """Have it called, from any thread, when a term begins or ends, until the answer is called."""
        ...


class Alone:
    """There is nobody else: the one term lasts for ever."""

    term = 1

    def subscribe(self, changed: Callable[[], None]) -> Unsubscribe:
        """Nothing ever changes."""
        del changed
        return lambda: None


ALONE = Alone()


class Tenure:
    """The term as the renewals make it. Seconds are of `clock`, which goes on while we are frozen."""

    def __init__(self, renew_deadline: float, clock: Callable[[], float] = steady) -> None:
        self._deadline = renew_deadline
        self._clock = clock
        self._lock = threading.Lock()
        self._number = 0
        self._renewed: float | None = None
        self._followers: list[Callable[[], None]] = []

    @property
    def term(self) -> int:
        """The number of the term that we lead in now; 0 when we do not, or when the last renewal is too long ago."""
        with self._lock:
            return self._number if self._holds(self._clock()) else 0

    def renewed(self, asked: float) -> None:
        """The Lease is ours, by a request that was sent at that time. Too late for the last term, a new one begins."""
        with self._lock:
            begins = not self._holds(asked)
            self._number += begins
            self._renewed = asked
        if begins:
            self._tell()

    def lost(self) -> None:
        """The Lease is somebody else's, or nobody's."""
        with self._lock:
            ends, self._renewed = self._renewed is not None, None
        if ends:
            self._tell()

    def subscribe(self, changed: Callable[[], None]) -> Unsubscribe:
        """Have it called, from the renewing thread, when a term begins or ends, until the answer is called."""
        self._followers = [*self._followers, changed]
        return lambda: self._forget(changed)

    def _forget(self, changed: Callable[[], None]) -> None:
        self._followers = [follower for follower in self._followers if follower is not changed]

    def _holds(self, now: float) -> bool:
        return self._renewed is not None and now - self._renewed < self._deadline

    def _tell(self) -> None:
        for changed in self._followers:
            changed()


async def next_term(leading: Leading) -> int:
    """Wait until we lead, and return the number of the term."""
    await _until(leading, lambda: leading.term != 0)
    return leading.term


async def end_of(leading: Leading, term: int) -> None:
    """Wait until a term is over; one that the clock ends is noticed when it is looked at again."""
    await _until(leading, lambda: leading.term != term)


async def _until(leading: Leading, holds: Callable[[], bool]) -> None:
    news, loop = asyncio.Event(), asyncio.get_running_loop()

    def wake() -> None:
        loop.call_soon_threadsafe(news.set)

    unsubscribe = leading.subscribe(wake)
    try:
        while not holds():
            news.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_AGAIN):
                    await news.wait()
    finally:
        unsubscribe()
