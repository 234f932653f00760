"""The loop of the tests waits for the end of what is closed, and not for ever for what is not."""

from __future__ import annotations

import asyncio
import socket
from threading import Thread

import pytest

from tests import loops
from tests.loops import PatientLoop

MUCH = 8 * 1024 * 1024
"""Bytes; more than a socket takes at once."""


async def test_tests_run_in_it() -> None:
    assert isinstance(asyncio.get_running_loop(), PatientLoop)


def test_what_is_closed_while_it_still_sends_is_sent_and_ended() -> None:
    near, far = socket.socketpair()
    received: list[int] = []

    def read() -> None:
        while got := far.recv(1 << 16):
            received.append(len(got))

    async def send_and_hang_up() -> None:
        _, writer = await asyncio.open_connection(sock=near)
        writer.write(bytes(MUCH))
        writer.close()

    loop, reader = PatientLoop(), Thread(target=read)
    with far:
        loop.run_until_complete(send_and_hang_up())
        assert near.fileno() != -1
        reader.start()
        loop.close()
        reader.join()
    assert near.fileno() == -1
    assert sum(received) == MUCH


def test_what_nobody_closes_holds_it_up_no_longer_than_a_farewell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "LONGEST_FAREWELL", 0.05)
    near, far = socket.socketpair()
    loop = PatientLoop()
    with near, far:
        loop.add_reader(near, lambda: None)
        loop.close()
    assert loop.is_closed()
