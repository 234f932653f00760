"""From a graph to its structure: fabrics, levels, and the domains of every level with their parents.

`topology.fabrics`, `topology.levels` and `topology.grouping` each answer one question; this module asks them in order.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from topology.columns import counted_pairs
from topology.fabrics import GIGABITS, FabricSplit, split_fabrics
from topology.graph import Graph
from topology.grouping import Grouping, Incidence, group_carriers
from topology.levels import find_levels
from topology.structure import LEAF, Domain, Structure

MESH = 0.2
"""A fabric with this share of switches that have other links within their level is no tree by design."""


@dataclass(slots=True)
class Draft:
    """Domains while they are being made: level by level, so that a parent is known one step after its children."""

    fabric: list[int] = field(default_factory=list)
    level: list[int] = field(default_factory=list)
    switches: list[list[int]] = field(default_factory=list)
    parent: list[int | None] = field(default_factory=list)
    empty: list[bool] = field(default_factory=list)

    def add(self, fabric: int, level: int, switches: list[int], empty: bool) -> int:
        """Append one domain and return its number."""
        self.fabric.append(fabric)
        self.level.append(level)
        self.switches.append(switches)
        self.parent.append(None)
        self.empty.append(empty)
        return len(self.fabric) - 1


def find_structure(graph: Graph) -> Structure:
    """The structure of the graph: what the cables say, whichever hosts are nodes of the cluster."""
    split = split_fabrics(graph)
    level = find_levels(graph)
    draft = Draft()
    domain_of_switch = np.full(len(graph.switches), -1, np.int32)
    shared = np.zeros(len(graph.switches), np.bool_)
    home = np.full((len(split.fabrics), len(graph.hosts)), -1, np.int32)
    for number in range(len(split.fabrics)):
        inside = split.fabric_of_switch == number
        home[number] = _group_leaves(graph, number, inside & (level == LEAF), draft, domain_of_switch, shared)
        for height in range(1, int(level[inside].max(initial=0)) + 1):
            _group_uppers(graph, number, (inside & (level == height), level == height - 1), draft, domain_of_switch)
    return Structure(
        fabrics=split.fabrics,
        fabric_of_switch=split.fabric_of_switch,
        level=level,
        domain_of_switch=domain_of_switch,
        domains=_finish(draft),
        home=home,
        shared=shared,
        mesh=_find_meshes(graph, split, level, domain_of_switch),
        tree_of_host=split.tree_of_host,
    )


def nominal_gigabits(graph: Graph) -> NDArray[np.float64]:
    """By host link: what ports of its kind (device ids at both ends) can do at best, whatever this one does today."""
    links = graph.host_links
    far = np.array([switch.device_id for switch in graph.switches], np.int64)
    kind = graph.adapters.device_id[links.adapter].astype(np.int64) * (int(far.max(initial=0)) + 1) + far[links.switch]
    _, inverse = np.unique(kind, return_inverse=True)
    best = np.zeros(int(inverse.max(initial=-1)) + 1)
    np.maximum.at(best, inverse, np.maximum(links.width, 1) * np.maximum(GIGABITS[links.speed], 1.0))
    return best[inverse]


def _group_leaves(
    graph: Graph,
    fabric: int,
    leaf: NDArray[np.bool_],
    draft: Draft,
    domain_of_switch: NDArray[np.int32],
    shared: NDArray[np.bool_],
) -> NDArray[np.int32]:
    """Group the leaves of one fabric by their hosts; returns the home domain of every host."""
    links = graph.host_links
    rows = leaf[links.switch]
    item, carrier, weight = counted_pairs(links.host[rows], links.switch[rows], nominal_gigabits(graph)[rows])
    known = np.array([host.name is not None or host.node is not None for host in graph.hosts], np.bool_)
    telling = known[item] if len(item) else np.empty(0, np.bool_)
    grouping = group_carriers(Incidence(len(graph.switches), len(graph.hosts), carrier, item, weight, telling))
    first = len(draft.fabric)
    for members in _members(grouping):
        draft.add(fabric, LEAF, members, empty=False)
    placed = grouping.group_of_carrier >= 0
    domain_of_switch[placed] = grouping.group_of_carrier[placed] + first
    shared |= grouping.shared
    for switch in np.flatnonzero(leaf & ~placed & ~grouping.shared).tolist():
        domain_of_switch[switch] = draft.add(fabric, LEAF, [switch], empty=True)
    return np.where(grouping.group_of_item >= 0, grouping.group_of_item + first, -1).astype(np.int32)


def _group_uppers(
    graph: Graph,
    fabric: int,
    masks: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    draft: Draft,
    domain_of_switch: NDArray[np.int32],
) -> None:
    """Group the switches of one level (`masks[0]`) by the domains of the level below (`masks[1]`)."""
    upper, lower = masks
    trunks = graph.trunks
    up = np.concatenate([trunks.a, trunks.b])
    down = np.concatenate([trunks.b, trunks.a])
    rows = upper[up] & lower[down] & (domain_of_switch[down] >= 0)
    carrier, item, weight = counted_pairs(up[rows], domain_of_switch[down[rows]])
    empty = np.array(draft.empty, np.bool_)
    telling = ~empty[item] if len(item) else np.empty(0, np.bool_)
    incidence = Incidence(len(graph.switches), len(draft.fabric), carrier, item, weight, telling)
    grouping = group_carriers(incidence)
    first = len(draft.fabric)
    for members in _members(grouping):
        below = item[np.isin(carrier, members)]
        draft.add(fabric, draft.level[int(below[0])] + 1, members, empty=bool(empty[below].all()))
    placed = grouping.group_of_carrier >= 0
    domain_of_switch[placed] = grouping.group_of_carrier[placed] + first
    for child, group in enumerate(grouping.group_of_item.tolist()):
        if group >= 0:
            draft.parent[child] = group + first


def _members(grouping: Grouping) -> list[list[int]]:
    count = int(grouping.group_of_carrier.max(initial=-1)) + 1
    members: list[list[int]] = [[] for _ in range(count)]
    for carrier, group in enumerate(grouping.group_of_carrier.tolist()):
        if group >= 0:
            members[group].append(carrier)
    return members


def _finish(draft: Draft) -> tuple[Domain, ...]:
    children: list[list[int]] = [[] for _ in draft.fabric]
    for child, parent in enumerate(draft.parent):
        if parent is not None:
            children[parent].append(child)
    return tuple(
        Domain(fabric, level, tuple(switches), parent, tuple(below))
        for fabric, level, switches, parent, below in zip(
            draft.fabric, draft.level, draft.switches, draft.parent, children, strict=True
        )
    )


def _find_meshes(
    graph: Graph, split: FabricSplit, level: NDArray[np.int8], domain_of_switch: NDArray[np.int32]
) -> tuple[bool, ...]:
    trunks = graph.trunks
    a, b = trunks.a, trunks.b
    same_domain = (domain_of_switch[a] == domain_of_switch[b]) & (domain_of_switch[a] >= 0)
    beside = (a != b) & (level[a] == level[b]) & (level[a] >= 0) & ~same_domain
    involved = np.unique(np.concatenate([a[beside], b[beside]]))
    counts = np.bincount(split.fabric_of_switch[involved], minlength=len(split.fabrics))
    return tuple(
        bool(found > MESH * len(fabric.switches)) for found, fabric in zip(counts.tolist(), split.fabrics, strict=True)
    )
