"""The five caches that the controller looks at, their trigger and their echoes."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from controller.echo import Echoes
from controller.settings import Debounce
from controller.snapshot import Snapshot
from controller.trigger import Trigger, hyper_node_matters, node_matters, report_matters
from discovery.sharing import share_node, share_switch
from kube.cache import Cache, Change, Deleted
from kube.client import Client
from kube.meta import Object
from kube.types import (
    HYPER_NODES,
    NODE_REPORTS,
    NODES,
    SWEEP_REPORTS,
    SWITCH_REPORTS,
    HyperNode,
    Node,
    NodeReportObject,
    Resource,
    SweepReportObject,
    SwitchReportObject,
)

T = TypeVar("T", bound=Object)


@dataclass(frozen=True, slots=True)
class Caches:
    """All that is watched."""

    nodes: Cache[Node]
    node_reports: Cache[NodeReportObject]
    switch_reports: Cache[SwitchReportObject]
    sweeps: Cache[SweepReportObject]
    hyper_nodes: Cache[HyperNode]
    trigger: Trigger

    @staticmethod
    def of(client: Client, debounce: Debounce) -> Caches:
        """Caches that pull one trigger with every change that matters."""
        caches = Caches(
            Cache(client, NODES),
            Cache(client, NODE_REPORTS, shape=_of_node),
            Cache(client, SWITCH_REPORTS, shape=_of_switch),
            Cache(client, SWEEP_REPORTS),
            Cache(client, HYPER_NODES),
            Trigger(debounce),
        )
        pull = caches.trigger.pull
        caches.nodes.subscribe(lambda change: pull(_cause(NODES, change)) if node_matters(change) else None)
        caches.node_reports.subscribe(
            lambda change: pull(_cause(NODE_REPORTS, change)) if report_matters(change) else None
        )
        caches.hyper_nodes.subscribe(lambda change: pull() if hyper_node_matters(change) else None)
        caches.switch_reports.subscribe(lambda _: pull())
        caches.sweeps.subscribe(lambda _: pull())
        return caches

    def all(self) -> tuple[Cache[Any], ...]:
        """Each of them."""
        return (self.nodes, self.node_reports, self.switch_reports, self.sweeps, self.hyper_nodes)

    def runs(self) -> list[Coroutine[Any, Any, None]]:
        """What keeps them true, each to run as a task."""
        return [cache.run() for cache in self.all()]

    @property
    def synced(self) -> bool:
        """Whether all of them are whole."""
        return all(cache.synced.is_set() for cache in self.all())

    async def whole(self) -> None:
        """Wait until all of them are whole."""
        await asyncio.gather(*(cache.synced.wait() for cache in self.all()))

    def snapshot(self) -> Snapshot:
        """All objects as they stand in the caches now."""
        return Snapshot(
            nodes=self.nodes.ordered(),
            node_reports=self.node_reports.ordered(),
            switch_reports=self.switch_reports.ordered(),
            sweeps=self.sweeps.ordered(),
            hyper_nodes=self.hyper_nodes.ordered(),
        )


def _of_node(found: NodeReportObject) -> NodeReportObject:
    return msgspec.structs.replace(found, spec=share_node(found.spec))


def _of_switch(found: SwitchReportObject) -> SwitchReportObject:
    return msgspec.structs.replace(found, spec=share_switch(found.spec))


def _cause(resource: Resource[T], change: Change[T]) -> Hashable:
    metadata = change.old.metadata if isinstance(change, Deleted) else change.new.metadata
    return (resource.plural, (metadata.key, metadata.resource_version))


@dataclass(frozen=True, slots=True)
class AllEchoes:
    """The echoes of everything that the controller writes."""

    hyper_nodes: Echoes[HyperNode]
    nodes: Echoes[Node]
    node_reports: Echoes[NodeReportObject]

    @staticmethod
    def of(caches: Caches) -> AllEchoes:
        """After a change of the tree there is a look whether it stands; what we write to nodes starts none."""
        forget = caches.trigger.forget
        return AllEchoes(
            Echoes(caches.hyper_nodes),
            Echoes(caches.nodes, lambda version: forget((NODES.plural, version))),
            Echoes(caches.node_reports, lambda version: forget((NODE_REPORTS.plural, version))),
        )

    async def all_seen(self) -> None:
        """Wait until the caches show all that was written."""
        async with asyncio.TaskGroup() as group:
            for echoes in (self.hyper_nodes, self.nodes, self.node_reports):
                group.create_task(echoes.all_seen())
