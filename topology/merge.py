"""From scans to one graph: nodes joined by GUID, cables by their ends; adapters become hosts, boxes become switches.

Several scans may be planes, subnets, or one fabric seen from two ports; a cable that two of them saw is one cable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from discovery.descriptions import switch_name
from discovery.scan import LinkColumns, NodeColumns, NodeKind, Scan, spell_guid
from topology.columns import connected_components
from topology.graph import AdapterColumns, Graph, HostLinkColumns, Switch, TrunkColumns
from topology.hosts import Adapter, Hosts, gather_hosts


def merge(
    scans: Sequence[Scan], node_names: frozenset[str] | None = None, claims: Mapping[int, str] | None = None
) -> Graph:
    """Merge all scans of one link layer. `node_names` and `claims` (port GUID to node) say which hosts are Nodes."""
    nodes, links = join_scans(scans)
    spelled = {number: text for scan in scans for number, text in (scan.spelled or {}).items()}
    switch_of_node, switches = _switches(nodes, links)
    adapter_of_node = _number(nodes.kind == NodeKind.HOST)
    trunks = _trunks(nodes, links, switch_of_node)
    host_links = _host_links(nodes, links, switch_of_node, adapter_of_node)
    gathered, adapters = _adapters(nodes, host_links, adapter_of_node, node_names, claims or {})
    return Graph(
        link_layer="infiniband",
        switches=switches,
        hosts=gathered.hosts,
        adapters=adapters,
        host_links=_with_hosts(host_links, adapters),
        trunks=trunks,
        component=connected_components(len(switches), trunks.a, trunks.b),
        complete=all(scan.complete for scan in scans),
        duplicate_names=gathered.duplicates,
        unplaced=gathered.unplaced,
        spelled=spelled or None,
    )


def join_scans(scans: Sequence[Scan]) -> tuple[NodeColumns, LinkColumns]:
    """One table of nodes and one of links for all scans; a node is known by its GUID, a link by its two ends."""
    if len(scans) == 1:
        return scans[0].nodes, scans[0].links
    if not scans:
        raise ValueError("no scan to conclude from")
    guids = np.concatenate([scan.nodes.guid for scan in scans])
    described = np.concatenate([scan.nodes.described for scan in scans])
    first, number = _first_of_each(guids, described)
    columns = [
        np.concatenate([getattr(scan.nodes, column) for scan in scans])[first]
        for column in ("system_guid", "kind", "vendor_id", "device_id", "port_count")
    ]
    texts = [text for scan in scans for text in scan.nodes.description]
    nodes = NodeColumns(
        guids[first], columns[0], columns[1], columns[2], columns[3], columns[4],
        described[first], tuple(texts[row] for row in first.tolist()),
    )  # fmt: skip
    return nodes, _join_links(scans, number)


def _first_of_each(
    guids: NDArray[np.uint64], described: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Rows to keep (a described one before a neighbour's word), and for each row the number of its node."""
    identity = guids.copy()
    unknown = identity == 0
    identity[unknown] = np.uint64(2**64 - 1) - np.arange(unknown.sum(), dtype=np.uint64)  # no identity: each its own
    order = np.lexsort((~described, identity))
    distinct, start, inverse = np.unique(identity[order], return_index=True, return_inverse=True)
    number = np.empty(len(guids), np.int32)
    number[order] = inverse
    kept = order[start]
    rank = np.argsort(np.argsort(kept))  # nodes keep the order in which they were first read
    position = np.empty(len(distinct), np.int64)
    position[rank] = kept
    return position, rank[number].astype(np.int32)


def _join_links(scans: Sequence[Scan], number: NDArray[np.int32]) -> LinkColumns:
    offsets = np.cumsum([0] + [len(scan.nodes) for scan in scans[:-1]])
    a = np.concatenate([number[scan.links.a_node + offset] for scan, offset in zip(scans, offsets, strict=True)])
    b = np.concatenate([number[scan.links.b_node + offset] for scan, offset in zip(scans, offsets, strict=True)])
    rest = {
        column: np.concatenate([getattr(scan.links, column) for scan in scans])
        for column in ("a_port", "b_port", "a_port_guid", "b_port_guid", "width", "speed", "reported_by")
    }
    flip = (a > b) | ((a == b) & (rest["a_port"] > rest["b_port"]))
    a, b = np.where(flip, b, a), np.where(flip, a, b)
    for left, right in (("a_port", "b_port"), ("a_port_guid", "b_port_guid")):
        rest[left], rest[right] = np.where(flip, rest[right], rest[left]), np.where(flip, rest[left], rest[right])
    order = np.lexsort((rest["b_port"], b, rest["a_port"], a))
    ends = np.stack([a, rest["a_port"], b, rest["b_port"]])[:, order]
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = (ends[:, 1:] != ends[:, :-1]).any(axis=0)
    keep = order[fresh]
    return LinkColumns(
        a[keep], rest["a_port"][keep], b[keep], rest["b_port"][keep], rest["a_port_guid"][keep],
        rest["b_port_guid"][keep], rest["width"][keep], rest["speed"][keep], rest["reported_by"][keep],
    )  # fmt: skip


