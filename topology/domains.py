"""From a graph to its structure: fabrics, levels, and the domains of every level with their parents.

`topology.fabrics`, `topology.levels` and `topology.grouping` each answer one question; this module asks them in order.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from topology.choices import GIGABITS, NOTHING_KEPT, KeptFabrics
from topology.columns import counted_pairs
from topology.fabrics import FabricSplit, split_fabrics
from topology.graph import Graph
from topology.grouping import Incidence, group_carriers
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


def find_structure(graph: Graph, kept: KeptFabrics = NOTHING_KEPT) -> Structure:
    """The structure of the graph: what the cables say, whichever hosts are nodes of the cluster. `kept`: the fabrics
    that made trees so far."""
    split = split_fabrics(graph, kept)
    level = find_levels(graph)
    draft = Draft()
    domain_of_switch = np.full(len(graph.switches), -1, np.int32)
    shared = np.zeros(len(graph.switches), np.bool_)
    home = np.full((len(split.fabrics), len(graph.hosts)), -1, np.int32)
    cables = _host_cables(graph)
    for number in range(len(split.fabrics)):
        inside = split.fabric_of_switch == number
        home[number] = _group_leaves(cables, number, inside & (level == LEAF), draft, domain_of_switch, shared)
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


def says_the_same(graph: Graph, structure: Structure, kept: KeptFabrics) -> bool:
    """Whether `find_structure` would choose the same fabrics for the same hosts."""
    split = split_fabrics(graph, kept)
    return split.fabrics == structure.fabrics and np.array_equal(split.tree_of_host, structure.tree_of_host)


def nominal_gigabits(graph: Graph) -> NDArray[np.float64]:
    """By host link: what ports of its kind (device ids at both ends; of Ethernet those of its switch) can do at best,
    whatever this one does today."""
    links = graph.host_links
    far = np.array([switch.device_id for switch in graph.switches], np.int64)
    kind = graph.adapters.device_id[links.adapter].astype(np.int64) * (int(far.max(initial=0)) + 1) + far[links.switch]
    ethernet = np.array([switch.ethernet for switch in graph.switches], np.bool_)[links.switch]
    kind[ethernet] = -1 - links.switch[ethernet]  # no device ids: what is the best at its switch
    _, inverse = np.unique(kind, return_inverse=True)
    best = np.zeros(int(inverse.max(initial=-1)) + 1)
    np.maximum.at(best, inverse, np.maximum(links.width, 1) * np.maximum(GIGABITS[links.speed], 1.0))
    return best[inverse]


@dataclass(frozen=True, slots=True, eq=False)
class _HostCables:
    """By host link its host, switch and weight; by host whether it can be seen at two switches."""

    host: NDArray[np.int32]
    switch: NDArray[np.int32]
    gigabits: NDArray[np.float64]
    known: NDArray[np.bool_]


def _host_cables(graph: Graph) -> _HostCables:
    known = np.array([host.name is not None or host.node is not None for host in graph.hosts], np.bool_)
    return _HostCables(graph.host_links.host, graph.host_links.switch, nominal_gigabits(graph), known)


def _group_leaves(
    cables: _HostCables,
    fabric: int,
    leaf: NDArray[np.bool_],
    draft: Draft,
    domain_of_switch: NDArray[np.int32],
    shared: NDArray[np.bool_],
) -> NDArray[np.int32]:
    """Group the leaves of one fabric by their hosts; returns the home domain of every host."""
    rows = leaf[cables.switch]
    item, carrier, weight = counted_pairs(cables.host[rows], cables.switch[rows], cables.gigabits[rows])
    telling = cables.known[item] if len(item) else np.empty(0, np.bool_)
    found = _group(carrier, item, weight, telling)
    first = len(draft.fabric)
    for switches in found.switches:
        domain_of_switch[switches] = draft.add(fabric, LEAF, switches, empty=False)
    shared[found.shared] = True
    for switch in np.flatnonzero(leaf & (domain_of_switch < 0) & ~shared).tolist():
        domain_of_switch[switch] = draft.add(fabric, LEAF, [switch], empty=True)
    home = np.full(len(cables.known), -1, np.int32)
    home[found.items] = np.where(found.group_of_item >= 0, found.group_of_item + first, -1)
    return home


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
    found = _group(carrier, item, weight, telling)
    first = len(draft.fabric)
    for switches in found.switches:
        below = item[np.isin(carrier, switches)]
        level = draft.level[int(below[0])] + 1
        domain_of_switch[switches] = draft.add(fabric, level, switches, empty=bool(empty[below].all()))
    for child, group in zip(found.items.tolist(), found.group_of_item.tolist(), strict=True):
        if group >= 0:
            draft.parent[child] = group + first


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """A grouping, in the numbers of the whole graph."""

    switches: list[list[int]]
    """By group."""
    shared: NDArray[np.int64]
    """Switches."""
    items: NDArray[np.int64]
    """All items that have a switch."""
    group_of_item: NDArray[np.int32]
    """By position in `items`; -1: none."""


def _group(
    carrier: NDArray[np.int64], item: NDArray[np.int64], weight: NDArray[np.float64], telling: NDArray[np.bool_]
) -> _Groups:
    """Group switches by items, numbered among themselves, so that a small fabric beside large ones costs little."""
    switches, near = np.unique(carrier, return_inverse=True)
    items, far = np.unique(item, return_inverse=True)
    grouping = group_carriers(Incidence(len(switches), len(items), near, far, weight, telling))
    members: list[list[int]] = [[] for _ in range(int(grouping.group_of_carrier.max(initial=-1)) + 1)]
    for switch, group in zip(switches.tolist(), grouping.group_of_carrier.tolist(), strict=True):
        if group >= 0:
            members[group].append(switch)
    return _Groups(members, switches[grouping.shared], items, grouping.group_of_item)


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
