"""The processes on a real kube-apiserver: the demo's story of one gang, with no right more than they ask for."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from cli.demo.gangs import Job, pod_group, pods
from cli.demo.hardware import Hardware
from cli.demo.publishing import ALLOCATABLE, Publisher, create_all
from cli.demo.scenes import RACK, places_of
from cli.ending import LACKING, CommandError
from cli.processes.controller import needs as controller_needs
from cli.processes.preflight import Needs, check
from cli.processes.scheduler import needs as scheduler_needs
from kube.access import Right
from kube.client import Client
from kube.connection import Access, Connection, FixedCredentials
from kube.crds import crds
from kube.requests import Patch, PatchKind
from kube.types import HYPER_NODES, LEASES, NODES, POD_GROUPS, PODS
from tests.cli.processes.child import child
from tests.cluster.control_plane import ControlPlane, Settings
from tests.cluster.fixtures import require
from tests.cluster.test_control_plane import soon
from tests.cluster.tokens import account

NOT_PLAYED = Settings()


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A control plane of this file's own, for a controller looks at all that there is; it knows our kinds."""
    require(*NOT_PLAYED.programs)
    with ControlPlane(tmp_path_factory.mktemp("processes"), NOT_PLAYED) as plane:
        define(plane)
        yield plane


def client_of(plane: ControlPlane, token: str) -> Client:
    access = Access({"Authorization": f"Bearer {token}"}, plane.tls())
    return Client(Connection(plane.url, FixedCredentials(access)))


def define(plane: ControlPlane) -> None:
    """Our kinds, served."""
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    for definition in crds():
        assert plane.ask("POST", path, definition).status == 201
    for definition in crds():
        group, plural = definition["spec"]["group"], definition["spec"]["names"]["plural"]
        version = definition["spec"]["versions"][0]["name"]
        soon(partial(serves, plane, f"/apis/{group}/{version}/{plural}"), plane)


def serves(plane: ControlPlane, path: str) -> bool:
    return plane.ask("GET", path).status == 200


async def join(client: Client, nodes: Sequence[str]) -> None:
    """Nodes that are Ready and have room; the server takes no status at a creation."""
    await create_all(client, NODES, [{"metadata": {"name": name}} for name in nodes])
    ready = {"type": "Ready", "status": "True", "reason": "Played", "message": "by the test"}
    room = Patch(
        {"status": {"allocatable": dict(ALLOCATABLE), "conditions": [ready]}}, PatchKind.STRATEGIC, "", "status"
    )
    await asyncio.gather(*(client.patch(NODES, name, room) for name in nodes))


async def test_an_account_without_rights_is_told_which_it_lacks(plane: ControlPlane) -> None:
    token = await asyncio.to_thread(lambda: account(plane, "default", "nobody").token())
    async with client_of(plane, plane.token) as client:
        await check(client, controller_needs("default"))
    async with client_of(plane, token) as client:
        with pytest.raises(CommandError, match="not allowed: list nodes, watch nodes, ") as caught:
            await check(client, controller_needs("default"))
    assert caught.value.code == LACKING


async def test_a_gang_is_placed_in_one_rack_of_the_discovered_tree(plane: ControlPlane, tmp_path: Path) -> None:
    wanted = {"controller": controller_needs("default"), "scheduler": scheduler_needs("default")}
    for name, needs in wanted.items():
        token = await asyncio.to_thread(account_with, plane, name, needs)
        (tmp_path / name).write_text(plane.kubeconfig(token))
    async with client_of(plane, plane.token) as client:
        await place_a_gang(client, tmp_path)
        nodes = [pod.spec.node_name for pod in (await client.list(PODS)).items if pod.metadata.labels.get("job")]
        assert (len(nodes), len(set(nodes)), len(places_of(nodes))) == (18, 18, 1)
        assert len((await client.list(HYPER_NODES)).items) == 9
        leases = {found.metadata.name: found.spec.holder_identity for found in (await client.list(LEASES)).items}
        assert (leases["hyperscout-controller"], leases["hyperscout-scheduler"]) == ("", "")


def account_with(plane: ControlPlane, name: str, needs: Needs) -> str:
    """The token of an account that has what a process asks for at its start, and nothing more."""
    made = account(plane, "default", name)
    for cluster_wide in (True, False):
        found = [right for right in needs.rights if cluster_wide is not bool(right.namespace)]
        rules = [rule(right) for right in found]
        kind, inside = ("ClusterRole", "") if cluster_wide else ("Role", "namespaces/default/")
        metadata = {"name": f"{name}-{kind.lower()}"}
        subject = {"kind": "ServiceAccount", "namespace": "default", "name": name}
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": metadata["name"]}
        path = f"/apis/rbac.authorization.k8s.io/v1/{inside}{kind.lower()}"
        assert plane.ask("POST", f"{path}s", {"metadata": metadata, "rules": rules}).status == 201
        binding = {"metadata": metadata, "roleRef": role, "subjects": [subject]}
        assert plane.ask("POST", f"{path}bindings", binding).status == 201
    return made.token()


def rule(right: Right) -> dict[str, list[str]]:
    resource = "/".join(filter(None, (right.resource.plural, right.subresource)))
    names = {"resourceNames": [right.name]} if right.name else {}
    return {"apiGroups": [right.resource.group], "resources": [resource], "verbs": [right.verb]} | names


async def place_a_gang(client: Client, kubeconfigs: Path) -> None:
    """Both processes, from the first report to bound pods and their end; neither is refused anything."""
    hardware, job = Hardware(), Job("training", 18, RACK)
    await join(client, hardware.site.nodes)
    await Publisher(client).publish(hardware.look())
    async with (
        child(kubeconfigs / "controller", "controller", debounce__quiet="0.1") as controller,
        child(kubeconfigs / "scheduler", "scheduler") as scheduler,
    ):
        await controller.said("wrote HyperNode", lambda line: "spine" in line["step"])
        await create_all(client, POD_GROUPS, [pod_group(job)])
        await create_all(client, PODS, pods(job))
        bound = await scheduler.said("bound", lambda line: bool(line["pods"]))
        assert (bound["pods"], bound["not_bound"]) == (18, 0)
        assert await controller.figure('hyperscout_apply_total{action="create",result="done"}') >= 9
        for one in (controller, scheduler):
            assert await one.ask("/readyz") == (200, "ok\n")
            one.send(signal.SIGTERM)
        assert [await controller.ends(), await scheduler.ends()] == [0, 0]
        assert [line for line in (*controller.lines, *scheduler.lines) if "forbidden" in str(line)] == []
