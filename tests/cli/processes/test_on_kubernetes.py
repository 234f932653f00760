"""The processes on a real kube-apiserver: the demo's story of one gang, under the accounts and policies of deploy/."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from cli.demo.gangs import Job, pod_group, pods
from cli.demo.hardware import Hardware
from cli.demo.publishing import ALLOCATABLE, Publisher, create_all
from cli.demo.scenes import RACK, places_of
from cli.ending import LACKING, CommandError
from cli.processes.controller import needs as controller_needs
from cli.processes.preflight import check
from kube.client import Client
from kube.connection import Access, Connection, FixedCredentials
from kube.requests import Patch, PatchKind
from kube.types import HYPER_NODES, LEASES, NODES, POD_GROUPS, PODS
from tests.cli.processes.child import PATIENCE, child
from tests.cluster.control_plane import ControlPlane, Settings
from tests.cluster.fixtures import require
from tests.cluster.programs import KUBECTL
from tests.cluster.tokens import account
from tests.security.installed import account_of, grant, install
from tests.security.manifests import SYSTEM

NOT_PLAYED = Settings()
MARKS = {"nodes__labels": "hyperscout,topograph", "nodes__taint": "NoSchedule"}
"""So that the controller writes all that it can write to Nodes."""


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A control plane of this file's own, for a controller looks at all that there is; it knows our kinds."""
    require(*NOT_PLAYED.programs, KUBECTL)
    with ControlPlane(tmp_path_factory.mktemp("processes"), NOT_PLAYED) as plane:
        install(plane)
        yield plane


def client_of(plane: ControlPlane, token: str) -> Client:
    access = Access({"Authorization": f"Bearer {token}"}, plane.tls())
    return Client(Connection(plane.url, FixedCredentials(access)))


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
    grant(plane, "hyperscout-controller-nodes", account_of(plane, "hyperscout-controller"))
    for name in ("controller", "scheduler"):
        token = account_of(plane, f"hyperscout-{name}").token()
        (tmp_path / name).write_text(plane.kubeconfig(token, SYSTEM))
    async with client_of(plane, plane.token) as client:
        await place_a_gang(client, tmp_path)
        nodes = [pod.spec.node_name for pod in (await client.list(PODS)).items if pod.metadata.labels.get("job")]
        assert (len(nodes), len(set(nodes)), len(places_of(nodes))) == (18, 18, 1)
        assert len((await client.list(HYPER_NODES)).items) == 9
        leases = {found.metadata.name: found.spec.holder_identity for found in (await client.list(LEASES)).items}
        assert (leases["hyperscout-controller"], leases["hyperscout-scheduler"]) == ("", "")


async def place_a_gang(client: Client, kubeconfigs: Path) -> None:
    """Both processes, from the first report to bound pods and their end; neither is refused anything."""
    hardware, job = Hardware(), Job("training", 18, RACK)
    await join(client, hardware.site.nodes)
    await Publisher(client).publish(hardware.look())
    async with (
        child(
            kubeconfigs / "controller", "controller", cluster__namespace=SYSTEM, debounce__quiet="0.1", **MARKS
        ) as controller,
        child(kubeconfigs / "scheduler", "scheduler", cluster__namespace=SYSTEM) as scheduler,
    ):
        await controller.said("wrote HyperNode", lambda line: "spine" in line["step"])
        await create_all(client, POD_GROUPS, [pod_group(job)])
        await create_all(client, PODS, pods(job))
        bound = await scheduler.said("bound", lambda line: bool(line["pods"]))
        assert (bound["pods"], bound["not_bound"]) == (18, 0)
        assert await controller.figure('hyperscout_apply_total{action="create",result="done"}') >= 9
        await some_labelled(client)
        for one in (controller, scheduler):
            assert await one.ask("/readyz") == (200, "ok\n")
            one.send(signal.SIGTERM)
        assert [await controller.ends(), await scheduler.ends()] == [0, 0]
        assert [line for line in (*controller.lines, *scheduler.lines) if "forbidden" in str(line)] == []


async def some_labelled(client: Client) -> None:
    """Return once nodes carry the name of their row, under our key and under topograph's."""
    async with asyncio.timeout(PATIENCE):
        while True:
            labels = [node.metadata.labels for node in (await client.list(NODES)).items]
            ours = [found for found in labels if "hyperscout.io/leaf" in found]
            if ours:
                break
            await asyncio.sleep(0.1)
    assert [one for one in ours if one["network.topology.nvidia.com/leaf"] != one["hyperscout.io/leaf"]] == []
