"""The moment when a link changes: what the kernel says unasked of its interfaces, as names.

The kernel tells much that is no change of a link (statistics, addresses, every step of a bond). A name is passed on
only where the interface came, went, was renamed, switched, got or lost its carrier, or changed its bond. Where the
kernel had more to tell than its queue holds, nobody knows what changed: then everything is looked at.
"""

from __future__ import annotations

import asyncio
import errno
import socket
import struct
from contextlib import suppress

from discovery.netlink.talking import HEAD, KERNEL, messages

EVERY = ""
"""In place of a name: anything may have changed, look at all."""
_NEWLINK, _DELLINK = 16, 17
_GROUP_LINK = 1
_INFO = struct.Struct("=BxHiII")
"""Family, type, number, flags and changed flags (`struct ifinfomsg`)."""
_ATTRIBUTE = struct.Struct("=HH")
_IFNAME, _MASTER, _CARRIER = 3, 10, 33
_WATCHED_FLAGS = 0x10041
"""IFF_UP, IFF_RUNNING, IFF_LOWER_UP."""
_AF_BRIDGE = 7
"""A bridge repeats its ports under this family."""
_DATAGRAMS = 64
"""At most so many at once; the loop calls again for more."""
_QUEUE = 1 << 20
"""Bytes that the kernel keeps for us: some hundred events, as where a whole switch goes down."""
MAX_WAITING = 4096
"""Names that wait for the reader; with more, everything is looked at."""


class LinkEvents:
    """An async iterator of names of interfaces whose link changed, and of EVERY.

    Opened in a running loop. A name that waits already is not told twice. `close` ends the iteration.
    """

    def __init__(self) -> None:
        """Raises OSError where no netlink socket is to be had."""
        self._loop = asyncio.get_running_loop()
        self._changed, self._closed = asyncio.Event(), False
        self._waiting: dict[str, None] = {}
        self._known: dict[int, tuple[object, ...]] = {}
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, socket.NETLINK_ROUTE)
        try:
            self._socket.setblocking(False)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _QUEUE)
            self._socket.bind((0, _GROUP_LINK))
            self._loop.add_reader(self._socket, self._receive)
        except OSError:
            self._socket.close()
            raise

    def __aiter__(self) -> LinkEvents:
        return self

    async def __anext__(self) -> str:
        """The next name, as soon as there is one."""
        while not self._waiting:
            if self._closed:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        name = next(iter(self._waiting))
        del self._waiting[name]
        return name

    def close(self) -> None:
        """End it; what waits is still told."""
        if self._closed:
            return
        self._closed = True
        self._loop.remove_reader(self._socket)
        self._socket.close()
        self._changed.set()

    def _receive(self) -> None:
        for _ in range(_DATAGRAMS):
            try:
                datagram, (sender, _) = self._socket.recvfrom(1 << 17)
            except (BlockingIOError, InterruptedError):
                return
            except OSError as error:
                self._lost(error)
                return
            for kind, _, message in messages(datagram) if sender == KERNEL else ():
                if kind in (_NEWLINK, _DELLINK):
                    self._take(kind, message)

    def _lost(self, error: OSError) -> None:
        """An overflow loses events, and the socket lives on. Of any other error it may have died: that ends it."""
        self._known.clear()
        self._tell(EVERY)
        if error.errno != errno.ENOBUFS:
            self.close()

    def _take(self, kind: int, message: bytes) -> None:
        with suppress(struct.error):
            family, _, index, flags, _ = _INFO.unpack_from(message, HEAD.size)
            if family == _AF_BRIDGE:
                return
            name, *rest = _attributes(message)
            if kind == _DELLINK:
                self._known.pop(index, None)
                self._tell(name)
                return
            state, last = (name, flags & _WATCHED_FLAGS, *rest), self._known.get(index)
            if len(self._known) >= MAX_WAITING:
                self._known.clear()
            self._known[index] = state
            if last != state:
                self._tell(name)
            if last is not None and last[0] != name:
                self._tell(str(last[0]))

    def _tell(self, name: str) -> None:
        if len(self._waiting) >= MAX_WAITING:
            self._waiting.clear()
            name = EVERY
        self._waiting[name] = None
        self._changed.set()


def _attributes(message: bytes) -> tuple[str, int | None, int | None]:
    """Name, carrier and master; EVERY where it has no name."""
    found: dict[int, bytes] = {}
    at = HEAD.size + _INFO.size
    while at + _ATTRIBUTE.size <= len(message):
        length, kind = _ATTRIBUTE.unpack_from(message, at)
        if length < _ATTRIBUTE.size:
            break
        if kind in (_IFNAME, _MASTER, _CARRIER):
            found[kind] = message[at + _ATTRIBUTE.size : at + length]
        at += (length + 3) & ~3
    name = found.get(_IFNAME, b"").partition(b"\0")[0].decode("utf-8", "replace")
    carrier, master = found.get(_CARRIER), found.get(_MASTER)
    return (
        name or EVERY,
        carrier[0] if carrier else None,
        int.from_bytes(master, "little") if master else None,
    )
