"""One bell: whoever sees a change rings it, and the loop sleeps until it rings or until a time that was asked for."""

from __future__ import annotations

import asyncio


class Wake:
    """Rung any number of times, it wakes the loop once."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()
        self._due: float | None = None

    def up(self) -> None:
        """Something changed."""
        self._rung.set()

    def at(self, when: float) -> None:
        """Wake at this time of the loop's clock, if not earlier."""
        self._due = when if self._due is None else min(self._due, when)

    async def wait(self, longest: float) -> None:
        """Sleep until rung or due, at most `longest` seconds."""
        clock = asyncio.get_running_loop().time
        until = clock() + longest
        if self._due is not None:
            until = min(until, self._due)
        try:
            async with asyncio.timeout_at(until):
                await self._rung.wait()
        except TimeoutError:
            pass
        self._rung.clear()
        self._due = None
