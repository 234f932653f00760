"""The command `hyperscout demo`: raises the stage, plays the scenes, says whether the story held."""

from __future__ import annotations

import asyncio
import logging
import tempfile
import time
from pathlib import Path

import structlog
from rich.console import Console

from cli.demo.scenes import SCENES
from cli.demo.screen import Screen
from cli.demo.stage import BrokenStoryError, Stage, raised_stage
from cli.ending import REFUSED, CommandError
from kube.embedded.server import EmbeddedServer


def run_demo(*, keep: bool) -> None:
    """Play the demo; CommandError when its story does not hold. With `keep` the API stays until interrupted."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    console = Console(highlight=False)
    try:
        asyncio.run(_play(console, keep=keep))
    except* BrokenStoryError as broken:
        sentence = "; ".join(str(error) for error in _leaves(broken))
        raise CommandError(f"the demo's story does not hold: {sentence}", REFUSED) from broken
    except* KeyboardInterrupt:
        console.print("\nended")


async def _play(console: Console, *, keep: bool) -> None:
    began = time.monotonic()
    screen = Screen(console)
    console.print("118 nodes, an embedded API server (not for production), the real controller and scheduler")
    async with EmbeddedServer(run_bound_pods=True) as server, raised_stage(server) as stage:
        for scene in SCENES:
            await scene(stage, screen)
        console.print(f"\n[bold green]The whole story held[/], in {time.monotonic() - began:.1f} s")
        if keep:
            await _keep(console, server, stage)


async def _keep(console: Console, server: EmbeddedServer, stage: Stage) -> None:
    """Leave everything running, with the way to look at it."""
    with tempfile.TemporaryDirectory(prefix="hyperscout-demo-") as folder:
        path = Path(folder) / "kubeconfig"
        path.write_text(server.kubeconfig(), encoding="utf-8")
        path.chmod(0o600)
        pods = sum(1 for _ in stage.pods.values())
        console.print(f"The API stays up with {pods} pods running. In another terminal:\n", highlight=False)
        console.print(f"  export KUBECONFIG={path}", soft_wrap=True)
        console.print("  kubectl get hn\n  kubectl get pods -o wide\n\nCtrl-C ends it.")
        await asyncio.Event().wait()


def _leaves(group: BaseExceptionGroup[BaseException]) -> list[BaseException]:
    found: list[BaseException] = []
    for error in group.exceptions:
        found += _leaves(error) if isinstance(error, BaseExceptionGroup) else [error]
    return found
