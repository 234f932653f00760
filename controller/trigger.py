"""When to look: when something happened and the world is quiet again, within a bound; and now and then anyhow."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from dataclasses import replace

from controller.nodes.marks import CONDITION, TAINT, WRITTEN
from controller.settings import Debounce
from discovery.reports import NodeReport
from kube.cache import Change, Changed
from kube.types import HyperNode, Node, NodeReportObject


class Trigger:
    """Pulled by every change that matters."""

    def __init__(self, debounce: Debounce) -> None:
        self._debounce = debounce
        self._pulled = asyncio.Event()
        self._causes: set[Hashable] = set()
        self._ended = False

    def pull(self, cause: Hashable = "") -> None:
        """Something happened."""
        self._causes.add(cause)
        self._pulled.set()

    def forget(self, cause: Hashable) -> None:
        """That was no news: if nothing else happened there is nothing to look at."""
        self._causes.discard(cause)
        if not self._causes and not self._ended:
            self._pulled.clear()

    def end(self) -> None:
        """Nobody has to wait any more."""
        self._ended = True
        self._pulled.set()

    async def wait(self, longest: float) -> None:
        """Until something happened and then nothing more for a while; or `longest` seconds without anything."""
        try:
            async with asyncio.timeout(longest):
                await self._pulled.wait()
        except TimeoutError:
            return
        clock = asyncio.get_running_loop().time
        end = clock() + self._debounce.longest
        while self._pulled.is_set() and clock() < end and not self._ended:
            self._pulled.clear()
            try:
                async with asyncio.timeout(min(self._debounce.quiet, end - clock())):
                    await self._pulled.wait()
            except TimeoutError:
                break
        self._causes.clear()
        if not self._ended:
            self._pulled.clear()


def node_matters(change: Change[Node]) -> bool:
    """A Node's heartbeats and resources do not, nor taints and annotations of others."""
    if not isinstance(change, Changed):
        return True
    return _of_node(change.old) != _of_node(change.new)


def _of_node(node: Node) -> tuple[object, ...]:
    conditions = {found.type: (found.status, found.reason, found.message) for found in node.status.conditions}
    fabric, ready = conditions.get(CONDITION), conditions.get("Ready")
    metadata, addresses = node.metadata, node.status.addresses
    marks = (fabric, [taint for taint in node.spec.taints if taint.key == TAINT], metadata.annotations.get(WRITTEN))
    return (metadata.uid, dict(metadata.labels), addresses, node.spec.unschedulable, ready and ready[0], marks)


def report_matters(change: Change[NodeReportObject]) -> bool:
    """A heartbeat alone does not."""
    if not isinstance(change, Changed):
        return True
    old, new = change.old, change.new
    owners = old.metadata.owner_references != new.metadata.owner_references
    return owners or old.status != new.status or _without_heartbeat(old.spec) != _without_heartbeat(new.spec)


def _without_heartbeat(spec: NodeReport) -> NodeReport:
    return replace(spec, heartbeat=None)


def hyper_node_matters(change: Change[HyperNode]) -> bool:
    """Volcano's count of members does not."""
    if not isinstance(change, Changed):
        return True
    return _of_hyper_node(change.old) != _of_hyper_node(change.new)


def _of_hyper_node(found: HyperNode) -> tuple[object, ...]:
    metadata = found.metadata
    return (metadata.uid, dict(metadata.labels), dict(metadata.annotations), found.spec, found.status.conditions)