def _number(chosen: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Consecutive numbers for the chosen rows, -1 for the others."""
    return np.where(chosen, np.cumsum(chosen) - 1, -1).astype(np.int32)


def _switches(nodes: NodeColumns, links: LinkColumns) -> tuple[NDArray[np.int32], tuple[Switch, ...]]:
    """Number the switches. ASICs of one box with no cable between them are one switch (the planes of an XDR box)."""
    is_switch = nodes.kind == NodeKind.SWITCH
    rows = np.flatnonzero(is_switch)
    number = _number(is_switch)
    others: dict[int, tuple[int, ...]] = {}
    for lead, members in _planar_boxes(nodes, links, rows):
        number[members] = number[lead]
        others[lead] = tuple(sorted(nodes.guid[members[members != lead]].tolist()))
    used, dense = np.unique(number[rows], return_inverse=True)
    leads = rows[used]
    names = [switch_name(nodes.description[row]) for row in leads.tolist()]
    order = sorted(range(len(leads)), key=lambda lead: (names[lead], int(nodes.guid[leads[lead]])))
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)  # by name, so that no result depends on the order of the input
    number[rows] = rank[dense]
    switches = tuple(
        Switch(
            guid=int(nodes.guid[row]),
            system_guid=int(nodes.system_guid[row]),
            name=name,
            description=nodes.description[row],
            device_id=int(nodes.device_id[row]),
            port_count=int(nodes.port_count[row]),
            other_guids=others.get(row, ()),
        )
        for row, name in ((int(leads[lead]), names[lead]) for lead in order)
    )
    return number, switches


def _planar_boxes(
    nodes: NodeColumns, links: LinkColumns, rows: NDArray[np.int64]
) -> list[tuple[int, NDArray[np.int64]]]:
    system = nodes.system_guid[rows]
    values, counts = np.unique(system[system != 0], return_counts=True)
    boxes = []
    for value in values[counts > 1]:
        members = rows[system == value]
        inside = np.isin(links.a_node, members) & np.isin(links.b_node, members) & (links.a_node != links.b_node)
        if not inside.any():
            boxes.append((int(members[np.argmin(nodes.guid[members])]), members))
    return boxes


def _trunks(nodes: NodeColumns, links: LinkColumns, switch_of_node: NDArray[np.int32]) -> TrunkColumns:
    a, b = switch_of_node[links.a_node], switch_of_node[links.b_node]
    keep = (a >= 0) & (b >= 0)
    return TrunkColumns(
        a=a[keep],
        a_port=links.a_port[keep],
        b=b[keep],
        b_port=links.b_port[keep],
        width=links.width[keep],
        speed=links.speed[keep],
        a_guid=nodes.guid[links.a_node[keep]],
        b_guid=nodes.guid[links.b_node[keep]],
    )


def _host_links(
    nodes: NodeColumns, links: LinkColumns, switch_of_node: NDArray[np.int32], adapter_of_node: NDArray[np.int32]
) -> HostLinkColumns:
    """Cables between an adapter and a switch, whichever end the scan put first. The host column is filled in later."""
    forward = np.flatnonzero((adapter_of_node[links.a_node] >= 0) & (switch_of_node[links.b_node] >= 0))
    backward = np.flatnonzero((switch_of_node[links.a_node] >= 0) & (adapter_of_node[links.b_node] >= 0))

    def both(near: str, far: str) -> NDArray[np.int32]:
        return np.concatenate([getattr(links, near)[forward], getattr(links, far)[backward]])

    adapter = adapter_of_node[both("a_node", "b_node")]
    rows = np.concatenate([forward, backward])
    switch_node = both("b_node", "a_node")
    return HostLinkColumns(
        host=np.full(len(rows), -1, np.int32),
        adapter=adapter,
        adapter_port=both("a_port", "b_port").astype(np.int16),
        port_guid=both("a_port_guid", "b_port_guid").astype(np.uint64),
        switch=switch_of_node[switch_node],
        switch_port=both("b_port", "a_port").astype(np.int16),
        width=links.width[rows],
        speed=links.speed[rows],
        switch_guid=nodes.guid[switch_node],
    )


def _adapters(
    nodes: NodeColumns,
    host_links: HostLinkColumns,
    adapter_of_node: NDArray[np.int32],
    node_names: frozenset[str] | None,
    claims: Mapping[int, str],
) -> tuple[Hosts, AdapterColumns]:
    rows = np.flatnonzero(adapter_of_node >= 0)
    claimed: dict[int, str] = {}
    if claims:
        for adapter, guid in zip(host_links.adapter.tolist(), host_links.port_guid.tolist(), strict=True):
            if guid in claims:
                claimed.setdefault(adapter, claims[guid])
        for adapter, guid in enumerate(nodes.guid[rows].tolist()):  # a one-port HCA: its node GUID is its port's
            if guid in claims:
                claimed.setdefault(adapter, claims[guid])
    descriptions = tuple([nodes.description[row] for row in rows.tolist()])
    gathered = gather_hosts(
        [
            Adapter(text, system, claimed.get(index))
            for index, (text, system) in enumerate(zip(descriptions, nodes.system_guid[rows].tolist(), strict=True))
        ],
        node_names,
    )
    return gathered, AdapterColumns(
        host=np.array(gathered.host_of_adapter, np.int32),
        guid=nodes.guid[rows],
        system_guid=nodes.system_guid[rows],
        device_id=nodes.device_id[rows],
        device=tuple(gathered.device_of_adapter),
        description=descriptions,
    )


def _with_hosts(links: HostLinkColumns, adapters: AdapterColumns) -> HostLinkColumns:
    return replace(links, host=adapters.host[links.adapter] if len(links) else links.host)


def switch_label(graph: Graph, switch: int) -> str:
    """What an operator calls this switch: its name, or its GUID where it has none."""
    found = graph.switches[switch]
    return found.name or spell_guid(found.guid, graph.spelled) or f"switch {switch}"
