"""The demo that is told to end again while it ends in order: it does, and says what is left."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from aiohttp import web
from rich.console import Console

from cli.demo.grounds import cleaned
from cli.demo.screen import Screen
from tests.kube.wire import client_of

TOLD_AGAIN = """
import asyncio, os, signal
from contextlib import asynccontextmanager
from cli.demo.running import run_demo

class Ground:
    @asynccontextmanager
    async def raised(self, screen):
        try:
            os.kill(os.getpid(), signal.{0})
            await asyncio.sleep(60)
            yield
        finally:
            os.kill(os.getpid(), signal.{0})
            try:
                await asyncio.sleep(60)
            finally:
                print("ended in order")

run_demo(Ground(), keep=False)
"""


@pytest.mark.parametrize("signal", ["SIGINT", "SIGTERM"])
def test_a_second_signal_ends_what_is_done_at_the_end(signal: str) -> None:
    program = [sys.executable, "-c", TOLD_AGAIN.format(signal)]
    done = subprocess.run(program, capture_output=True, text=True, check=False, timeout=50)
    assert done.stdout == "ended in order\n", done.stderr
    assert "KeyboardInterrupt" not in done.stderr


async def test_a_removal_that_is_cut_short_says_how_to_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    asked = asyncio.Event()

    async def answer(request: web.Request) -> web.StreamResponse:
        del request
        asked.set()
        await asyncio.sleep(60)
        raise AssertionError("nobody waits so long")

    async with client_of(answer) as client:

        async def play() -> None:
            async with cleaned(client, Screen(Console())):
                await asyncio.sleep(60)

        playing = asyncio.create_task(play())
        await asyncio.sleep(0)
        playing.cancel()
        await asked.wait()
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing
    said = capsys.readouterr().err
    assert "stopped before it had removed all" in said
    assert "kubectl delete hypernodes -l volcano.sh/network-topology-source=hyperscout" in said
    assert (
        "kubectl delete namespaces,nodes,nodereports,switchreports,sweepreports,crd -l hyperscout.io/demo=true" in said
    )
