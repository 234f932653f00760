"""The sockets of one HTTP session: their making, and the wait for their end."""

from __future__ import annotations

import asyncio
import socket
from weakref import WeakSet

from aiohttp import AddrInfoType

LONGEST_FAREWELL = 2.0
"""Seconds: a server that does not answer the end of TLS by then is left to the operating system."""


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
        latest = loop.time() + LONGEST_FAREWELL
        while any(made.fileno() != -1 for made in self._made) and loop.time() < latest:  # noqa: ASYNC110 - nothing tells it
            await asyncio.sleep(0.01)
