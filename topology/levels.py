"""The level of every switch, from the structure of the fabric alone: 0 where hosts attach in bulk, then upward.

A management host on a spine makes no leaf, and a leaf whose hosts are all gone stays one: what stands above or below is
judged by whom a switch shares its neighbours with, not by its distance to the hosts that happen to be there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from topology.columns import counted_pairs
from topology.graph import Graph

BULK = 0.25
"""A switch with at least this share of the typical leaf's hosts has hosts in bulk."""


HIGHEST = 100
"""No level is counted beyond this: a longer chain of switches is no fabric."""


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """The switches beside each switch, in one column: those of switch `s` are `other[start[s]:start[s + 1]]`."""

    start: NDArray[np.int64]
    other: NDArray[np.int64]
    cables: NDArray[np.float64]

    def of(self, switch: int) -> NDArray[np.int64]:
        """The distinct neighbours of one switch, ascending."""
        return self.other[self.start[switch] : self.start[switch + 1]]

    def owners(self) -> NDArray[np.int64]:
        """For each entry of `other` the switch it belongs to."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))


def neighbours_of(graph: Graph) -> Neighbours:
    """Every pair of switches with a cable between them, from both sides; cables to oneself are left out."""
    trunks = graph.trunks
    apart = trunks.a != trunks.b
    near = np.concatenate([trunks.a[apart], trunks.b[apart]])
    far = np.concatenate([trunks.b[apart], trunks.a[apart]])
    owner, other, cables = counted_pairs(near, far)
    start = np.zeros(len(graph.switches) + 1, np.int64)
    np.cumsum(np.bincount(owner, minlength=len(graph.switches)), out=start[1:])
    return Neighbours(start, other, cables)


def find_levels(graph: Graph) -> NDArray[np.int8]:
    """The level of every switch; -1 for one that no leaf is connected to."""
    count = len(graph.switches)
    near = neighbours_of(graph)
    _, switch, links = counted_pairs(graph.host_links.host, graph.host_links.switch)
    hosts = np.bincount(switch, minlength=count)
    host_links = np.bincount(switch, weights=links, minlength=count).astype(np.float64)
    leaf = _bulk_leaves(near, hosts, host_links)
    leaf |= _small_leaves(near, hosts, host_links, leaf)
    distance = _distances(near, leaf)
    leaf |= _empty_leaves(near, leaf, hosts, distance)
    level = np.minimum(_distances(near, leaf), HIGHEST).astype(np.int8)
    _fold_empty_branches(near, level)
    _lift_crossed(near, level)
    return level


def _bulk_leaves(near: Neighbours, hosts: NDArray[np.int64], host_links: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Switches where hosts attach in bulk and that do not mainly gather larger leaves."""
    if not hosts.any():
        return np.zeros(len(hosts), np.bool_)
    typical = np.sort(np.repeat(hosts[hosts > 0], hosts[hosts > 0]))  # each host's own leaf, by size
    bulk = hosts >= max(1.0, BULK * typical[len(typical) // 2])
    return np.asarray(bulk & ~_gathers_leaves(near, hosts, host_links, bulk))


def _gathers_leaves(
    near: Neighbours, hosts: NDArray[np.int64], host_links: NDArray[np.float64], leaf: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Switches that have more cables to leaves at least twice their own size than to hosts: spines with a few hosts."""
    owner = near.owners()
    larger = leaf[near.other] & (hosts[near.other] >= 2 * hosts[owner]) & (hosts[near.other] > 0)
    count = len(hosts)
    different = np.bincount(owner[larger], minlength=count)
    to_larger = np.bincount(owner[larger], weights=near.cables[larger], minlength=count)
    to_all = np.bincount(owner, weights=near.cables, minlength=count)
    return (different >= 2) & (to_larger > host_links) & (3 * to_larger > to_all)


def _small_leaves(
    near: Neighbours, hosts: NDArray[np.int64], host_links: NDArray[np.float64], leaf: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Switches with few hosts that are leaves all the same: they neither gather leaves nor join what leaves do not."""
    small = (hosts > 0) & ~leaf
    if not small.any():
        return small
    gathers = _gathers_leaves(near, hosts, host_links, leaf)
    for switch in np.flatnonzero(small & ~gathers).tolist():
        beside = near.of(switch)
        above = beside[~leaf[beside]]
        if len(above) >= 2 and leaf.any() and not _shares_uplinks(near, leaf, above, larger=False):
            small[switch] = False  # a core with a management host: its neighbours have no leaf in common
    return small & ~gathers


def _empty_leaves(
    near: Neighbours, leaf: NDArray[np.bool_], hosts: NDArray[np.int64], distance: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Switches without a host whose uplinks are those of a leaf: leaves whose hosts are gone or not there yet."""
    result = np.zeros(len(leaf), np.bool_)
    uplinks = np.diff(near.start)
    widest = int(uplinks[leaf].max()) if leaf.any() else 0
    for switch in np.flatnonzero((hosts == 0) & (distance >= 1) & (distance <= 2) & (uplinks <= 2 * widest)).tolist():
        beside = near.of(switch)
        above = beside[~leaf[beside] & (distance[beside] == 1)]
        if 2 * len(above) > len(beside) and distance[switch] == 2:
            result[switch] = _shares_uplinks(near, leaf, above, larger=True)
    return result


def _shares_uplinks(near: Neighbours, below: NDArray[np.bool_], above: NDArray[np.int64], larger: bool) -> bool:
    """True where one switch of `below` has more than half of `above` as its own neighbours.

    With `larger` that must also be half of that switch's neighbours outside `below`.
    """
    beneath = np.concatenate([near.of(switch) for switch in above.tolist()])
    candidates, common = np.unique(beneath[below[beneath]], return_counts=True)
    enough = 2 * common > len(above)
    if not larger:
        return bool(enough.any())
    for switch, shared in zip(candidates[enough].tolist(), common[enough].tolist(), strict=True):
        own = near.of(switch)
        if 2 * shared >= (~below[own]).sum():
            return True
    return False


def _distances(near: Neighbours, start: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Cables to the nearest switch of `start`; -1 where there is no way."""
    distance = np.where(start, 0, -1).astype(np.int64)
    owner = near.owners()
    step = 0
    while True:
        reached = near.other[distance[owner] == step]
        fresh = reached[distance[reached] < 0]
        if not len(fresh):
            return distance
        step += 1
        distance[fresh] = step


def _fold_empty_branches(near: Neighbours, level: NDArray[np.int8]) -> None:
    """A branch without any host hangs below the top, not above it: a switch whose lower neighbours are the uplinks of
    a known switch two levels down stands beside that one, and what hangs on it alone stands below it."""
    for switch in sorted(np.flatnonzero(level >= 3).tolist(), key=lambda switch: int(level[switch])):
        height = int(level[switch])
        if height < 3:
            continue
        beside = near.of(switch)
        beneath = beside[level[beside] == height - 1]
        known = level == height - 2
        if len(beneath) and _shares_uplinks_at(near, known, beneath, level, height - 1):
            level[switch] = height - 2
            hanging = beside[level[beside] == height + 1]
            level[hanging] = height - 3


def _shares_uplinks_at(
    near: Neighbours, known: NDArray[np.bool_], beneath: NDArray[np.int64], level: NDArray[np.int8], upper: int
) -> bool:
    below = np.concatenate([near.of(switch) for switch in beneath.tolist()])
    candidates, common = np.unique(below[known[below]], return_counts=True)
    for switch, shared in zip(candidates.tolist(), common.tolist(), strict=True):
        own = near.of(switch)
        if 2 * shared > len(beneath) and 2 * shared >= (level[own] == upper).sum():
            return True
    return False


def _lift_crossed(near: Neighbours, level: NDArray[np.int8]) -> None:
    """A switch that is near the leaves by one stray cable only (a leaf on a core) goes back among its peers."""
    owner = near.owners()
    count = len(level)
    for height in range(1, int(level.max(initial=0)) + 1):
        here = level[owner] == height
        down = np.bincount(owner[here], weights=near.cables[here] * (level[near.other[here]] < height), minlength=count)
        beside = np.bincount(
            owner[here], weights=near.cables[here] * (level[near.other[here]] == height), minlength=count
        )
        grounded = (level == height) & (down >= beside)
        to_grounded = np.bincount(owner[here], weights=near.cables[here] * grounded[near.other[here]], minlength=count)
        level[(level == height) & (to_grounded > 2 * down) & ~grounded] = height + 1
