"""The real processes: they start, share the work among replicas, survive being frozen, and stop clean and in time."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterable
from pathlib import Path

import pytest
from aiohttp import web

from cli.demo.kinds import NAMESPACES
from cli.processes.running import RELEASE_SECONDS, STOP_SECONDS
from kube.client import Client
from kube.embedded.routes import Routes
from kube.requests import Patch, PatchKind
from kube.resources import LEASES
from kube.types import NODES, POD_GROUPS, PODS
from tests.cli.processes.child import PATIENCE, Child, child
from tests.cli.processes.conftest import Raised, raise_cluster
from tests.cluster.credentials import Credentials

TREE = {"ib-leaf-cf-leaf-001", "ib-leaf-cf-leaf-002", "ib-spine-cf-spine-001"}


async def done(one: Child) -> float:
    """How many of its writes to the API server succeeded."""
    _, text = await one.ask("/metrics")
    samples = [line for line in text.splitlines() if line.startswith("hyperscout_apply_total{") and "done" in line]
    return sum(float(line.rpartition(" ")[2]) for line in samples)


async def test_a_leader_frozen_in_its_plan_past_its_lease_writes_nothing_more_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It freezes while the server creates its first HyperNode; another leads and ends the work; then it is resumed."""
    answer, running, frozen = Routes.answer, list[Child](), asyncio.Event()

    async def freeze(self: Routes, request: web.Request) -> web.StreamResponse:
        response = await answer(self, request)
        if not frozen.is_set() and request.method == "POST" and request.path.endswith("/hypernodes"):
            running[0].send(signal.SIGSTOP)
            frozen.set()
        return response

    monkeypatch.setattr(Routes, "answer", freeze)
    async with (
        raise_cluster(tmp_path) as raised,
        child(raised.kubeconfig, "controller", debounce__quiet="0.05") as leader,
    ):
        running.append(leader)
        async with asyncio.timeout(PATIENCE):
            await frozen.wait()
        assert len(await raised.cluster.hyper_nodes()) == 1
        async with child(raised.kubeconfig, "controller", debounce__quiet="0.05") as other:
            await other.said("nothing is written yet", lambda line: line["why"] == "another replica leads")
            assert (await other.ask("/readyz"), await other.figure("hyperscout_leader")) == ((200, "ok\n"), 0)
            await other.said("leading")
            await other.said("wrote HyperNode", lambda line: "spine" in line["step"])
            leader.send(signal.SIGCONT)
            await leader.said("not leading")
            await leader.said("nothing is written yet", lambda line: line["why"] == "another replica leads")
            assert (await done(leader), await leader.ask("/healthz")) == (1, (200, "ok\n"))
            for one in (leader, other):
                assert await one.figure('hyperscout_domains{ready="true",tier="leaf"}') == 2
            other.send(signal.SIGTERM)
            assert await other.ends() == 0
            await leader.said("leading", lambda line: line["term"] == 2)
        leader.send(signal.SIGTERM)
        assert await leader.ends() == 0
        assert await raised.holder("hyperscout-controller") == ""
        assert set(await raised.cluster.hyper_nodes()) == TREE


async def test_the_controller_and_the_scheduler_place_a_gang_and_stop_in_time(raised: Raised) -> None:
    """Exit code 0 says that nothing had to be cut off."""
    async with (
        child(raised.kubeconfig, "controller", debounce__quiet="0.05") as controller,
        child(raised.kubeconfig, "scheduler", scheduling__debounce="0.01") as scheduler,
    ):
        await controller.said("wrote HyperNode", lambda line: "spine" in line["step"])
        await scheduler.said("scheduling")
        await submit_gang(raised.cluster.client, raised.cluster.site.nodes)
        bound = await scheduler.said("bound")
        assert (bound["pods"], bound["not_bound"], bound["level"], bound["process"]) == (3, 0, "info", "scheduler")
        assert await scheduler.figure('hyperscout_apply_total{action="bind",result="done"}') == 3
        for one in (controller, scheduler):
            one.send(signal.SIGTERM)
        assert [await controller.ends(), await scheduler.ends()] == [0, 0]
    pods = (await raised.cluster.client.list(PODS)).items
    units = [set(hyper_node.spec.members) for hyper_node in (await raised.cluster.hyper_nodes()).values()]
    assert {pod.spec.node_name for pod in pods} in [
        {member.selector.exact_match.name for member in unit if member.selector.exact_match} for unit in units
    ]
    assert [await raised.holder(f"hyperscout-{name}") for name in ("controller", "scheduler")] == ["", ""]


