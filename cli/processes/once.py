"""`hyperscout agent --once`: what the agent of this host would report, for eyes and scripts; no cluster is asked."""

from __future__ import annotations

import asyncio
import json
import socket

import yaml

from agent.node.assembling import assemble
from agent.node.evidence import LLDP, Evidence
from agent.node.judging import Standing, judge_node
from agent.node.probes import Probes, ProbeSettings, no_interface_matches
from agent.publishing import ReportObject, node_object
from cli.ending import REFUSED
from cli.output import say, write
from discovery.health import Thresholds
from discovery.identity import NodeName
from discovery.reports import FAILED, NodeReport
from discovery.sysfs.interfaces import INTERFACES


def report_once(
    node: NodeName, settings: ProbeSettings, thresholds: Thresholds, *, seconds: float, as_json: bool
) -> int:
    """Print the NodeReport of this host; 1 where a probe Failed, else 0."""
    report, evidence = asyncio.run(look_once(settings, thresholds, seconds))
    document = node_object(node, report)
    write(_json(document) if as_json else _yaml(document))
    if LLDP in settings.enabled:
        say(f"listened for LLDP for {seconds:g} s; most switches send every 30 s: --hear 35 hears them")
    if not report.interfaces and (why := _why_no_interface(evidence, settings)):
        say(f"the report has no network interface: {why}")
    failed = [probe for probe in report.probes if probe.outcome == FAILED]
    for probe in failed:
        say(f"the probe {probe.name} failed: {probe.reason or 'no reason given'}")
    return REFUSED if failed else 0


async def look_once(settings: ProbeSettings, thresholds: Thresholds, seconds: float) -> tuple[NodeReport, Evidence]:
    """After one look of every probe, each within its limit, and `seconds` of listening."""
    probes = Probes(settings)
    probes.open()
    try:
        first = await probes.look()
        await asyncio.gather(probes.settled(), asyncio.sleep(seconds if LLDP in settings.enabled else 0.0))
        last = await probes.look()
    finally:
        probes.close()
    standing = judge_node(first, Standing(), thresholds)[1]
    ports, standing = judge_node(last, standing, thresholds)
    return assemble(last, ports, standing.nvlink).report, last


def _why_no_interface(evidence: Evidence, settings: ProbeSettings) -> str:
    """In words; nothing where nobody looked, or where the look failed."""
    links = evidence.links
    if links is None or not links.fresh:
        return ""
    if not links.evidence:
        seen = len(socket.if_nameindex())
        return f"{seen} are seen from here, and by {settings.sysfs / INTERFACES} none of them is physical"
    if not evidence.counting:
        return no_interface_matches(len(links.evidence), settings.interfaces)
    number = len(evidence.counting)
    return f"of the physical ones that count ({number}) none has an RDMA device or a neighbour that was heard"


def _json(report: ReportObject) -> str:
    return json.dumps(report.document(), indent=2) + "\n"


def _yaml(report: ReportObject) -> str:
    """What neighbours say is hostile input: all but ASCII is escaped."""
    return str(yaml.safe_dump(report.document(), sort_keys=False, width=120))
