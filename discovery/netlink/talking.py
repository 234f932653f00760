"""One netlink socket and the questions that are asked over it.

pyroute2's own sockets keep an event loop and a descriptor in each thread that ever used them, and a look is made in
whatever thread is free; so a socket of a look is opened for it and closed with it.
"""

from __future__ import annotations

import os
import socket
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import TracebackType

ROUTE, GENERIC = socket.NETLINK_ROUTE, 16
HEAD = struct.Struct("=IHHII")
"""Length, type, flags, sequence number and port of a message."""
KERNEL = 0
"""The sender of all that counts; other processes may send too."""
_NUMBER = struct.Struct("=I")
_AT_NUMBER = 8
_ERROR, _DONE = 2, 3
_OF_SEVERAL = 2
_BUFFER = 1 << 17
"""More than the kernel puts into one datagram."""


@dataclass(slots=True)
class Conversation:
    """Asks one question after another; the answer of each is complete before the next is asked."""

    protocol: int
    patience: float = 2.0
    """Seconds for one answer, whole."""
    _socket: socket.socket = field(init=False)
    _asked: int = 0

    def __post_init__(self) -> None:
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, self.protocol)

    def __enter__(self) -> Conversation:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._socket.close()

    def ask(self, question: bytes) -> Iterator[bytes]:
        """The messages of the answer. Raises OSError where the kernel refuses, or answers too late."""
        self._asked += 1
        numbered = bytearray(question)
        _NUMBER.pack_into(numbered, _AT_NUMBER, self._asked)
        self._socket.send(numbered)
        deadline = time.monotonic() + self.patience
        while True:
            self._socket.settimeout(max(0.001, deadline - time.monotonic()))
            datagram, (sender, _) = self._socket.recvfrom(_BUFFER)
            for kind, flags, message in messages(datagram) if sender == KERNEL else ():
                if _NUMBER.unpack_from(message, _AT_NUMBER)[0] != self._asked:
                    continue  # it answers an earlier question, too late
                if kind == _DONE:
                    return
                if kind == _ERROR:
                    if refusal := -struct.unpack_from("=i", message, HEAD.size)[0]:
                        raise OSError(refusal, os.strerror(refusal))
                    return
                yield message
                if not flags & _OF_SEVERAL:
                    return


def messages(datagram: bytes) -> Iterator[tuple[int, int, bytes]]:
    """The messages of a datagram: type, flags, and the whole message. What is cut off at the end is left out."""
    at = 0
    while at + HEAD.size <= len(datagram):
        length, kind, flags, _, _ = HEAD.unpack_from(datagram, at)
        if not HEAD.size <= length <= len(datagram) - at:
            return
        yield kind, flags, datagram[at : at + length]
        at += (length + 3) & ~3
