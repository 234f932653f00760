"""Where the demo plays: on an embedded API server, or on a cluster whose nodes kwok plays."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cli.demo.cleaning import clean, undefine
from cli.demo.cluster import NAMESPACE, Found, announce, look, refuse, set_up
from cli.demo.definitions import define
from cli.demo.marks import SELECTOR as MARKED
from cli.demo.publishing import create_all, ready_node
from cli.demo.screen import Screen
from cli.demo.stage import Stage, raised_stage
from cli.live import connect
from cli.output import say
from cli.uninstall.hyper_nodes import SELECTOR as OURS
from kube.client import Client
from kube.connection import connect_to
from kube.crds import crds
from kube.embedded.server import EmbeddedServer
from kube.errors import ApiError
from kube.resources import NODES
from topology.synth.sites import demo_site

_LEFT = ("namespaces", "nodes", "nodereports", "switchreports", "sweepreports", "crd")


@dataclass(frozen=True, slots=True)
class Place:
    """A raised stage, and the file by which kubectl finds it."""

    stage: Stage
    kubeconfig: Path


class Ground(Protocol):
    """Something to raise a stage on."""

    def raised(self, screen: Screen) -> AbstractAsyncContextManager[Place]:
        """The stage, until the context ends."""
        ...


@dataclass(frozen=True, slots=True)
class EmbeddedGround:
    """An API server in this process, and nodes that need nobody to play them."""

    @asynccontextmanager
    async def raised(self, screen: Screen) -> AsyncIterator[Place]:
        """Nothing is left of it afterwards."""
        nodes = demo_site().nodes
        screen.show(
            f"{len(nodes)} nodes, an embedded API server (not for production), the real controller and scheduler"
        )
        with tempfile.TemporaryDirectory(prefix="hyperscout-demo-") as folder:
            kubeconfig = Path(folder) / "kubeconfig"
            async with EmbeddedServer(run_bound_pods=True) as server:
                kubeconfig.touch(mode=0o600)
                kubeconfig.write_text(server.kubeconfig(), encoding="utf-8")
                async with Client(connect_to(server.url, server.token)) as client:
                    await define(client, crds(cel=False))
                    await create_all(client, NODES, [ready_node(name) for name in nodes])
                    async with raised_stage(client, "default") as stage:
                        yield Place(stage, kubeconfig)


@dataclass(frozen=True, slots=True)
class RealCluster:
    """A cluster; `yes`: also where others have Nodes and HyperNodes, or where our kinds are missing."""

    kubeconfig: str
    yes: bool

    @asynccontextmanager
    async def raised(self, screen: Screen) -> AsyncIterator[Place]:
        """What was made is removed afterwards, however it ends. CommandError where the demo is not welcome."""
        nodes = demo_site().nodes
        async with Client(await connect(self.kubeconfig)) as client:
            found = await look(client)
            for line in announce(found, nodes):
                screen.show(line)
            refuse(found, nodes, yes=self.yes)
            async with cleaned(client, screen):
                await self._begin(client, screen, found)
                async with raised_stage(client, NAMESPACE) as stage:
                    yield Place(stage, Path(self.kubeconfig))

    async def _begin(self, client: Client, screen: Screen, found: Found) -> None:
        left = await clean(client)
        if left:
            screen.show(f"An earlier demo left {', '.join(left)}: removed")
        with screen.waiting("waiting for kwok to make the nodes ready"):
            await set_up(client, found, demo_site().nodes)


@asynccontextmanager
async def cleaned(client: Client, screen: Screen) -> AsyncIterator[None]:
    """Whatever happens inside, nothing of the demo is left; where that fails, or is cut short, it is said."""
    try:
        yield
    finally:
        try:
            await _clean_up(client, screen)
        except asyncio.CancelledError:
            say(
                "the demo was stopped before it had removed all that it made; the next demo here removes the rest, or "
                f"kubectl delete hypernodes -l {OURS} and kubectl delete {','.join(_LEFT)} -l {MARKED}"
            )
            raise


async def _clean_up(client: Client, screen: Screen) -> None:
    try:
        removed = await clean(client)
        await undefine(client)
        screen.show(f"Removed: {', '.join(removed) or 'nothing was made'}")
    except* ApiError as errors:
        say(f"the demo could not remove all that it made: {_first(errors)}; the next demo here removes the rest")


def _first(errors: BaseExceptionGroup[ApiError]) -> BaseException:
    found: BaseException = errors
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    return found
