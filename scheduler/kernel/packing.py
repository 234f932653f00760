"""Put several groups of pods onto the same nodes: what is left after each, and whether all of them fit together.

Fitting several kinds of pods is a packing problem, so this is sound but not complete: every fit it claims is one that
it has packed; a domain that only a cleverer packing could use may be passed over. Five strategies are tried, which
differ in which group goes first (the largest, the scarcest, the smallest) and which nodes it takes first (in tree
order, or those that the other groups could use least; the latter not where there are more than 20,000 nodes). For pods
that are all alike none is needed: sums are exact. Small domains in which no strategy finds a way are left to `exact`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scheduler.kernel.demand import Amounts, Demand, room
from scheduler.kernel.predicates import ports_conflict
from scheduler.kernel.tree import Domains

NodeOrder = Literal["tree", "spare"]
SORTED_NODES = 20_000


@dataclass(frozen=True, slots=True)
class Strategy:
    """In which order groups are put down, and which nodes they take first."""

    groups: tuple[int, ...]
    nodes: NodeOrder


class Remaining:
    """What some nodes have left while the groups of a gang are put there one after another. Nodes count from 0 here."""

    def __init__(self, demand: Demand, nodes: NDArray[np.int64] | slice) -> None:
        self._groups = demand.groups
        self._free = demand.snapshot.free[:, nodes].copy()
        self._initial = [group.capacity[nodes] for group in demand.groups]
        self._taken: dict[int, NDArray[np.int64]] = {}

    def capacity(self, which: int) -> Amounts:
        """By node: pods of group `which` that still fit."""
        group = self._groups[which]
        capacity = self._initial[which].copy()
        for other, places in self._taken.items():
            if ports_conflict(group.host_ports, self._groups[other].host_ports):
                capacity[places] = 0
        if self._taken:
            touched = np.concatenate(list(self._taken.values()))
            capacity[touched] = np.minimum(capacity[touched], room(self._free[:, touched], group.rows))
        return capacity

    def take(self, which: int, places: NDArray[np.int64], pods: Amounts) -> None:
        """Put pods of group `which` down at these places, each given once."""
        for row, amount in self._groups[which].rows:
            self._free[row, places] -= pods * amount
        self._taken[which] = places


def strategies(demand: Demand) -> tuple[Strategy, ...]:
    """The strategies to try, the usual one first; the same for every domain, so that choices stay comparable."""
    place = range(len(demand.groups))
    if len(place) < 2:
        return tuple(Strategy((index,), "tree") for index in place)
    largest = demand.snapshot.free.max(axis=1, initial=1)
    count = demand.counts([pod_class.count for pod_class in demand.gang.classes])
    size = [max(amount / max(1, int(largest[row])) for row, amount in group.rows) for group in demand.groups]
    homes = [int(np.count_nonzero(group.capacity)) for group in demand.groups]
    supply = [group.supply / count[index] for index, group in enumerate(demand.groups)]
    by_size = tuple(sorted(place, key=lambda index: (-size[index], homes[index], index)))
    by_scarcity = tuple(sorted(place, key=lambda index: (supply[index], -size[index], index)))
    tried = [
        Strategy(by_size, "tree"),
        Strategy(by_scarcity, "tree"),
        Strategy(by_size, "spare"),
        Strategy(by_scarcity, "spare"),
        Strategy(by_size[::-1], "tree"),
    ]
    return tuple(dict.fromkeys(tried))


def affordable(tried: Sequence[Strategy], nodes: int) -> tuple[Strategy, ...]:
    """The strategies for so many nodes: sorting them for each group is left out where that takes tenths of seconds."""
    return tuple(strategy for strategy in tried if strategy.nodes == "tree" or nodes <= SORTED_NODES)


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """The nodes of several disjoint domains, one domain after the other."""

    nodes: NDArray[np.int64]
    domain: NDArray[np.int64]
    """By node: which of the domains it belongs to."""
    first: NDArray[np.int64]
    """By domain: where its nodes begin."""


def lay_segments(demand: Demand, domains: Domains) -> Segments:
    """Line up the nodes of some domains."""
    tree = demand.snapshot.tree
    sizes = tree.end[domains] - tree.start[domains]
    first = np.cumsum(sizes) - sizes
    nodes = np.arange(int(sizes.sum())) + np.repeat(tree.start[domains] - first, sizes)
    return Segments(nodes, np.repeat(np.arange(len(sizes)), sizes), first)


def enough_in_all(demand: Demand, domains: Domains, counts: Sequence[int]) -> NDArray[np.bool_]:
    """By domain: False where all groups together ask for more of some resource than all its nodes have free.

    Spares the packing of what no packing fits. Sums are floating point, and cut with a margin above their error.
    """
    tree, free = demand.snapshot.tree, demand.snapshot.free
    needed: dict[int, int] = {}
    for group, count in zip(demand.groups, counts, strict=True):
        for row, amount in group.rows:
            needed[row] = needed.get(row, 0) + amount * count
    enough = np.ones(len(domains), dtype=np.bool_)
    for row, amount in needed.items():
        before = tree.sums_before(np.maximum(free[row], 0).astype(np.float64))
        enough &= tree.sums_within(before, domains) + before[-1] * 1e-9 >= amount
    return enough


def pack(
    demand: Demand, segments: Segments, counts: Sequence[int], strategy: Strategy
) -> tuple[Amounts, list[Amounts]]:
    """Put all groups into every domain at once, first fit.

    Returns what was put: shape (groups, domains), pods of each group in each domain, at most `counts`; and by group,
    the pods on each node of the segments. A domain whose column equals `counts` holds the whole gang.
    """
    remaining = Remaining(demand, segments.nodes)
    put = np.zeros((len(counts), len(segments.first)), dtype=np.int64)
    takes: list[Amounts] = [np.zeros(0, dtype=np.int64)] * len(counts)
    for which in strategy.groups:
        capacity = np.minimum(remaining.capacity(which), counts[which])
        order = None if strategy.nodes == "tree" else _spare_first(demand, segments, which, counts)
        taken = _first_fit(capacity, segments, counts[which], order)
        places = np.flatnonzero(taken)
        remaining.take(which, places, taken[places])
        takes[which] = taken
        np.add.at(put[which], segments.domain[places], taken[places])
    return put, takes


def _first_fit(capacity: Amounts, segments: Segments, count: int, order: NDArray[np.intp] | None) -> Amounts:
    """By node: `count` pods in every domain, as early as they fit. `order` reorders nodes inside their domains."""
    in_order = capacity if order is None else capacity[order]
    before = np.zeros(len(capacity) + 1, dtype=np.int64)
    np.cumsum(in_order, out=before[1:])
    used = before[:-1] - before[segments.first][segments.domain]
    taken: Amounts = np.clip(count - used, 0, in_order)
    if order is None:
        return taken
    back = np.empty_like(taken)
    back[order] = taken
    return back


def _spare_first(demand: Demand, segments: Segments, which: int, counts: Sequence[int]) -> NDArray[np.intp]:
    """Nodes of every domain so that those which the other groups could use least come first."""
    use = np.zeros(len(segments.nodes))
    for other, group in enumerate(demand.groups):
        if other != which:
            use += np.minimum(group.capacity[segments.nodes] / max(1, counts[other]), 1.0)
    return np.lexsort((use, segments.domain))
