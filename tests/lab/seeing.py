"""What agents and sweeps see of a lab's fabric, by the product's own probes in the namespaces of its machines."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from agent.node.assembling import assemble
from agent.node.evidence import LLDP, NETLINK, SYSFS
from agent.node.judging import Standing, judge_node
from agent.node.probes import Probes, ProbeSettings
from agent.sweeper.ethernet.concluding import peers_of
from agent.sweeper.ethernet.reader import Ethernet, EthernetReader
from discovery.health import Thresholds
from discovery.reports import COMPLETE, NodeReport, SweepReport, SwitchReport
from discovery.snmp import Target
from discovery.source import Fixture
from tests.lab.fabric import Fabric
from tests.lab.namespaces import PATIENCE
from tests.lab.switching import COMMUNITY, PORT


async def node_reports(fabric: Fabric, neighbours: int = 1) -> dict[str, NodeReport]:
    """Of every host, once it hears so many neighbours."""
    listening: dict[str, Probes] = {}
    try:
        for name in fabric.hosts:
            listening[name] = await _listen(fabric, name)
        return {name: await _report(fabric, name, probes, neighbours) for name, probes in listening.items()}
    finally:
        for probes in listening.values():
            probes.close()


async def _listen(fabric: Fabric, host: str) -> Probes:
    settings = ProbeSettings(enabled=(SYSFS, NETLINK, LLDP), sysfs=fabric.sysfs(host))
    with fabric.hosts[host].entered():
        probes = Probes(settings)
        probes.open()
        await probes.look()
    return probes


async def _report(fabric: Fabric, host: str, probes: Probes, neighbours: int) -> NodeReport:
    listener = probes.listener
    assert listener is not None
    async with asyncio.timeout(PATIENCE):
        while sum(map(len, listener.neighbours().values())) < neighbours:
            await listener.changed()
    with fabric.hosts[host].entered():
        evidence = await probes.look()
    ports, standing = judge_node(evidence, Standing(), Thresholds())
    return assemble(evidence, ports, standing.nvlink).report


async def switch_reports(fabric: Fabric, neighbours: Mapping[str, int]) -> dict[str, SwitchReport]:
    """Of the switches that are named, by object name, once each hears so many neighbours: by sweeps of the station."""
    targets = tuple(Target(fabric.addresses[name], PORT) for name in neighbours)
    secret = Fixture({"snmp/community": COMMUNITY.encode()})
    reader = EthernetReader(Ethernet(targets, fabric="roce"), secret, _Unwatched())
    async with asyncio.timeout(PATIENCE):
        while True:
            with fabric.station.entered():
                sweep = await reader.read({})
            heard = {report.description: len(list(peers_of(report))) for report in sweep.reports.values()}
            if heard == neighbours:
                return dict(sweep.reports)
            await asyncio.sleep(0.1)


class _Unwatched:
    """Nobody looks at the figures of these sweeps."""

    def asked(self, targets: Mapping[str, int], flaws: Mapping[str, int]) -> None: ...

    def judged(self, verdicts: Mapping[str, int]) -> None: ...


def whole_sweep(reports: Iterable[SwitchReport], hosts: int) -> SweepReport:
    """A sweep that reached all of them."""
    now = datetime.now(UTC)
    return SweepReport(sequence=1, start=now, end=now, outcome=COMPLETE, switches=len(list(reports)), hosts=hosts)
