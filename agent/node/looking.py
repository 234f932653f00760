"""One look at the node: every probe in turn, and the NodeReport that they make together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

import msgspec

from agent.node.verdicts import Standings, judge
from agent.publishing import compact
from discovery.reports import NodeReport
from discovery.source import Source
from discovery.sysfs import NAME as SYSFS
from discovery.sysfs import read_boot_id, read_devices

MAX_REPORT = 16_000
"""Bytes of the spec as compact JSON."""


@dataclass(frozen=True, slots=True)
class NodeSources:
    """Where a node is looked at."""

    sys: Source
    """Rooted at `/sys`."""
    proc: Source
    """Rooted at `/proc`."""


def look(sources: NodeSources, before: Standings, now: datetime) -> tuple[NodeReport, Standings]:
    """What the node is like at this moment, and what to remember of its ports."""
    devices = read_devices(sources.sys)
    ports, standings = judge(devices.found.ports if devices.found else (), before, now)
    report = NodeReport(ports=ports, probes=(devices.told,), bootId=read_boot_id(sources.proc), heartbeat=now)
    return _bounded(report), standings


def _bounded(report: NodeReport) -> NodeReport:
    """No larger than a report may be: ports beyond that are left out, and told."""
    kept = len(report.ports)
    while kept and _size(replace(report, ports=report.ports[:kept])) > MAX_REPORT:
        kept -= 1
    if kept == len(report.ports):
        return report
    told = f"{len(report.ports)} ports, of which {kept} fit into the report"
    probes = tuple(replace(probe, reason=told) if probe.name == SYSFS else probe for probe in report.probes)
    return replace(report, ports=report.ports[:kept], probes=probes)


def _size(report: NodeReport) -> int:
    return len(msgspec.json.encode(compact(report)))
