"""What agents and sweeps see of a lab's fabric, by the product's own probes in the namespaces of its machines."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from agent.node.assembling import assemble
from agent.node.evidence import LLDP, NETLINK, SYSFS
from agent.node.judging import Standing, judge_node
from agent.node.probes import Probes, ProbeSettings
from discovery.health import Thresholds
from discovery.reports import COMPLETE, NodeReport, SweepReport, SwitchReport, switch_report_name
from discovery.snmp import Bounds, Surroundings, SwitchTables, Target, identity, ports_of, switch_report, walk_switch
from discovery.snmp.credentials import Community
from tests.lab.fabric import Fabric
from tests.lab.namespaces import PATIENCE
from tests.lab.switching import ADDRESS, COMMUNITY, PORT


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
    """Of the switches that are named, by object name, once each hears so many neighbours."""
    tables = {name: await _walked(fabric, name, number) for name, number in neighbours.items()}
    known = frozenset(found for one in tables.values() if (found := identity(one)))
    reports = (switch_report(one, ports_of(one), {}, Surroundings(switches=known)) for one in tables.values())
    return {switch_report_name(report): report for report in reports}


async def _walked(fabric: Fabric, switch: str, neighbours: int) -> SwitchTables:
    async with asyncio.timeout(PATIENCE):
        while True:
            with fabric.switches[switch].entered():
                probed = await walk_switch(Target(ADDRESS, PORT), Community(COMMUNITY), Bounds())
            if probed.found is not None and len(probed.found.remotes) == neighbours:
                return probed.found
            await asyncio.sleep(0.1)


def whole_sweep(reports: Iterable[SwitchReport], hosts: int) -> SweepReport:
    """A sweep that reached all of them."""
    now = datetime.now(UTC)
    return SweepReport(sequence=1, start=now, end=now, outcome=COMPLETE, switches=len(list(reports)), hosts=hosts)
