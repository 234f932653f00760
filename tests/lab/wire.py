"""Frames put on a cable by hand."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.lab.namespaces import Machine


@contextmanager
def sending(machine: Machine, interface: str) -> Iterator[Callable[[bytes], int]]:
    """Sends whole frames out of the interface, for as long."""
    with machine.entered():
        wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        wire.bind((interface, 0))
    with wire:
        yield wire.send
