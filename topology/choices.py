"""Which fabric makes a host's tree where it has ports in several: the one that made it so far, else the fastest.

A choice is for all hosts of a kind (ports in the same fabrics), so one host's lost port moves nobody. It is kept by the
switches of the tree that stands: a faster fabric that appears beside it takes over nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discovery.identity import guid_number
from discovery.scan import GIGABITS_PER_LANE, Speed
from topology.columns import counted_pairs, heaviest
from topology.graph import Graph
from topology.hierarchy import HyperNode

GIGABITS = np.array([GIGABITS_PER_LANE[speed] for speed in Speed])


@dataclass(frozen=True, slots=True)
class Stand:
    """Nodes whose trees were made by one fabric so far."""

    switches: frozenset[int]
    """Node GUIDs of switches of that fabric."""
    nodes: frozenset[str]
    together: bool = False
    """An NVLink domain: placed as a whole, by the fabric of most of its nodes."""


KeptFabrics = Sequence[Stand]
"""Every node once."""
NOTHING_KEPT: KeptFabrics = ()


def kept_fabrics(previous: Sequence[HyperNode]) -> list[Stand]:
    """By the switches that the tree that stands is known by, each root with all below it."""
    root: dict[str, str] = {}
    switches: dict[str, set[int]] = defaultdict(set)
    alone: dict[str, set[str]] = defaultdict(set)
    for found in reversed(previous):  # parents first
        top = root[found.name] = root.get(found.parent or "", found.name)
        switches[top].update(guid_number(guid) for guid in found.switch_guids if guid)
        alone[top].update(found.nodes)
    fabric = {top: frozenset(guids) for top, guids in switches.items() if guids}
    kept = []
    for found in previous:
        top = root[found.name]
        if found.tier_name == "nvlink" and top in fabric:
            kept.append(Stand(fabric[top], frozenset(found.nodes), together=True))
            alone[top].difference_update(found.nodes)
    return kept + [Stand(guids, frozenset(alone[top])) for top, guids in fabric.items()]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """By host the fabric that makes its tree (-1: none), and the fabrics about which a standing tree decided."""

    tree_of_host: NDArray[np.int32]
    kept: frozenset[int] = frozenset()


def choose_trees(graph: Graph, fabric_of_switch: NDArray[np.int32], count: int, kept: KeptFabrics) -> Choice:
    """`count` is the number of fabrics."""
    links = graph.host_links
    fabric_of_link = fabric_of_switch[links.switch]
    if count <= 1 or not len(links):
        result = np.full(len(graph.hosts), -1, np.int32)
        result[links.host] = 0
        return Choice(result)
    host, fabric, lanes = counted_pairs(links.host, fabric_of_link, links.width.astype(np.float64))
    fastest = np.zeros(count, np.int64)
    np.maximum.at(fastest, fabric_of_link, links.speed)
    bandwidth = lanes * GIGABITS[fastest[fabric]]
    reach: dict[int, set[int]] = defaultdict(set)
    for owner, where in zip(host.tolist(), fabric.tolist(), strict=True):
        reach[owner].add(where)
    kinds: dict[frozenset[int], int] = {}
    kind_of_host = np.full(len(graph.hosts), -1, np.int64)
    for owner, among in reach.items():
        kind_of_host[owner] = kinds.setdefault(frozenset(among), len(kinds))
    kind, choice, total = counted_pairs(kind_of_host[host].astype(np.int32), fabric.astype(np.int32), bandwidth)
    chosen = heaviest(kind, choice, total, len(kinds))
    kind_of_node = {host.node: kind for host, kind in zip(graph.hosts, kind_of_host.tolist(), strict=True) if host.node}
    reach_of_kind = list(kinds)
    votes = _votes(kept, kind_of_node, reach_of_kind, _fabrics_of(kept, graph, fabric_of_switch))
    overruled: set[int] = set()
    for number, counts in votes.items():
        stays = max(sorted(counts), key=lambda fabric: counts[fabric])
        if stays != chosen[number]:
            overruled |= reach_of_kind[number]
            chosen[number] = stays
    tree_of_host = np.where(kind_of_host >= 0, chosen[kind_of_host], -1).astype(np.int32)
    return Choice(tree_of_host, frozenset(overruled))


def _fabrics_of(
    kept: KeptFabrics, graph: Graph, fabric_of_switch: NDArray[np.int32]
) -> dict[frozenset[int], Counter[int]]:
    """By the switches that a standing tree is known by: the fabrics that they are in now, with how many of them."""
    fabrics: dict[frozenset[int], Counter[int]] = {stand.switches: Counter() for stand in kept}
    for switch, fabric in zip(graph.switches, fabric_of_switch.tolist(), strict=True):
        for guids, found in fabrics.items():
            if not guids.isdisjoint(switch.guids):
                found[fabric] += 1
    return fabrics


def _votes(
    kept: KeptFabrics,
    kind_of_node: Mapping[str, int],
    reach: Sequence[frozenset[int]],
    fabrics: Mapping[frozenset[int], Counter[int]],
) -> dict[int, Counter[int]]:
    """By kind of hosts with ports in several fabrics: those, among them, that made their trees.

    What is placed together tells what a kind chose only where no others in it, as many, could have drawn it along.
    """
    votes: dict[int, Counter[int]] = defaultdict(Counter)
    for stand in kept:
        now = fabrics[stand.switches]
        kinds = Counter(kind_of_node.get(node, -1) for node in stand.nodes)
        able = {kind: many for kind, many in kinds.items() if kind >= 0 and not reach[kind].isdisjoint(now)}
        total = sum(able.values())
        for kind, many in able.items():
            if len(reach[kind]) > 1 and not (stand.together and many <= total - many):
                votes[kind].update({fabric: many * now[fabric] for fabric in reach[kind] & now.keys()})
    return votes
