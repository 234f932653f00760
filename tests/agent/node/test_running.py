"""The agent's loop on a drawn node, against the embedded API server."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import aiohttp
import pytest
from structlog.testing import capture_logs

from agent.node.assembling import Assembled, assemble
from agent.node.evidence import Evidence
from agent.node.judging import Standing, judge_node
from agent.node.probes import Probes, ProbeSettings
from agent.node.reporting import Spreads
from agent.node.running import LOOKS_AT_ONCE, Agent, AgentSettings, Look
from discovery.health import Thresholds
from discovery.identity import Guid, NodeName
from discovery.lldp import Lldpd
from discovery.reports import DOWN, FAILED, FOUND, UP, NodeReport, NvLink, Port
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
async def running(
    probes: ProbeSettings, settings: AgentSettings, faults: int = 0
) -> AsyncIterator[tuple[Agent, Client, Told]]:
    """`faults`: how many kinds of them the agent makes."""
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
        assert len(agent.faults) == faults, agent.faults


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
    assert "no answer within 0.2 s" in (report.probes[1].reason or "")
    assert [port.verdict for port in report.ports] == [UP]


async def test_a_fault_at_one_look_ends_nothing_and_is_told_once_with_its_place(
    sysfs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = 3

    def faulty(evidence: Evidence, ports: Sequence[Port], nvlink: NvLink | None) -> Assembled:
        nonlocal left
        if evidence.devices is not None and [port.state for port in ports] == ["Down"] and left:
            left -= 1
            raise UnicodeEncodeError("utf-8", "e\ud800", 1, 2, "surrogates not allowed")
        return assemble(evidence, ports, nvlink)

    monkeypatch.setattr("agent.node.running.assemble", faulty)
    with capture_logs() as logs:
        async with running(ProbeSettings(("sysfs",), sysfs), seldom(), faults=1) as (agent, client, told):
            await reported(client, lambda report: [port.verdict for port in report.ports] == [UP])
            good, looks = agent.report, len(told.looks)
            (sysfs / PORT / "state").write_text("1: DOWN\n")
            (sysfs / PORT / "phys_state").write_text("2: Polling\n")
            async with asyncio.timeout(PATIENCE):
                while left:
                    assert (agent.report, len(told.looks)) == (good, looks)
                    agent.probes.woken.set()
                    await asyncio.sleep(0.01)
            agent.probes.woken.set()
            await reported(client, lambda report: [port.verdict for port in report.ports] == [DOWN])
    told_of = [line for line in logs if line["log_level"] == "error"]
    assert [type(line["exc_info"]) for line in told_of] == [UnicodeEncodeError]
    assert "the last report stays" in told_of[0]["event"]


async def test_a_report_of_before_that_nothing_can_be_concluded_with_is_not_remembered(
    sysfs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(evidence: Evidence, standing: Standing, thresholds: Thresholds) -> tuple[tuple[Port, ...], Standing]:
        if len(standing.ports) > 1:
            raise ValueError("more ports than there were")
        return judge_node(evidence, standing, thresholds)

    monkeypatch.setattr("agent.node.running.judge_node", refusing)
    async with running(ProbeSettings(("sysfs",), sysfs), seldom(), faults=1) as (agent, client, told):
        good = await reported(client, lambda report: bool(report.ports))
        agent.remember(
            replace(good, ports=(replace(good.ports[0], device="mlx5_9", portGuid=Guid("b83fd20300ff0001")),))
        )
        assert agent.report is not None
        assert agent.report.ports == good.ports
        looks = len(told.looks)
        async with asyncio.timeout(PATIENCE):
            while len(told.looks) == looks:
                agent.probes.woken.set()
                await asyncio.sleep(0.01)
