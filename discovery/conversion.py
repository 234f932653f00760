"""Between the two forms of a sweep: the columns of a Scan and the reports that are published.

A SwitchReport holds a switch, its cabled ports and what stands at their far ends; so adapters live in the reports of
their switches, and a cable between two adapters is in none. A switch that was only seen as a neighbour gets no report,
for a poor sweep must not overwrite a good one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

import numpy as np

from discovery.descriptions import host_name, switch_model
from discovery.identity import Guid
from discovery.reports import (
    AGGREGATION,
    COMPLETE,
    FAILED,
    HOST,
    MAX_MISSING,
    MAX_REASONS,
    PARTIAL,
    REPORTED_BY_PEER,
    ROUTER,
    SWITCH,
    UP,
    MissingSwitch,
    Peer,
    SweepReport,
    SwitchPort,
    SwitchReport,
    switch_report_name,
)
from discovery.scan import NodeKind, Scan, Speed, spell_guid

PEER_KINDS = {
    NodeKind.SWITCH: SWITCH,
    NodeKind.HOST: HOST,
    NodeKind.ROUTER: ROUTER,
    NodeKind.AGGREGATION: AGGREGATION,
}
BY_A, BY_B = 1, 2
"""The bits of `LinkColumns.reported_by`."""


def switch_reports(scan: Scan, fabric: str | None = None) -> list[SwitchReport]:
    """One report for every switch that the sweep reached."""
    nodes = scan.nodes
    columns = (nodes.guid, nodes.system_guid, nodes.device_id, nodes.port_count, nodes.kind, nodes.described)
    rows = zip(*(column.tolist() for column in columns), nodes.description, strict=True)
    ports = _ports_by_switch(scan)
    return [
        SwitchReport(
            fabric=fabric,
            guid=_guid(guid, scan),
            systemImageGuid=_guid(system, scan),
            description=text,
            model=switch_model(text),
            portCount=port_count or None,
            deviceId=device or None,
            ports=tuple(sorted(ports[node], key=lambda port: port.number)),
        )
        for node, (guid, system, device, port_count, kind, described, text) in enumerate(rows)
        if kind == NodeKind.SWITCH and described
    ]


def report_names(reports: Iterable[SwitchReport]) -> list[str]:
    """The object name of each report of one sweep: by the box, and by the node GUID where that names several."""
    reports = list(reports)
    shared: set[int] = set()
    while True:
        names = [switch_report_name(report, shares_box=row in shared) for row, report in enumerate(reports)]
        count = Counter(names)
        clashing = {row for row, name in enumerate(names) if count[name] > 1} - shared
        if not clashing:
            return names
        shared |= clashing


def sweep_report(
    scan: Scan,
    sequence: int,
    start: datetime,
    end: datetime,
    tool_version: str | None = None,
    missing: Iterable[MissingSwitch] = (),
) -> SweepReport:
    """The sweep as a whole. A sweep that reaches no switch has Failed; one with error lines is Partial.

    Whether a sweep lost too much compared with earlier ones is for the sweeper to say; it knows them.
    """
    switches = int(((scan.nodes.kind == NodeKind.SWITCH) & scan.nodes.described).sum())
    outcome = FAILED if not switches else COMPLETE if scan.complete else PARTIAL
    reasons = [] if scan.complete else [f"line {problem.line}: {problem.reason}" for problem in scan.problems]
    if not switches:
        reasons.insert(0, "no switch was reached: no rights, a wrong M_Key, or the own link is down")
    return SweepReport(
        sequence=sequence,
        start=start,
        end=end,
        outcome=outcome,
        reasons=tuple(reasons[:MAX_REASONS]),
        switches=switches,
        hosts=count_hosts(scan),
        toolVersion=tool_version,
        missing=tuple(missing)[:MAX_MISSING],
    )


def count_hosts(scan: Scan) -> int:
    """Machines by name; an adapter that names none counts as one."""
    hosts = np.flatnonzero(scan.nodes.kind == NodeKind.HOST).tolist()
    return len({host_name(scan.nodes.description[node])[0] or node for node in hosts})


def _guid(number: int, scan: Scan) -> Guid | None:
    spelled = spell_guid(number, scan.spelled)
    return Guid(spelled) if spelled else None


def _ports_by_switch(scan: Scan) -> dict[int, list[SwitchPort]]:
    links, nodes = scan.links, scan.nodes
    kinds, peers = nodes.kind.tolist(), [_peer(scan, node) for node in range(len(nodes))]
    ports: dict[int, list[SwitchPort]] = defaultdict(list)
    a, b = (links.a_node, links.a_port, links.a_port_guid), (links.b_node, links.b_port, links.b_port_guid)
    for near, far, bit in ((a, b, BY_A), (b, a, BY_B)):
        columns = (*near[:2], *far, links.width, links.speed, links.reported_by & bit)
        for node, number, far_node, far_port, far_guid, width, speed, own in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            if kinds[node] != NodeKind.SWITCH or (bit == BY_B and (node, number) == (far_node, far_port)):
                continue
            peer = replace(peers[far_node], port=far_port or None, portGuid=_guid(far_guid, scan))
            port = SwitchPort(
                number=number,
                width=width or None,
                speed=Speed(speed).spelled if speed else None,
                verdict=UP,
                reason=None if own else REPORTED_BY_PEER,
                peer=peer,
            )
            ports[node].append(port)
    return ports


def _peer(scan: Scan, node: int) -> Peer:
    nodes = scan.nodes
    return Peer(
        kind=PEER_KINDS[NodeKind(nodes.kind[node])],
        guid=_guid(int(nodes.guid[node]), scan),
        systemImageGuid=_guid(int(nodes.system_guid[node]), scan),
        description=nodes.description[node],
        deviceId=int(nodes.device_id[node]) or None,
    )
