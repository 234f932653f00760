"""What holds for every conclusion, whatever was concluded from: checked by the rules of the tree, not by the code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from discovery.scan import LinkColumns, NodeColumns, Scan
from topology.conclude import Conclusion
from topology.hierarchy import HyperNode
from topology.synth.draws import draw, shuffle


def broken_rules(conclusion: Conclusion, nodes: Collection[str]) -> list[str]:
    """Every rule of the tree that is broken, in words. `nodes`: all that have to be placed, or be said not to be."""
    tree = conclusion.hierarchy.hyper_nodes
    return [*_shape(tree), *_fabrics(conclusion), *_membership(conclusion, nodes)]


def _shape(tree: Collection[HyperNode]) -> list[str]:
    by_name = {node.name: node for node in tree}
    broken = [f"{name} is there {times} times" for name, times in Counter(n.name for n in tree).items() if times > 1]
    listed = Counter(child for node in tree for child in node.children)
    seen: set[str] = set()
    for node in tree:
        broken += [f"{child} comes after its parent" for child in node.children if child not in seen]
        seen.add(node.name)
        if listed[node.name] != (node.parent is not None):
            broken.append(f"{node.name} is listed {listed[node.name]} times, its parent is {node.parent}")
        if node.parent is not None and node.name not in by_name[node.parent].children:
            broken.append(f"{node.parent} does not list {node.name}")
        broken += [f"{child} is not below {node.name}" for child in node.children if by_name[child].tier >= node.tier]
        broken += [f"{child} is of another fabric" for child in node.children if by_name[child].fabric != node.fabric]
        below = sorted(host for child in node.children for host in by_name[child].nodes)
        if node.children and list(node.nodes) != below:
            broken.append(f"{node.name} holds other nodes than its children")
        if not node.nodes:
            broken.append(f"{node.name} is empty")
    return broken


def _fabrics(conclusion: Conclusion) -> list[str]:
    """One root a fabric, the same tiers on every way down, one tier that is the lowest of all."""
    tree = conclusion.hierarchy.hyper_nodes
    by_name = {node.name: node for node in tree}
    lowest = {node.tier for node in tree if not node.children}
    broken = [f"nodes stand in several tiers, {sorted(lowest)}"] if len(lowest) > 1 else []
    ways: dict[str, set[tuple[int, ...]]] = {}
    for node in tree:
        if not node.children:
            tiers, at = [node.tier], node
            while at.parent is not None:
                at = by_name[at.parent]
                tiers.append(at.tier)
            ways.setdefault(node.fabric, set()).add(tuple(tiers))
    broken += [
        f"{fabric} is not everywhere of one depth: {sorted(found)}" for fabric, found in ways.items() if len(found) > 1
    ]
    roots = Counter(node.fabric for node in tree if node.parent is None)
    broken += [f"{fabric} has {times} roots" for fabric, times in roots.items() if times > 1]
    names = {fabric.name for fabric in conclusion.structure.fabrics}
    broken += [f"{node.name} is of no fabric" for node in tree if node.fabric not in names]
    tier_of = {(node.tier_name, node.tier) for node in tree}
    if len(tier_of) != len({name for name, _ in tier_of}):
        broken.append(f"one tier name has several numbers: {sorted(tier_of)}")
    return broken


def _membership(conclusion: Conclusion, nodes: Collection[str]) -> list[str]:
    held = Counter((node.tier, host) for node in conclusion.hierarchy.hyper_nodes for host in node.nodes)
    broken = [f"{host} is {times} times in tier {tier}" for (tier, host), times in held.items() if times > 1]
    placed = {host for _, host in held}
    missing = Counter(one.node for one in conclusion.unplaced)
    broken += [f"{host} is unplaced {times} times" for host, times in missing.items() if times > 1]
    broken += [f"{host} is placed and unplaced" for host in placed & missing.keys()]
    broken += [f"{host} is neither placed nor unplaced" for host in set(nodes) - placed - missing.keys()]
    broken += [f"{host} is none of the nodes" for host in (placed | missing.keys()) - set(nodes)]
    return broken


def differences(one: Conclusion, other: Conclusion) -> list[str]:
    """What two conclusions do not both say to an operator."""
    said = [
        Counter(map(repr, (*found.hierarchy.hyper_nodes, *found.anomalies, *found.unplaced))) for found in (one, other)
    ]
    apart = [f"{'-' if sign else '+'} {text}" for sign in (1, 0) for text in (said[1 - sign] - said[sign])]
    if not apart and one.hierarchy != other.hierarchy:
        apart.append("the order of the HyperNodes")
    return apart


def shuffled(scan: Scan, seed: int) -> Scan:
    """The same scan with its nodes and its cables in another order."""
    order = shuffle(seed, "nodes", len(scan.nodes))
    return _picked(scan, order, shuffle(seed, "cables", len(scan.links)), scan.nodes.described, scan.links.reported_by)


def two_views(scan: Scan, seed: int) -> tuple[Scan, Scan]:
    """The same fabric as two scans that overlap: each reached most of the nodes, and every node was reached by one.

    A view has the cables that a reached node tells of; of what was not reached it has its neighbours' word.
    """
    coin = draw(seed, "views", len(scan.nodes)) % np.uint64(3)
    return tuple(_view(scan, coin != missed, seed + number) for number, missed in enumerate((0, 1)))  # type: ignore[return-value]  # two of them


def _view(scan: Scan, reached: NDArray[np.bool_], seed: int) -> Scan:
    links = scan.links
    told = (links.reported_by & (reached[links.a_node] | reached[links.b_node] * 2)).astype(np.uint8)
    rows = np.flatnonzero(told)
    seen = np.flatnonzero(reached | np.isin(np.arange(len(reached)), np.r_[links.a_node[rows], links.b_node[rows]]))
    order = seen[shuffle(seed, "nodes", len(seen))]
    return _picked(scan, order, rows, scan.nodes.described & reached, told)


def _picked(
    scan: Scan,
    nodes: NDArray[np.int64],
    cables: NDArray[np.int64],
    described: NDArray[np.bool_],
    told: NDArray[np.uint8],
) -> Scan:
    """The scan of these nodes and cables, in this order; what is not described keeps GUID, kind and text alone."""
    number = np.full(len(scan.nodes), -1, np.int32)
    number[nodes] = np.arange(len(nodes), dtype=np.int32)
    of, links = scan.nodes, scan.links
    known = described[nodes]
    columns = NodeColumns(
        guid=of.guid[nodes],
        system_guid=np.where(known, of.system_guid[nodes], 0).astype(np.uint64),
        kind=of.kind[nodes],
        vendor_id=np.where(known, of.vendor_id[nodes], 0).astype(np.uint32),
        device_id=np.where(known, of.device_id[nodes], 0).astype(np.uint32),
        port_count=np.where(known, of.port_count[nodes], 0).astype(np.uint16),
        described=known,
        description=tuple(of.description[node] for node in nodes.tolist()),
    )
    a, b = number[links.a_node[cables]], number[links.b_node[cables]]
    a_port, b_port = links.a_port[cables], links.b_port[cables]
    turn = (a > b) | ((a == b) & (a_port > b_port))
    bits = told[cables]
    return replace(
        scan,
        nodes=columns,
        links=LinkColumns(
            a_node=np.where(turn, b, a),
            a_port=np.where(turn, b_port, a_port),
            b_node=np.where(turn, a, b),
            b_port=np.where(turn, a_port, b_port),
            a_port_guid=np.where(turn, links.b_port_guid[cables], links.a_port_guid[cables]),
            b_port_guid=np.where(turn, links.a_port_guid[cables], links.b_port_guid[cables]),
            width=links.width[cables],
            speed=links.speed[cables],
            reported_by=np.where(turn, (bits & 1) << 1 | bits >> 1, bits).astype(np.uint8),
        ),
    )
