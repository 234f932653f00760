"""The command `hyperscout demo`: raises the stage, plays the scenes, says whether the story held."""

from __future__ import annotations

import asyncio
import logging
import signal
import tempfile
import time
from pathlib import Path

import structlog
import typer
from rich.console import Console

from cli.demo.scenes import SCENES
from cli.demo.screen import Screen
from cli.demo.stage import BrokenStoryError, Stage, raised_stage
from cli.ending import REFUSED, SIGNALLED, CommandError
from kube.embedded.server import EmbeddedServer

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, a polite kill, a closed terminal."""


def run_demo(*, keep: bool) -> None:
    """Play the demo; CommandError when its story does not hold. With `keep` the API stays until interrupted.

    A signal of ENDING ends it in order, with nothing left behind: typer.Exit with the code of the signal.
    """
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    try:
        ended_by = asyncio.run(_until_told(keep=keep))
    except* BrokenStoryError as broken:
        sentence = "; ".join(str(error) for error in _leaves(broken))
        raise CommandError(f"the demo's story does not hold: {sentence}", REFUSED) from broken
    except* (CommandError, typer.Exit) as ending:
        raise _leaves(ending)[0] from None
    if ended_by is not None:
        raise typer.Exit(SIGNALLED + ended_by)


async def _until_told(*, keep: bool) -> signal.Signals | None:
    """Play until the end; the signal that told it to end before, if one did. A second one ends it at once."""
    loop, told = asyncio.get_running_loop(), list[signal.Signals]()
    play = asyncio.create_task(_play(keep=keep))
    heeded = [number for number in ENDING if signal.getsignal(number) is not signal.SIG_IGN]

    def listen_no_more() -> None:
        for number in heeded:
            loop.remove_signal_handler(number)

    def end(by: signal.Signals) -> None:
        told.append(by)
        listen_no_more()
        play.cancel()

    for number in heeded:
        loop.add_signal_handler(number, end, number)
    await asyncio.wait([play])
    listen_no_more()
    if not told:
        await play
        return None
    _ = play.cancelled() or play.exception()  # what failed while it was torn down is of no interest
    return told[0]


async def _play(*, keep: bool) -> None:
    began = time.monotonic()
    screen = Screen(Console(highlight=False))
    screen.show("118 nodes, an embedded API server (not for production), the real controller and scheduler")
    async with EmbeddedServer(run_bound_pods=True) as server, raised_stage(server) as stage:
        for scene in SCENES:
            await scene(stage, screen)
        screen.show(f"\n[bold green]The whole story held[/], in {time.monotonic() - began:.1f} s")
        if keep:
            await _keep(screen, server, stage)


async def _keep(screen: Screen, server: EmbeddedServer, stage: Stage) -> None:
    """Leave everything running, with the way to look at it."""
    with tempfile.TemporaryDirectory(prefix="hyperscout-demo-") as folder:
        path = Path(folder) / "kubeconfig"
        path.write_text(server.kubeconfig(), encoding="utf-8")
        path.chmod(0o600)
        pods = sum(1 for _ in stage.pods.values())
        screen.show(f"The API stays up with {pods} pods running. In another terminal:\n")
        screen.show(f"  export KUBECONFIG={path}\n  kubectl get hn\n  kubectl get pods -o wide\n\nCtrl-C ends it.")
        await asyncio.Event().wait()


def _leaves(group: BaseExceptionGroup[BaseException]) -> list[BaseException]:
    found: list[BaseException] = []
    for error in group.exceptions:
        found += _leaves(error) if isinstance(error, BaseExceptionGroup) else [error]
    return found