async def submit_gang(client: Client, nodes: Iterable[str]) -> None:
    """Room for a pod on every node, and three pods that must stand inside one leaf."""
    ready = {"type": "Ready", "status": "True", "reason": "Played", "message": "by the test"}
    room = {"allocatable": {"cpu": "8", "pods": "10", "nvidia.com/gpu": "8"}, "conditions": [ready]}
    for node in nodes:
        await client.patch(NODES, node, Patch({"status": room}, PatchKind.STRATEGIC, subresource="status"))
    topology = {"mode": "hard", "highestTierAllowed": 2}
    spec = {"minMember": 3, "networkTopology": topology}
    await client.create(POD_GROUPS, {"metadata": {"name": "gang", "namespace": "default"}, "spec": spec})
    requests = {"cpu": "1", "nvidia.com/gpu": "8"}
    containers = [
        {"name": "main", "image": "registry.test/main:1", "resources": {"requests": requests, "limits": requests}}
    ]
    for number in range(3):
        annotations = {"scheduling.k8s.io/group-name": "gang"}
        metadata = {"name": f"gang-{number}", "namespace": "default", "annotations": annotations}
        pod = {"schedulerName": "hyperscout", "containers": containers}
        await client.create(PODS, {"metadata": metadata, "spec": pod})


async def test_a_stop_cuts_off_what_does_not_end_and_then_keeps_the_lease(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that hangs may still be done by the server, so nobody else may lead before the Lease has run out."""
    assert STOP_SECONDS + RELEASE_SECONDS < 5
    answer, hanging = Routes.answer, asyncio.Event()

    async def hang(self: Routes, request: web.Request) -> web.StreamResponse:
        if request.method == "POST" and request.path.endswith("/hypernodes"):
            hanging.set()
            await asyncio.Event().wait()
        return await answer(self, request)

    monkeypatch.setattr(Routes, "answer", hang)
    async with (
        raise_cluster(tmp_path) as raised,
        child(raised.kubeconfig, "controller", debounce__quiet="0.05") as controller,
    ):
        started = await controller.said("started")
        async with asyncio.timeout(PATIENCE):
            await hanging.wait()
        controller.send(signal.SIGUSR1)  # it stands still, and can be asked why
        await controller.said("task", lambda line: any("Transport._attempt" in call for call in line["waits"]))
        controller.send(signal.SIGTERM)
        assert await controller.ends() == 1
        assert await raised.holder("hyperscout-controller") == started["identity"]
        await controller.said("cut off")


async def test_it_can_be_stopped_while_the_server_keeps_it_waiting_at_the_start(tmp_path: Path) -> None:
    asked = asyncio.Event()

    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.set()
        await reader.read()
        writer.close()

    async with await asyncio.start_server(say_nothing, "127.0.0.1", 0) as server:
        address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        kubeconfig = tmp_path / "kubeconfig"
        kubeconfig.write_text(Credentials(tmp_path).kubeconfig(address, "token").replace("certificate-authority", "x"))
        async with child(kubeconfig, "scheduler") as scheduler:
            async with asyncio.timeout(PATIENCE):
                await asked.wait()
            scheduler.send(signal.SIGINT)
            assert await scheduler.ends() == 0


async def test_a_replica_that_is_started_by_hand_stands_for_the_lease_of_those_that_are_installed(
    raised: Raised,
) -> None:
    """The kubeconfig's context names another namespace."""
    await raised.cluster.client.create(NAMESPACES, {"metadata": {"name": "hyperscout-system"}})
    async with child(raised.kubeconfig, "controller", cluster__namespace="") as one:
        await one.said("leading")
        leases = (await raised.cluster.client.list(LEASES)).items
        assert [(lease.metadata.namespace, lease.metadata.name) for lease in leases] == [
            ("hyperscout-system", "hyperscout-controller")
        ]
