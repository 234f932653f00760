"""The site on a real control plane: our controller with its own account and policies, and others who write Nodes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from controller.role import Role
from controller.running import run_controller
from controller.settings import ControllerSettings, Debounce, NodeMarks, Times
from kube.client import Client
from kube.connection import Access, Connection, FixedCredentials
from kube.errors import Conflict
from kube.guard import Permit
from kube.requests import Patch, PatchKind
from kube.types import NODES, Body, Node
from tests.cluster.control_plane import ControlPlane
from tests.controller.cluster import Cluster, Watched
from tests.security.installed import RBAC, account_of

PATIENCE = 30.0
Meanwhile = Callable[[], Coroutine[Any, Any, None]]
ROLE = "hyperscout-controller-nodes"
SHORT = Times(report_period=1.0, sweep_period=1.0, node_hold=3600.0, link_hold=0.0)
"""The age of evidence is known after two seconds; three seconds without a heartbeat are too old."""


@dataclass(frozen=True, slots=True)
class Place:
    """A control plane with a site on it; `ours` has no right but those of the controller's account."""

    plane: ControlPlane
    cluster: Cluster
    ours: Client

    async def allow_edits(self, *, allowed: bool) -> None:
        """Bind the role for labels and taints to the controller, or take it away; until it is so."""
        path = f"{RBAC}/clusterrolebindings"
        subject = {"kind": "ServiceAccount", "namespace": "hyperscout-system", "name": "hyperscout-controller"}
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": ROLE}
        body = {"metadata": {"name": ROLE}, "roleRef": role, "subjects": [subject]}
        if allowed:
            await asyncio.to_thread(self.plane.ask, "POST", path, body)
        else:
            await asyncio.to_thread(self.plane.ask, "DELETE", f"{path}/{ROLE}")
        token = account_of(self.plane, "hyperscout-controller").token()
        node = f"/api/v1/nodes/{self.cluster.site.nodes[0]}"

        async def so() -> bool:
            answer = await asyncio.to_thread(self.plane.ask, "GET", node, None, token)
            return (answer.status == 200) is allowed

        await until(so)

    def before_each_write(self, changes: list[Callable[[Body], object]], name: str) -> Client:
        """A client before each of whose writes one of these changes of a Node is made by somebody else."""

        def allowed() -> bool:
            if changes:
                document = self.plane.ask("GET", f"/api/v1/nodes/{name}").body
                changes.pop(0)(document)
                assert self.plane.ask("PUT", f"/api/v1/nodes/{name}", document).status == 200
            return True

        return self.cluster.client.guarded(Permit(allowed))

    def writes(self, after: int) -> list[tuple[str, str, str]]:
        """What our account changed since the audit log was of that size: verb, kind and name."""
        user = account_of(self.plane, "hyperscout-controller").user
        return [
            (found.verb, "/".join(filter(None, (found.resource, found.subresource))), found.name)
            for found in self.plane.audit.requests(user, after=after)
            if found.writes
        ]


@asynccontextmanager
async def place(plane: ControlPlane) -> AsyncIterator[Place]:
    """Clients of the administrator and of the controller's account."""
    token = await asyncio.to_thread(account_of(plane, "hyperscout-controller").token)
    async with client_of(plane, plane.token) as admin, client_of(plane, token) as ours:
        yield Place(plane, Cluster(None, admin, []), ours)


def client_of(plane: ControlPlane, token: str) -> Client:
    access = Access({"Authorization": f"Bearer {token}"}, plane.tls())
    return Client(Connection(plane.url, FixedCredentials(access)))


@asynccontextmanager
async def controller(where: Place, marks: NodeMarks, times: Times = SHORT) -> AsyncIterator[Watched]:
    """Our controller at work with its own account; on leaving it has ended."""
    watched, stop, site = Watched(), asyncio.Event(), where.cluster
    settings = ControllerSettings(debounce=Debounce(quiet=0.05, longest=0.5), times=times, nodes=marks)
    task = asyncio.create_task(run_controller(where.ours, settings, stop, lambda: site.now, watched.note, Role()))
    try:
        yield watched
    finally:
        stop.set()
        async with asyncio.timeout(PATIENCE):
            await task


async def until(holds: Callable[[], Coroutine[Any, Any, bool]], meanwhile: Meanwhile | None = None) -> None:
    """Wait until it holds, and do something between two looks."""
    async with asyncio.timeout(PATIENCE):
        while not await holds():
            await (meanwhile() if meanwhile is not None else asyncio.sleep(0.1))


@dataclass(slots=True)
class Rival:
    """Somebody who changes a taint, a condition and a label of all Nodes, over and over; the last accepted turns."""

    client: Client
    names: list[str]
    counts: dict[str, int] = field(default_factory=dict)
    ended: bool = False

    async def run(self) -> None:
        """Until `ended`; what is under way then is finished."""
        turn = 0
        while not self.ended:
            turn += 1
            await asyncio.gather(*(self._turn(name, turn) for name in self.names))

    async def _turn(self, name: str, turn: int) -> None:
        """Read, change, write: whoever was faster is not overwritten, and nobody should overwrite us."""
        document = await self.client.get_document(NODES, name)
        others = [found for found in document["spec"].get("taints") or [] if found["key"] != TAINT]
        taint = {"key": TAINT, "value": str(turn), "effect": "NoSchedule", "timeAdded": "2026-01-01T00:00:00Z"}
        document["spec"]["taints"] = [taint, *others] if turn % 2 else [*others, taint]
        document["metadata"].setdefault("labels", {})["rival.test/turn"] = str(turn)
        try:
            await self.client.replace(NODES, document)
        except Conflict:
            return
        condition = {"type": "Rival", "status": "True", "reason": "Turn", "message": str(turn)}
        body = {"status": {"conditions": [condition]}}
        await self.client.patch(NODES, name, Patch(body, PatchKind.STRATEGIC, "", "status"))
        self.counts[name] = turn


TAINT = "rival.test/busy"


def turns(node: Node) -> tuple[int, int, int]:
    """The turn that the rival's taint, condition and label tell; 0 without one."""
    taint = next((found.value for found in node.spec.taints if found.key == TAINT), "0")
    condition = node.condition("Rival")
    return (
        int(taint),
        int(condition.message) if condition is not None else 0,
        int(node.metadata.labels.get("rival.test/turn", "0")),
    )
