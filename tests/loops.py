"""The event loop of the tests: it ends when what was closed in it has ended."""

from __future__ import annotations

import asyncio
from selectors import BaseSelector

LONGEST_FAREWELL = 2.0
"""Seconds. What is still open then was never closed; its warning fails a test."""


class PatientLoop(asyncio.SelectorEventLoop):
    """A connection that is closed ends in the background: TLS says farewell, a buffer is emptied.

    asyncio's own loop drops it half closed where it ends first, and the socket's warning then fails whichever test runs
    when the garbage is collected.
    """

    def close(self) -> None:
        """End all that is closed, then the loop."""
        if not (self.is_closed() or self.is_running()):
            self.run_until_complete(self._farewell())
        super().close()

    async def _farewell(self) -> None:
        latest = self.time() + LONGEST_FAREWELL
        while self._watched() and self.time() < latest:  # noqa: ASYNC110 - nothing tells when a transport ends
            await asyncio.sleep(0.005)
        await asyncio.sleep(0)  # what was closed last is told of it

    def _watched(self) -> bool:
        """Whether any file is waited for beside the loop's own pipe."""
        selector: BaseSelector = vars(self)["_selector"]  # asyncio has no public way to ask
        return len(selector.get_map()) > 1
