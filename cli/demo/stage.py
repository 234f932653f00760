"""The stage: an API server with the real controller and the real scheduler on it, and caches to watch by.

Everything the scenes do goes through the API, as it would on a cluster.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from cli.demo.gangs import Job, pod_group, pods
from cli.demo.hardware import Hardware
from cli.demo.marks import LABELS
from cli.demo.publishing import Publisher, create_all, delete_all
from controller.running import run_controller
from controller.settings import ControllerSettings, Debounce, Times
from kube.cache import Cache, Change
from kube.client import Client
from kube.meta import Key, Object
from kube.requests import Selection
from kube.types import EVENTS, HYPER_NODES, POD_GROUPS, PODS, Event, HyperNode, Pod, PodGroup
from scheduler.running import run_scheduler
from scheduler.settings import SchedulerSettings
from topology.documents import SOURCE, SOURCE_LABEL

PATIENCE = 30.0
"""Seconds until a scene that does not come about fails the demo."""


class BrokenStoryError(Exception):
    """What the story promises did not happen."""


@dataclass(slots=True)
class Stage:
    """What a scene can do and see."""

    client: Client
    hardware: Hardware
    publisher: Publisher
    hyper_nodes: Cache[HyperNode]
    pods: Cache[Pod]
    groups: Cache[PodGroup]
    events: Cache[Event]
    namespace: str
    """Of the gangs."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def until(self, what: str, holds: Callable[[], bool]) -> None:
        """Wait until it holds; raises BrokenStoryError, in a sentence, when it does not in time."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not holds():
                    self.changed.clear()
                    await self.changed.wait()
        except TimeoutError as error:
            raise BrokenStoryError(f"waited {PATIENCE:.0f} s in vain for: {what}") from error

    async def look(self) -> None:
        """Publish what agents and sweeper see of the hardware now."""
        await self.publisher.publish(self.hardware.look())

    async def submit(self, *jobs: Job) -> None:
        """Create the objects of these jobs, all together."""
        await create_all(self.client, POD_GROUPS, [pod_group(job, self.namespace) for job in jobs])
        await create_all(self.client, PODS, [pod for job in jobs for pod in pods(job, self.namespace, LABELS)])

    async def delete(self, *jobs: Job) -> None:
        """Delete these jobs and wait until their pods are gone."""
        names = {job.name for job in jobs}
        members = [pod.metadata for pod in self.pods.values() if pod.metadata.labels.get("job") in names]
        groups = [group.metadata for group in self.groups.values() if group.metadata.name in names]
        await delete_all(self.client, PODS, members)
        await delete_all(self.client, POD_GROUPS, groups)
        await self.until("the pods are gone", lambda: not any(self.members(job) for job in jobs))

    def members(self, job: Job) -> list[Pod]:
        """The pods of a job that are there, by name."""
        found = [pod for pod in self.pods.values() if pod.metadata.labels.get("job") == job.name]
        return sorted(found, key=lambda pod: pod.metadata.name)

    def nodes_of(self, job: Job) -> list[str]:
        """The nodes to which its pods are bound, in the order of the pods."""
        return [pod.spec.node_name for pod in self.members(job) if pod.spec.node_name]

    def is_bound(self, job: Job) -> bool:
        """Every pod of the job has a node."""
        return len(self.nodes_of(job)) == job.pods

    def ours(self) -> list[HyperNode]:
        """The HyperNodes that our controller wrote."""
        return [found for found in self.hyper_nodes.values() if found.metadata.labels.get(SOURCE_LABEL) == SOURCE]

    def hyper_node(self, name: str) -> HyperNode:
        """A HyperNode as last seen; raises BrokenStoryError when it is gone."""
        found = self.hyper_nodes.get(Key("", name))
        if found is None:
            raise BrokenStoryError(f"HyperNode {name} is gone")
        return found


@asynccontextmanager
async def raised_stage(client: Client, namespace: str) -> AsyncIterator[Stage]:
    """A stage on a server that has the kinds, with controller and scheduler at work until the context ends.

    The gangs come into the namespace, which must be there.
    """
    stop, gangs = asyncio.Event(), Selection(namespace)
    stage = Stage(
        client,
        Hardware(),
        Publisher(client),
        Cache(client, HYPER_NODES),
        Cache(client, PODS, gangs),
        Cache(client, POD_GROUPS, gangs),
        Cache(client, EVENTS),
        namespace,
    )
    async with asyncio.TaskGroup() as group:
        caches = [group.create_task(cache.run()) for cache in _follow(stage)]
        settings = ControllerSettings(debounce=Debounce(quiet=0.2, longest=1.0), times=Times(link_hold=0.0))
        group.create_task(run_controller(client, settings, stop))
        group.create_task(run_scheduler(client, SchedulerSettings(), stop))
        try:
            yield stage
        finally:
            stop.set()
            for task in caches:
                task.cancel()


def _follow(stage: Stage) -> list[Cache[Any]]:
    """All caches of the stage, each of which wakes those who wait."""

    def wake(change: Change[Object]) -> None:
        del change
        stage.changed.set()

    caches: list[Cache[Any]] = [stage.hyper_nodes, stage.pods, stage.groups, stage.events]
    for cache in caches:
        cache.subscribe(wake)
    return caches
