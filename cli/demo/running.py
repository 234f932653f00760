"""The command `hyperscout demo`: raises the stage, plays the scenes, says whether the story held."""

from __future__ import annotations

import asyncio
import logging
import signal
import time

import structlog
import typer
from rich.console import Console

from cli.demo.grounds import Ground, Place
from cli.demo.scenes import SCENES
from cli.demo.screen import Screen
from cli.demo.stage import BrokenStoryError
from cli.ending import REFUSED, SIGNALLED, CommandError
from kube.errors import ApiError, ConfigurationError

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, a polite kill, a closed terminal."""


def run_demo(ground: Ground, *, keep: bool) -> None:
    """Play the demo there; CommandError when its story does not hold. With `keep` the API stays until interrupted.

    A signal of ENDING ends it in order, with nothing left behind: typer.Exit with the code of the signal.
    """
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    try:
        ended_by = asyncio.run(_until_told(ground, keep=keep))
    except* BrokenStoryError as broken:
        sentence = "; ".join(str(error) for error in _leaves(broken))
        raise CommandError(f"the demo's story does not hold: {sentence}", REFUSED) from broken
    except* (CommandError, ApiError, ConfigurationError, typer.Exit) as ending:
        raise _leaves(ending)[0] from None
    if ended_by is not None:
        raise typer.Exit(SIGNALLED + ended_by)


async def _until_told(ground: Ground, *, keep: bool) -> signal.Signals | None:
    """Play until the end; the signal that told it to end before, if one did.

    A second one ends also what is done in order then, with a word on what is left; a third one everything at once.
    """
    loop, told = asyncio.get_running_loop(), list[signal.Signals]()
    play = asyncio.create_task(_play(ground, keep=keep))
    heeded = [number for number in ENDING if signal.getsignal(number) is not signal.SIG_IGN]

    def listen_no_more() -> None:
        for number in heeded:
            loop.remove_signal_handler(number)

    def end(by: signal.Signals) -> None:
        told.append(by)
        if len(told) > 1:
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


async def _play(ground: Ground, *, keep: bool) -> None:
    began = time.monotonic()
    screen = Screen(Console(highlight=False))
    async with ground.raised(screen) as place:
        for scene in SCENES:
            await scene(place.stage, screen)
        screen.show(f"\n[bold green]The whole story held[/], in {time.monotonic() - began:.1f} s")
        if keep:
            await _keep(screen, place)


async def _keep(screen: Screen, place: Place) -> None:
    """Leave everything running, with the way to look at it."""
    pods = sum(1 for _ in place.stage.pods.values())
    screen.show(f"The API stays up with {pods} pods running. In another terminal:\n")
    namespace = "" if place.stage.namespace == "default" else f" -n {place.stage.namespace}"
    screen.show(f"  export KUBECONFIG={place.kubeconfig}\n  kubectl get hn\n  kubectl get pods -o wide{namespace}\n")
    screen.show("Ctrl-C ends it.")
    await asyncio.Event().wait()


def _leaves(group: BaseExceptionGroup[BaseException]) -> list[BaseException]:
    found: list[BaseException] = []
    for error in group.exceptions:
        found += _leaves(error) if isinstance(error, BaseExceptionGroup) else [error]
    return found
