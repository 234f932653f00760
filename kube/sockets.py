"""The sockets of one HTTP session: their making, and the wait for their end."""

from __future__ import annotations

import asyncio
import socket
from weakref import WeakSet

from aiohttp import AddrInfoType

LONGEST_FAREWELL = 2.0
"""Seconds: a server that does not answer the end of TLS by then is left to the operating system."""


_FIRST_PAUSE, _LONGEST_PAUSE = 0.005, 0.2
"""Seconds between two looks at them: of thousands that end at once nobody is asked all the time."""


class Sockets:
    """A connection that is given up in the middle of an answer is closed by TLS in the background.

    A process or a test that ends its loop before that leaves the socket open, so closing waits for it.
    """

    def __init__(self) -> None:
        self._made: WeakSet[socket.socket] = WeakSet()

    def make(self, address: AddrInfoType) -> socket.socket:
        """A socket of the family of this address; what aiohttp asks for each connection."""
        family, kind, protocol, _, _ = address
        made = socket.socket(family, kind, protocol)
        self._made.add(made)
        return made

    async def end(self) -> None:
        """When all are closed, or the server takes too long."""
        loop = asyncio.get_running_loop()
        latest, pause = loop.time() + LONGEST_FAREWELL, _FIRST_PAUSE
        while any(made.fileno() != -1 for made in self._made) and loop.time() < latest:
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
