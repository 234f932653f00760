"""A cluster for the scheduler's tests: the embedded API server behind a border, racks of nodes, and ways to wait."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import cache
from typing import Any

from kube.cache import Cache
from kube.client import Client
from kube.connection import connect_to
from kube.crds import crds
from kube.embedded.server import EmbeddedServer
from kube.errors import NotFound
from kube.requests import Patch
from kube.resources import Resource
from kube.types import EVENTS, HYPER_NODES, NODES, POD_GROUPS, PODS, Body, Node, ObjectMeta, Pod, PodGroup
from scheduler.running import run_scheduler
from scheduler.settings import SchedulerSettings
from tests.scheduler.border import Border

DEFINITIONS = Resource(
    "apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", False, Node
)
GPU = "nvidia.com/gpu"
QUICK = SchedulerSettings(debounce=0.01, status_interval=0.05)
PATIENCE = 15.0
"""Seconds after which a test gives up waiting."""


class Lab:
    """What a test does to the cluster, and what it waits for. `client` goes straight to the server."""

    def __init__(self, client: Client, border: Border, token: str) -> None:
        self.client = client
        self.border = border
        self.token = token
        self._pods = Cache(client, PODS)
        self._groups = Cache(client, POD_GROUPS)
        self._events = Cache(client, EVENTS)
        self._changed = asyncio.Event()
        self._strangers = 0
        for one in self.caches:
            one.subscribe(lambda _: self._changed.set())

    @property
    def caches(self) -> tuple[Cache[Any], ...]:
        return (self._pods, self._groups, self._events)

    async def rack(self, name: str, nodes: int, *, gpus: int = 4, links: str = "") -> None:
        """A HyperNode of tier 1 with so many nodes, named `<rack>-n00` and so on."""
        names = [f"{name}-n{index:02}" for index in range(nodes)]
        await asyncio.gather(*(self.node(one, gpus=gpus) for one in names))
        await self.hyper_node(name, 1, "nvlink", "Node", names, {"hyperscout.io/links": links} if links else {})

    async def node(self, name: str, *, gpus: int = 4, **conditions: str) -> None:
        """A node that is Ready; more conditions by name."""
        allocatable = {"cpu": "32", "memory": "128Gi", "pods": "110", GPU: str(gpus)}
        stated = [{"type": kind, "status": status} for kind, status in ({"Ready": "True"} | conditions).items()]
        body = {"metadata": {"name": name}, "status": {"allocatable": allocatable, "conditions": stated}}
        await self.client.create(NODES, body)

    async def hyper_node(
        self, name: str, tier: int, tier_name: str, kind: str, members: list[str], annotations: dict[str, str]
    ) -> None:
        selected = [{"type": kind, "selector": {"exactMatch": {"name": member}}} for member in members]
        spec = {"tier": tier, "tierName": tier_name, "members": selected}
        await self.client.create(HYPER_NODES, {"metadata": {"name": name, "annotations": annotations}, "spec": spec})

    async def row(self, name: str, racks: list[str]) -> None:
        """A HyperNode of tier 2 over racks."""
        await self.hyper_node(name, 2, "leaf", "HyperNode", racks, {})

    async def pod_group(self, name: str, size: int, **topology: Any) -> None:  # noqa: ANN401 - any JSON
        spec: Body = {"minMember": size} | ({"networkTopology": topology} if topology else {})
        await self.client.create(POD_GROUPS, {"metadata": {"name": name, "namespace": "default"}, "spec": spec})

    async def pods(self, gang: str, indices: range, *, gpus: int = 4, **more: Any) -> None:  # noqa: ANN401 - any JSON
        """Pods `<gang>-<index>` of a PodGroup (or, with `annotations`, of whatever these say)."""
        annotations = more.get("annotations", {"scheduling.k8s.io/group-name": gang})
        requests = {"cpu": "1", GPU: str(gpus)}
        spec = {
            "schedulerName": "hyperscout",
            "containers": [{"name": "c", "image": "i", "resources": {"requests": requests}}],
        }
        spec |= more.get("spec", {})
        namespace = more.get("namespace", "default")
        for index in indices:
            metadata = {"name": f"{gang}-{index}", "namespace": namespace, "annotations": annotations}
            await self.client.create(PODS, {"metadata": metadata, "spec": spec})

    async def occupy(self, node: str) -> None:
        """A pod of somebody else, `stranger-<n>`, takes all that the node has."""
        taken = {"schedulerName": "other", "nodeName": node}
        await self.pods("stranger", range(self._strangers, self._strangers + 1), annotations={}, spec=taken)
        self._strangers += 1

    async def delete_pod(self, name: str) -> None:
        await self.client.delete(PODS, ObjectMeta(name=name, namespace="default"))

    async def end_pod(self, name: str) -> None:
        """It succeeds."""
        patch = Patch({"status": {"phase": "Succeeded"}}, subresource="status")
        await self.client.patch(PODS, name, patch, "default")

    def of(self, gang: str) -> list[Pod]:
        """The pods of a gang, by name."""
        found = [pod for pod in self._pods.values() if pod.metadata.name.rpartition("-")[0] == gang]
        return sorted(found, key=lambda pod: int(pod.metadata.name.rpartition("-")[2]))

    def everybody(self) -> list[Pod]:
        """All pods."""
        return list(self._pods.values())

    def nodes_of(self, gang: str) -> list[str]:
        """The nodes of the gang's bound pods."""
        return [pod.spec.node_name for pod in self.of(gang) if pod.spec.node_name]

    def racks_of(self, gang: str) -> Counter[str]:
        """How many of the gang's pods stand in each rack."""
        return Counter(node.rpartition("-")[0] for node in self.nodes_of(gang))

    def message_of(self, gang: str) -> str:
        """What the first waiting pod of the gang is told."""
        told = [pod.condition("PodScheduled") for pod in self.of(gang) if not pod.spec.node_name]
        return next((f"{one.reason}: {one.message}" for one in told if one is not None and one.status == "False"), "")

    def group(self, name: str) -> PodGroup:
        """The PodGroup as the watch shows it; an empty one as long as it does not."""
        found = (group for group in self._groups.values() if group.metadata.name == name)
        return next(found, PodGroup())

    def events(self, reason: str) -> list[str]:
        """The messages of all Events with this reason."""
        return [event.message for event in self._events.values() if event.reason == reason]

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds of pods, PodGroups and Events as the watch shows them."""
        async with asyncio.timeout(PATIENCE):
            while not holds():
                self._changed.clear()
                await self._changed.wait()

    async def all_bound(self, gang: str, size: int) -> None:
        await self.until(lambda: len(self.nodes_of(gang)) == size)

    @asynccontextmanager
    async def scheduler(self, settings: SchedulerSettings = QUICK) -> AsyncIterator[None]:
        """A scheduler that works through the border until the context ends."""
        stop = asyncio.Event()
        async with Client(connect_to(self.border.url, self.token)) as client:
            task = asyncio.create_task(run_scheduler(client, settings, stop))
            try:
                yield
            finally:
                stop.set()
                await asyncio.wait_for(task, PATIENCE)


@cache
def definitions() -> tuple[Body, ...]:
    """Our CustomResourceDefinitions, in the form that the embedded server takes."""
    return crds(cel=False)


@asynccontextmanager
async def a_lab() -> AsyncIterator[Lab]:
    """A cluster without nodes, with our CustomResourceDefinitions."""
    async with (
        EmbeddedServer(run_bound_pods=True) as server,
        Client(connect_to(server.url, server.token)) as client,
        Border(server.url).open() as border,
    ):
        for definition in definitions():
            await client.create(DEFINITIONS, definition)
        lab = Lab(client, border, server.token)
        followers = [asyncio.create_task(one.run()) for one in lab.caches]
        yield lab
        for follower in followers:
            follower.cancel()
            with suppress(asyncio.CancelledError, NotFound):
                await follower
