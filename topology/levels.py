"""The level of every switch, from the structure of the fabric alone: 0 where hosts attach in bulk, then upward.

A management host on a spine makes no leaf, and a leaf whose hosts are all gone stays one: what stands above or below is
judged by whom a switch shares its neighbours with, not by its distance to the hosts that happen to be there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topology.columns import counted_pairs
from topology.graph import Graph
from topology.hanging import Told, empty_leaves, fold_empty_branches, leave_open
from topology.neighbours import Neighbours, neighbours_of

BULK = 0.25
"""A switch with at least this share of the typical leaf's hosts has hosts in bulk."""


HIGHEST = 100
"""No level is counted beyond this: a longer chain of switches is no fabric."""


def find_levels(graph: Graph) -> NDArray[np.int8]:
    """The level of every switch; -1 for one that no leaf is connected to, or of which too little is told."""
    count = len(graph.switches)
    near = neighbours_of(graph)
    _, switch, links = counted_pairs(graph.host_links.host, graph.host_links.switch)
    hosts = np.bincount(switch, minlength=count)
    host_links = np.bincount(switch, weights=links, minlength=count).astype(np.float64)
    leaf = _bulk_leaves(near, hosts, host_links)
    leaf |= _small_leaves(near, hosts, host_links, leaf)
    told = Told.of(graph)
    leaf |= empty_leaves(near, leaf, hosts, told)
    level = np.minimum(near.distances(leaf), HIGHEST).astype(np.int8)
    leave_open(near, level, told)
    fold_empty_branches(near, level, told)
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
        if len(above) >= 2 and leaf.any() and not _shares_uplinks(near, leaf, above):
            small[switch] = False  # a core with a management host: its neighbours have no leaf in common
    return small & ~gathers


def _shares_uplinks(near: Neighbours, below: NDArray[np.bool_], above: NDArray[np.int64]) -> bool:
    """True where one switch of `below` has more than half of `above` as its own neighbours."""
    beneath = np.concatenate([near.of(switch) for switch in above.tolist()])
    _, common = np.unique(beneath[below[beneath]], return_counts=True)
    return bool((2 * common > len(above)).any())


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
