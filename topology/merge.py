"""From scans to one graph: adapters become hosts, boxes become switches, links become cables of either.

Several scans may be planes, subnets, or one fabric seen from two ports (`topology.joining`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from discovery.descriptions import switch_name
from discovery.scan import LinkColumns, NodeColumns, NodeKind, Scan, spell_guid
from topology.cluster import EVERY_HOST, Cluster
from topology.columns import connected_components
from topology.disputes import Vertices, find_disputes
from topology.graph import AdapterColumns, Graph, HostLinkColumns, Switch, TrunkColumns
from topology.hosts import Adapter, Hosts, gather_hosts
from topology.joining import join_scans


def merge(scans: Sequence[Scan], cluster: Cluster = EVERY_HOST) -> Graph:
    """Merge all scans; `cluster` says which hosts are Nodes."""
    nodes, ethernet, links, words = join_scans(scans)
    spelled = {number: text for scan in scans for number, text in (scan.spelled or {}).items()}
    switch_of_node, switches = _switches(nodes, ethernet, links)
    adapter_of_node = _number(nodes.kind == NodeKind.HOST)
    trunks = _trunks(nodes, links, switch_of_node)
    host_links = _host_links(nodes, links, switch_of_node, adapter_of_node)
    rows = np.flatnonzero(adapter_of_node >= 0)
    by_name = ~ethernet[rows] if cluster.names is not None else np.ones(len(rows), np.bool_)
    gathered, adapters = _adapters(nodes, host_links, (rows, by_name), cluster)
    return Graph(
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
        unswept=_unswept(nodes, switch_of_node, switches),
        disputes=find_disputes(Vertices(nodes.guid, switch_of_node, adapter_of_node), links, words),
    )


def _number(chosen: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Consecutive numbers for the chosen rows, -1 for the others."""
    return np.where(chosen, np.cumsum(chosen) - 1, -1).astype(np.int32)


def _switches(
    nodes: NodeColumns, ethernet: NDArray[np.bool_], links: LinkColumns
) -> tuple[NDArray[np.int32], tuple[Switch, ...]]:
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
            ethernet=bool(ethernet[row]),
        )
        for row, name in ((int(leads[lead]), names[lead]) for lead in order)
    )
    return number, switches


def _unswept(nodes: NodeColumns, switch_of_node: NDArray[np.int32], switches: Sequence[Switch]) -> tuple[int, ...]:
    """Switches none of whose ASICs has a block of its own; of InfiniBand none in a port list, which has no blocks."""
    swept = np.zeros(len(switches), np.bool_)
    infiniband = np.array([not switch.ethernet for switch in switches], np.bool_)
    rows = np.flatnonzero((switch_of_node >= 0) & nodes.described)
    swept[switch_of_node[rows]] = True
    if not (nodes.port_count[rows[infiniband[switch_of_node[rows]]]] > 0).any():
        swept |= infiniband
    return tuple(np.flatnonzero(~swept).tolist())


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
    which: tuple[NDArray[np.int64], NDArray[np.bool_]],
    cluster: Cluster,
) -> tuple[Hosts, AdapterColumns]:
    """`which`: the nodes that are adapters, and of which a name may say which Node has them."""
    rows, by_name = which
    guids = nodes.guid[rows]
    claimed = _claims(guids, host_links, cluster.port_guids)
    descriptions = tuple([nodes.description[row] for row in rows.tolist()])
    gathered = gather_hosts(
        [
            Adapter(text, system, claimed.get(index), named)
            for index, (text, system, named) in enumerate(
                zip(descriptions, nodes.system_guid[rows].tolist(), by_name.tolist(), strict=True)
            )
        ],
        cluster.names,
        cluster.aliases,
    )
    return gathered, AdapterColumns(
        host=np.array(gathered.host_of_adapter, np.int32),
        guid=guids,
        system_guid=nodes.system_guid[rows],
        device_id=nodes.device_id[rows],
        device=tuple(gathered.device_of_adapter),
        description=descriptions,
    )


def _claims(guids: NDArray[np.uint64], links: HostLinkColumns, port_guids: Mapping[int, str]) -> dict[int, str]:
    """By adapter the node that claims a port of it; of two nodes the first by name."""
    claimed: dict[int, str] = {}
    if port_guids:
        seen = zip(links.adapter.tolist(), links.port_guid.tolist(), strict=True)
        for adapter, guid in chain(seen, enumerate(guids.tolist())):  # a one-port HCA: its node GUID is its port's
            node = port_guids.get(guid)
            if node is not None:
                claimed[adapter] = min(node, claimed.get(adapter, node))
    return claimed


def _with_hosts(links: HostLinkColumns, adapters: AdapterColumns) -> HostLinkColumns:
    return replace(links, host=adapters.host[links.adapter] if len(links) else links.host)


def switch_label(graph: Graph, switch: int) -> str:
    """What an operator calls this switch: its name, or its GUID where it has none."""
    found = graph.switches[switch]
    return found.name or spell_guid(found.guid, graph.spelled) or f"switch {switch}"
