"""`hyperscout agent` as a process: its report follows the node, and an API server that is away does not end it."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from discovery.reports import DOWN, FOUND, UP
from kube.client import Client
from kube.embedded.server import EmbeddedServer
from kube.errors import NotFound
from kube.resources import NODE_REPORTS
from kube.types import NodeReportObject
from tests.architecture.sources import ROOT
from tests.cli.processes.child import PATIENCE, Child, child
from tests.cli.processes.conftest import Raised

PORT = Path("class/infiniband/mlx5_0/ports/1")
HEALTHY = {"state": "4: ACTIVE", "phys_state": "5: LinkUp", "rate": "400 Gb/sec (4X NDR)", "link_layer": "InfiniBand"}
QUICK = {
    "sampling__period": "0.05", "sampling__startSpread": "0", "sampling__changeSpread": "0",
    "health__sampleSpacing": "0",
    "probes__enabled": "sysfs,netlink,lldp,lldpd",
}  # fmt: skip


@pytest.fixture
def sysfs(tmp_path: Path) -> Path:
    """The sysfs of a node with one adapter, and a boot id."""
    (tmp_path / PORT / "gids").mkdir(parents=True)
    for name, text in HEALTHY.items():
        (tmp_path / PORT / name).write_text(text + "\n")
    (tmp_path / PORT / "gids/0").write_text("fe80:0000:0000:0000:b83f:d203:00ab:cd12\n")
    (tmp_path / PORT.parent.parent / "node_guid").write_text("b83f:d203:00ab:cd10\n")
    (tmp_path / "proc/sys/kernel/random").mkdir(parents=True)
    (tmp_path / "proc/sys/kernel/random/boot_id").write_text("5b1c\n")
    return tmp_path


def settings(sysfs: Path) -> dict[str, str]:
    return QUICK | {"host__node": "gpu-node-1", "host__sysfsRoot": str(sysfs), "host__procRoot": str(sysfs / "proc")}


async def reported(client: Client, holds: Callable[[NodeReportObject], bool]) -> NodeReportObject:
    """The node's report, once it is so."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                found = await client.get(NODE_REPORTS, "gpu-node-1")
            except NotFound:
                await asyncio.sleep(0.02)
                continue
            if holds(found):
                return found
            await asyncio.sleep(0.02)


async def ready(agent: Child) -> None:
    """Wait until its report stands, as far as it knows itself."""
    async with asyncio.timeout(PATIENCE):
        while True:
            if await agent.ask("/readyz") == (200, "ok\n"):
                return
            await asyncio.sleep(0.02)


def verdict_is(verdict: str) -> Callable[[NodeReportObject], bool]:
    return lambda found: [port.verdict for port in found.spec.ports] == [verdict]


async def test_the_report_follows_the_node_and_is_left_alone_while_nothing_changes(raised: Raised, sysfs: Path) -> None:
    client = raised.cluster.client
    async with child(raised.kubeconfig, "agent", **settings(sysfs)) as agent:
        first = await reported(client, verdict_is(UP))
        assert first.spec.bootId == "5b1c"
        assert [probe.name for probe in first.spec.probes] == ["sysfs", "netlink", "lldp", "lldpd"]
        assert first.spec.probes[0].outcome == FOUND
        assert (first.spec.ports[0].nodeGuid, first.spec.ports[0].portGuid) == ("b83fd20300abcd10", "b83fd20300abcd12")
        await ready(agent)
        assert (await agent.said("the NodeReport is written"))["name"] == "gpu-node-1"
        assert await agent.figure('hyperscout_probe_success{probe="sysfs"}') == 1
        assert await agent.figure('hyperscout_probe_outcome{outcome="Found",probe="sysfs"}') == 1
        assert await agent.figure('hyperscout_probe_outcome{outcome="Absent",probe="sysfs"}') == 0
        assert await agent.figure('hyperscout_apply_total{action="apply",result="done"}') == 1
        (sysfs / PORT / "phys_state").write_text("2: Polling\n")
        (sysfs / PORT / "state").write_text("1: DOWN\n")
        down = await reported(client, verdict_is(DOWN))
        assert down.spec.ports[0].lastUp is not None
        agent.send(signal.SIGTERM)
        assert await agent.ends() == 0
    async with child(raised.kubeconfig, "agent", **settings(sysfs)) as restarted:
        await restarted.said("started")
        await ready(restarted)
        again = await reported(client, verdict_is(DOWN))
        assert again.spec.ports[0].lastUp == down.spec.ports[0].lastUp


async def test_a_cluster_without_the_kind_is_told_and_waited_for(tmp_path: Path, sysfs: Path) -> None:
    async with EmbeddedServer() as server:
        kubeconfig = tmp_path / "kubeconfig"
        kubeconfig.write_text(server.kubeconfig())
        async with child(kubeconfig, "agent", **settings(sysfs)) as agent:
            line = await agent.said("the NodeReport is refused")
            assert "check the name, and that the CustomResourceDefinition of the kind is installed" in line["error"]
            assert await agent.ask("/healthz") == (200, "ok\n")
            code, why = await agent.ask("/readyz")
            assert (code, why.startswith("the report is not written yet: cannot apply NodeReport")) == (503, True), why
            agent.send(signal.SIGTERM)
            assert await agent.ends() == 0


def test_the_process_loads_neither_numpy_nor_the_official_client() -> None:
    code = "import sys, cli.main, cli.processes.agent; print({'numpy', 'kubernetes'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "set()"


async def test_an_api_server_that_is_away_is_told_long_before_the_first_write(tmp_path: Path, sysfs: Path) -> None:
    async with EmbeddedServer() as server:
        kubeconfig = tmp_path / "kubeconfig"
        kubeconfig.write_text(server.kubeconfig())
    patient = settings(sysfs) | {"sampling__startSpread": "3600"}
    async with child(kubeconfig, "agent", **patient) as agent:
        line = await agent.said("the API server does not answer; it is asked again")
        assert (line["level"], line["server"].startswith("http://127.0.0.1:")) == ("warning", True)
        agent.send(signal.SIGTERM)
        assert await agent.ends() == 0
