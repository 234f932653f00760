"""A cluster with Volcano, our controller and our scheduler on it, whose nodes are the DGX systems of a SuperPOD."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from cli.demo.definitions import define
from cli.demo.gangs import NAMESPACE, Job, pod_group, pods
from cli.demo.publishing import Publisher, create_all
from controller.running import run_controller
from controller.settings import ControllerSettings, Debounce, Patience
from kube.client import Client
from kube.connection import Access, Connection, FixedCredentials
from kube.crds import crds
from kube.meta import Body
from kube.requests import Patch, Selection
from kube.types import HYPER_NODES, NODES, POD_GROUPS, PODS, HyperNode
from scheduler.running import run_scheduler
from scheduler.settings import SchedulerSettings
from tests.cluster.control_plane import ControlPlane
from tests.cluster.tokens import Account, account
from tests.cluster.volcano import Volcano, definitions
from tests.controller.cluster import Watched
from tests.volcano.superpod import Superpod

PATIENCE = 60.0
CONTROLLER, SCHEDULER = "hyperscout-controller", "hyperscout-scheduler"
QUICK = ControllerSettings(debounce=Debounce(quiet=0.3, longest=5.0), patience=Patience(moves=3, missing=2))
"""Quiet for longer than the pauses between the reports of one sweep."""
RESOURCES = {"cpu": "64", "memory": "2Ti", "pods": "110", "nvidia.com/gpu": "4"}


@dataclass(slots=True)
class Rig:
    """What the tests do to the cluster, as its administrator, and what they see."""

    client: Client
    site: Superpod
    watched: Watched
    publisher: Publisher
    joined: set[str] = field(default_factory=set)
    cordoned: set[str] = field(default_factory=set)

    async def join(self) -> None:
        """Every DGX system that is not there yet is a node of the cluster."""
        new = [name for name in self.site.nodes if name not in self.joined]
        await create_all(self.client, NODES, [_node(name) for name in new])
        self.joined.update(new)

    async def sweep(self) -> None:
        """The site is looked at, and the controller has seen it and written what follows."""
        evidence = self.site.look()
        await self.publisher.publish(evidence)
        await self.watched.swept(evidence.sweep.sequence)
        await self.watched.settled()

    async def only(self, free: Iterable[str]) -> None:
        """All other nodes are cordoned."""
        wanted = self.joined - set(free)
        async with asyncio.TaskGroup() as group:
            for name in sorted(wanted ^ self.cordoned):
                patch = Patch({"spec": {"unschedulable": name in wanted}})
                group.create_task(self.client.patch(NODES, name, patch))
        self.cordoned = wanted

    async def submit(self, job: Job, scheduler: str = "volcano") -> None:
        """A gang for that scheduler."""
        await create_all(self.client, POD_GROUPS, [pod_group(job)])
        await create_all(self.client, PODS, [_for(scheduler, pod) for pod in pods(job)])

    async def nodes_of(self, job: Job) -> list[str]:
        """Where its pods are bound; not bound ones are left out."""
        found = await self.client.list(PODS, Selection(NAMESPACE, labels=f"job={job.name}"))
        return sorted(pod.spec.node_name for pod in found.items if pod.spec.node_name)

    async def place(self, job: Job, scheduler: str = "volcano") -> list[str]:
        """Submit a gang, and wait until each of its pods has a node."""
        await self.submit(job, scheduler)
        found: list[str] = []

        async def bound() -> bool:
            found[:] = await self.nodes_of(job)
            return len(found) == job.pods

        await until(f"{job.name} is bound", bound)
        return found

    async def remove(self, job: Job) -> None:
        """Delete the gang, and wait until it is gone."""
        for pod in (await self.client.list(PODS, Selection(NAMESPACE, labels=f"job={job.name}"))).items:
            await self.client.delete(PODS, pod.metadata)
        await self.client.delete(POD_GROUPS, (await self.client.get(POD_GROUPS, job.name, NAMESPACE)).metadata)

        async def gone() -> bool:
            return not (await self.client.list(PODS, Selection(NAMESPACE, labels=f"job={job.name}"))).items

        await until(f"{job.name} is gone", gone)

    async def refused(self, job: Job) -> str:
        """Wait until Volcano says that the gang cannot be scheduled, and answer its message."""
        said: list[str] = []

        async def unschedulable() -> bool:
            found = (await self.client.get(POD_GROUPS, job.name, NAMESPACE)).condition("Unschedulable")
            said[:] = [found.message] if found is not None and found.status == "True" else []
            return bool(said)

        await until(f"{job.name} is refused", unschedulable)
        return said[0]

    async def hyper_nodes(self) -> list[HyperNode]:
        """All of them."""
        return list((await self.client.list(HYPER_NODES)).items)

    async def units(self) -> dict[str, frozenset[str]]:
        """By leaf HyperNode the nodes that it lists."""
        return {
            found.metadata.name: frozenset(
                member.selector.exact_match.name for member in found.spec.members if member.selector.exact_match
            )
            for found in await self.hyper_nodes()
            if found.spec.tier_name == "leaf"
        }


async def until(what: str, holds: Callable[[], Awaitable[bool]]) -> None:
    """Return once it holds; AssertionError, in a sentence, when it does not in time."""
    try:
        async with asyncio.timeout(PATIENCE):
            while not await holds():  # noqa: ASYNC110 - seen by asking only
                await asyncio.sleep(0.1)
    except TimeoutError:
        raise AssertionError(f"waited {PATIENCE:.0f} s in vain until {what}") from None


def connection(plane: ControlPlane, token: str) -> Connection:
    """The API server of the plane, as whoever has the token."""
    return Connection(plane.url, FixedCredentials(Access({"Authorization": f"Bearer {token}"}, plane.tls())))


@asynccontextmanager
async def raised(plane: ControlPlane, volcano: Volcano, dump: Path) -> AsyncIterator[Rig]:
    """Volcano was there first; then come our definitions, the nodes, our controller and our scheduler."""
    async with (
        Client(connection(plane, plane.token)) as admin,
        Client(connection(plane, mighty(plane, CONTROLLER).token())) as controlling,
        Client(connection(plane, mighty(plane, SCHEDULER).token())) as scheduling,
    ):
        site = Superpod.captured(dump)
        rig = Rig(admin, site, Watched(patience=PATIENCE), Publisher(admin))
        await define(admin, definitions())
        plane.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "volcano-system"}})
        await define(admin, [crd for crd in crds() if crd["spec"]["group"] == "hyperscout.io"])
        await rig.join()
        stop = asyncio.Event()
        with volcano:
            async with asyncio.TaskGroup() as group:
                group.create_task(run_controller(controlling, QUICK, stop, looked=rig.watched.note))
                group.create_task(run_scheduler(scheduling, SchedulerSettings(), stop))
                try:
                    yield rig
                finally:
                    stop.set()


def mighty(plane: ControlPlane, name: str) -> Account:
    """A ServiceAccount that may do everything: what it did is told apart in the audit log."""
    made = account(plane, "hyperscout-system", name)
    binding = {
        "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"kind": "ServiceAccount", "namespace": made.namespace, "name": made.name}],
    }
    plane.ask("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", binding)
    return made


def _for(scheduler: str, pod: Body) -> Body:
    return {**pod, "spec": {**pod["spec"], "schedulerName": scheduler}}


def _node(name: str) -> Body:
    return {
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}},
        "status": {"allocatable": RESOURCES, "capacity": RESOURCES},
    }
