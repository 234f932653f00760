"""The agent's loop on a drawn node, against the embedded API server."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import pytest

from agent.node.probes import Probes, ProbeSettings
from agent.node.reporting import Spreads
from agent.node.running import LOOKS_AT_ONCE, Agent, AgentSettings, Look
from discovery.health import Thresholds
from discovery.identity import NodeName
from discovery.lldp import Lldpd
from discovery.reports import DOWN, FAILED, FOUND, UP, NodeReport
from kube.client import Client
from kube.connection import connect_to
from kube.crds import crds
from kube.embedded.server import EmbeddedServer
from kube.errors import ApiError, NotFound
from kube.resources import NODE_REPORTS
from tests.discovery.sysfs.adapters import adapter

PATIENCE = 20.0
NODE = NodeName("gpu-1")
PORT = Path("class/infiniband/mlx5_0/ports/1")


@dataclass(slots=True)
class Told:
    """Who is told of looks and writes."""

    looks: list[Look] = field(default_factory=list)
    errors: list[ApiError] = field(default_factory=list)

    def looked(self, look: Look) -> None:
        self.looks.append(look)

    def wrote(self, verb: str, error: ApiError | None, size: int) -> None:
        del verb, size
        self.errors += [] if error is None else [error]


@pytest.fixture
def sysfs(tmp_path: Path) -> Path:
    """Of a node with one adapter."""
    for path, data in adapter("mlx5_0").items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    return tmp_path


@asynccontextmanager
async def running(probes: ProbeSettings, settings: AgentSettings) -> AsyncIterator[tuple[Agent, Client, Told]]:
    async with EmbeddedServer() as server, Client(connect_to(server.url, server.token)) as client:
        headers = {"Authorization": f"Bearer {server.token}"}
        url = f"{server.url}/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        async with aiohttp.ClientSession(headers=headers) as session:
            for definition in crds(cel=False):
                async with session.post(url, json=definition) as answer:
                    assert answer.status == 201
        told, stop = Told(), asyncio.Event()
        agent = Agent(client.connection, Probes(probes), settings, stop, told)
        task = asyncio.create_task(agent.run())
        try:
            yield agent, client, told
        finally:
            stop.set()
            await task
        assert told.errors == []


async def reported(client: Client, holds: Callable[[NodeReport], bool]) -> NodeReport:
    """The node's report, once it is so."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                found = (await client.get(NODE_REPORTS, NODE)).spec
            except NotFound:
                found = NodeReport()
            if holds(found):
                return found
            await asyncio.sleep(0.01)


def seldom(quick: float = 0.02) -> AgentSettings:
    """No look is due by the period as long as a test runs."""
    return AgentSettings(NODE, 3600.0, quick, Spreads(0.0, 0.0), Thresholds(sample_spacing=0.0))


async def test_a_change_is_looked_at_until_it_is_clear_what_it_is(sysfs: Path) -> None:
    async with running(ProbeSettings(("sysfs",), sysfs), seldom()) as (agent, client, _):
        await reported(client, lambda report: [port.verdict for port in report.ports] == [UP])
        (sysfs / PORT / "state").write_text("1: DOWN\n")
        (sysfs / PORT / "phys_state").write_text("2: Polling\n")
        agent.probes.woken.set()
        await reported(client, lambda report: [port.verdict for port in report.ports] == [DOWN])


async def test_a_storm_of_events_makes_a_few_looks(sysfs: Path) -> None:
    async with running(ProbeSettings(("sysfs",), sysfs), seldom()) as (agent, client, told):
        await reported(client, lambda report: bool(report.ports))
        async with asyncio.timeout(PATIENCE):
            while len(told.looks) < LOOKS_AT_ONCE + 1:
                agent.probes.woken.set()
                await asyncio.sleep(0.001)
        began = asyncio.get_running_loop().time()
        while asyncio.get_running_loop().time() < began + 1.0:
            agent.probes.woken.set()
            await asyncio.sleep(0.001)
    assert len(told.looks) <= LOOKS_AT_ONCE + 3


async def test_a_probe_that_hangs_is_told_and_hides_no_other(sysfs: Path, tmp_path: Path) -> None:
    client_of_lldpd = tmp_path / "lldpctl"
    client_of_lldpd.write_text("#!/bin/sh\nexec sleep 60\n")
    client_of_lldpd.chmod(0o755)
    probes = ProbeSettings(
        ("sysfs", "lldpd"), sysfs, lldpd=Lldpd(str(client_of_lldpd), str(tmp_path / "s"), seconds=0.2)
    )
    with closing(socket.socket(socket.AF_UNIX)) as daemon:
        daemon.bind(str(tmp_path / "s"))
        daemon.listen()
        async with running(probes, seldom()) as (_, client, _):
            report = await reported(client, lambda report: len(report.probes) == 2)
    assert [(probe.name, probe.outcome) for probe in report.probes] == [("sysfs", FOUND), ("lldpd", FAILED)]
    assert "gave no answer within 0.2 s" in (report.probes[1].reason or "")
    assert [port.verdict for port in report.ports] == [UP]
