"""Ports that nobody else gets: neither another test nor a connection that goes out."""

from __future__ import annotations

import fcntl
import os
import socket
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

HOST = "127.0.0.1"
FIRST, LAST = 20_000, 31_999
"""Below those from which Linux gives connections theirs (32768 to 60999): a program may start again on its port."""

_DIGITS = 5


def free_ports(count: int) -> list[int]:
    """Ports that are free now. All processes of a user take them in turn from one file, so none is given twice within
    the next twelve thousand."""
    path = Path(tempfile.gettempdir()) / f"hyperscout-ports-{os.getuid()}"
    turn = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(turn, fcntl.LOCK_EX)
        last = _number(os.pread(turn, _DIGITS, 0))
        found = list(islice(filter(_is_free, _after(last)), count))
        if len(found) < count:
            raise RuntimeError(f"no port from {FIRST} to {LAST} is free on {HOST}")
        os.ftruncate(turn, 0)
        os.pwrite(turn, str(found[-1] if found else last).encode(), 0)
    finally:
        os.close(turn)
    return found


def _number(text: bytes) -> int:
    """The last one that was given; the file may be new, or half written by a process that was killed."""
    return int(text) if text.isdigit() and FIRST <= int(text) <= LAST else LAST


def _after(last: int) -> Iterator[int]:
    """All, beginning with the one that follows."""
    yield from range(last + 1, LAST + 1)
    yield from range(FIRST, last + 1)


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True
