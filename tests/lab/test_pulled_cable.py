"""A cable that goes is in the NodeReport at once: the real agent process on a host of the lab, no look being due."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from discovery.reports import NodeReport
from kube.client import Client
from kube.connection import connect_to
from kube.embedded.server import EmbeddedServer
from kube.errors import NotFound
from kube.resources import NODE_REPORTS
from tests.cli.processes.child import child
from tests.controller.cluster import Cluster
from tests.discovery.sysfs.adapters import ethernet
from tests.lab.fabric import Fabric, draw_sysfs
from tests.lab.namespaces import PATIENCE, Lab, laid
from tests.lab.speaking import Speaker, speak

HOST = "gpu-01"
SETTINGS = {
    "host__node": HOST, "probes__enabled": "sysfs,netlink,lldp",
    "sampling__startSpread": "0", "sampling__period": "3600", "http__staleAfter": "7200",
}  # fmt: skip


@pytest.fixture
def lab() -> Iterator[Lab]:
    with laid() as one:
        yield one


async def test_a_deleted_veth_is_in_the_report_long_before_the_next_look(lab: Lab, tmp_path: Path) -> None:
    """The API server listens on the loopback address of the host, where its agent finds it."""
    fabric = Fabric(lab, lab.machine("nms"))
    host, leaf = lab.machine(HOST), lab.machine("leaf-01")
    fabric.hosts[HOST] = host
    lab.cable((host, "eth0"), (leaf, "swp1"))
    lab.cable((host, "eth1"), (leaf, "swp2"))
    draw_sysfs(fabric, HOST, ethernet("mlx5_0", "eth0") | ethernet("mlx5_1", "eth1"))
    speak(lab, leaf, Speaker("leaf-01"))
    with host.entered():
        async with EmbeddedServer() as server, Client(connect_to(server.url, server.token)) as client:
            await Cluster(server, client, []).install()
            kubeconfig = tmp_path / "kubeconfig"
            kubeconfig.write_text(server.kubeconfig())
            async with child(kubeconfig, "agent", host__sysfsRoot=str(fabric.sysfs(HOST)), **SETTINGS):
                await reported(client, lambda report: set(neighbours(report)) == {"eth0", "eth1"})
                lab.unplug(leaf, "swp2")
                after = await reported(client, lambda report: set(neighbours(report)) == {"eth0"})
                assert neighbours(after) == {"eth0": ["leaf-01"]}
                lab.unplug(leaf, "swp1")
                await reported(client, lambda report: not neighbours(report))


def neighbours(report: NodeReport) -> dict[str, list[str | None]]:
    """Who is heard on each interface with anybody."""
    return {one.name: [heard.systemName for heard in one.neighbours] for one in report.interfaces if one.neighbours}


async def reported(client: Client, holds: Callable[[NodeReport], bool]) -> NodeReport:
    """The host's report, once it is so."""
    async with asyncio.timeout(3 * PATIENCE):
        while True:
            try:
                found = (await client.get(NODE_REPORTS, HOST)).spec
            except NotFound:
                found = NodeReport()
            if holds(found):
                return found
            await asyncio.sleep(0.02)
