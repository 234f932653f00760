"""A site behind the embedded API server, with the real client and the real controller on it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar

import aiohttp
import msgspec

from controller.decide import Decision
from controller.role import ON_ITS_OWN, Role
from controller.running import run_controller
from controller.settings import ControllerSettings, Debounce, Times
from kube.client import Client
from kube.crds import crds
from kube.embedded.server import EmbeddedServer
from kube.meta import Object
from kube.requests import FieldManager
from kube.resources import Resource
from kube.types import (
    EVENTS,
    HYPER_NODES,
    NODE_REPORTS,
    NODES,
    SWEEP_REPORTS,
    SWITCH_REPORTS,
    Event,
    HyperNode,
    Node,
)
from tests.controller.site import Site

T = TypeVar("T", bound=Object)

QUICK = ControllerSettings(debounce=Debounce(quiet=0.05, longest=0.5), times=Times(node_hold=3600.0, link_hold=0.0))
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
PATIENCE = 15.0
SITE = FieldManager("site", force=True)


@dataclass(slots=True)
class Cluster:
    """`requests` are all that reached the server, by method and path; `now` is the time of day for the controller."""

    server: EmbeddedServer | None
    """None: a real one, which knows our kinds already."""
    client: Client
    requests: list[tuple[str, str]]
    site: Site = field(default_factory=Site)
    now: datetime = NOON

    async def install(self) -> None:
        """The definitions of all kinds."""
        assert self.server is not None
        url = f"{self.server.url}/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        headers = {"Authorization": f"Bearer {self.server.token}"}
        async with aiohttp.ClientSession(headers=headers) as session:
            for definition in crds(cel=False):
                async with session.post(url, json=definition) as answer:
                    assert answer.status == 201, await answer.text()

    async def join(self) -> None:
        """All Nodes of the site are in the cluster."""
        for node in self.site.node_objects():
            await self._apply(NODES, node)

    async def sweep(self) -> None:
        """One more sweep, and a report of every node; the SweepReport is written last."""
        self.site.sweep()
        await self.publish()

    async def publish(self) -> None:
        """All reports as the site has them."""
        for switch in self.site.switch_objects():
            await self._apply(SWITCH_REPORTS, switch)
        for report in self.site.node_report_objects():
            await self._apply(NODE_REPORTS, report)
        if self.site.swept:
            await self._apply(SWEEP_REPORTS, self.site.sweep_object())

    async def _apply(self, resource: Resource[T], found: T) -> None:
        document = msgspec.to_builtins(found)
        metadata = document["metadata"]
        document["metadata"] = {key: metadata[key] for key in ("name", "labels") if key in metadata}
        document.pop("status", None)
        await self.client.apply(resource, document, SITE)

    async def hyper_nodes(self) -> dict[str, HyperNode]:
        """By name."""
        listing = await self.client.list(HYPER_NODES)
        return {found.metadata.name: found for found in listing.items}

    async def nodes(self) -> dict[str, Node]:
        """By name."""
        return {found.metadata.name: found for found in (await self.client.list(NODES)).items}

    async def events(self) -> list[Event]:
        """All Events there are."""
        return list((await self.client.list(EVENTS)).items)

    def writes(self) -> list[tuple[str, str]]:
        """The requests that were no reading."""
        return [request for request in self.requests if request[0] != "GET"]


@dataclass(slots=True)
class Watched:
    """A controller that runs, and what it decided; what was waited for once is not looked at again."""

    decisions: list[Decision] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    seen: int = 0
    patience: float = PATIENCE

    def note(self, decision: Decision) -> None:
        """A look is over, and all of it written."""
        self.decisions.append(decision)
        self.news.set()

    async def until(self, holds: Callable[[Decision], bool]) -> Decision:
        """The next decision for which it holds."""
        async with asyncio.timeout(self.patience):
            while True:
                while self.seen < len(self.decisions):
                    self.seen += 1
                    if holds(self.decisions[self.seen - 1]):
                        return self.decisions[self.seen - 1]
                self.news.clear()
                await self.news.wait()

    async def swept(self, sequence: int) -> Decision:
        """The first decision that knows this sweep."""
        return await self.until(lambda decision: _sequence(decision) >= sequence)

    async def settled(self) -> None:
        """Until a look, the last one that was waited for included, found nothing to change in the tree."""
        if not self.seen or not _nothing_to_change(self.decisions[self.seen - 1]):
            await self.until(_nothing_to_change)


def _sequence(decision: Decision) -> int:
    return max((swept.sequence for swept in decision.memory.swept.values()), default=0)


def _nothing_to_change(decision: Decision) -> bool:
    return decision.outcome is not None and set(decision.outcome.standing) == set(decision.outcome.desired)


@asynccontextmanager
async def controller(
    cluster: Cluster, settings: ControllerSettings = QUICK, role: Role = ON_ITS_OWN
) -> AsyncIterator[Watched]:
    """Run the controller; on leaving it is stopped and has ended."""
    watched, stop = Watched(), asyncio.Event()
    run = run_controller(cluster.client, settings, stop, lambda: cluster.now, watched.note, role)
    task = asyncio.create_task(run)
    try:
        yield watched
    finally:
        stop.set()
        async with asyncio.timeout(PATIENCE):
            await task
