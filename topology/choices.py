"""Which fabric makes a host's tree where it has ports in several: the one that made it so far, else the fastest.

A choice is for all hosts of a kind (ports in the same fabrics), so one host's lost port moves nobody. It is kept by the
switches of the tree that stands: a faster fabric that appears beside it takes over nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
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
    making: frozenset[int] = frozenset()
    """Those of them that make trees because they did."""


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
    several = list(kinds)
    made = _keep(chosen, _stands_today(kept, graph, fabric_of_switch, kind_of_host), several)
    overruled = [number for number, found in enumerate(made) if found != chosen[number]]
    tree_of_host = np.where(kind_of_host >= 0, np.array(made, np.int64)[kind_of_host], -1).astype(np.int32)
    return Choice(
        tree_of_host,
        kept=frozenset().union(*(several[number] for number in overruled)),
        making=frozenset(made[number] for number in overruled),
    )


@dataclass(frozen=True, slots=True)
class _Today:
    """A stand in the numbers of today's graph."""

    kinds: Mapping[int, int]
    """Kind of host to how many of its nodes are of it."""
    fabrics: Mapping[int, int]
    """The fabrics that its switches are in now, with how many of them."""
    together: bool

    def tells(self, kind: int, reach: Sequence[frozenset[int]]) -> bool:
        """Whether it stands where that kind chose to be: no others in it, as many, can have drawn it along."""
        able = sum(many for other, many in self.kinds.items() if not reach[other].isdisjoint(self.fabrics))
        return not self.together or 2 * self.kinds[kind] > able

    def follows(self, chosen: Sequence[int]) -> bool:
        """Whether it would stand where it does by these choices."""
        nodes: Counter[int] = Counter()
        for kind, many in self.kinds.items():
            nodes[chosen[kind]] += many
        return min(nodes, key=lambda fabric: (-nodes[fabric], fabric)) in self.fabrics


def _stands_today(
    kept: KeptFabrics, graph: Graph, fabric_of_switch: NDArray[np.int32], kind_of_host: NDArray[np.int64]
) -> list[_Today]:
    """Those of which nodes and switches are still there."""
    fabrics: dict[frozenset[int], Counter[int]] = {stand.switches: Counter() for stand in kept}
    for switch, fabric in zip(graph.switches, fabric_of_switch.tolist(), strict=True):
        for guids, counts in fabrics.items():
            if not guids.isdisjoint(switch.guids):
                counts[fabric] += 1
    kinds = {host.node: kind for host, kind in zip(graph.hosts, kind_of_host.tolist(), strict=True) if kind >= 0}
    found = [
        _Today(Counter(kinds[node] for node in stand.nodes if node in kinds), fabrics[stand.switches], stand.together)
        for stand in kept
    ]
    return [today for today in found if today.kinds and today.fabrics]


def _keep(chosen: NDArray[np.int32], stands: Sequence[_Today], reach: Sequence[frozenset[int]]) -> list[int]:
    """What each kind keeps to: what surely made its trees; else what must have, as its own choice does not explain
    where it stands; else its own choice."""
    made = chosen.tolist()
    sure = _votes(((stand, kind) for stand in stands for kind in stand.kinds if stand.tells(kind, reach)), reach)
    made = [sure.get(kind, own) for kind, own in enumerate(made)]
    odd = [stand for stand in stands if stand.together and not stand.follows(made)]
    likely = _votes(((stand, kind) for stand in odd for kind in stand.kinds if kind not in sure), reach)
    return [likely.get(kind, own) for kind, own in enumerate(made)]


def _votes(told: Iterable[tuple[_Today, int]], reach: Sequence[frozenset[int]]) -> dict[int, int]:
    """By kind of hosts the fabric, among those it has ports in, where most of its nodes stand."""
    votes: dict[int, Counter[int]] = defaultdict(Counter)
    for stand, kind in told:
        for fabric in reach[kind] & stand.fabrics.keys():
            votes[kind][fabric] += stand.kinds[kind] * stand.fabrics[fabric]
    return {kind: max(sorted(counts), key=lambda fabric: counts[fabric]) for kind, counts in votes.items()}
