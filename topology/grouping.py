"""Grouping with tolerance: which carriers (leaves, spines …) serve the same items (hosts, domains below).

Carriers with at least half of the larger one's items in common form a core, judged against the core's majority set and
never by chaining; an item belongs to the core with most of its weight; every other carrier joins the group that holds
more than half of its own items, or is shared: it forms and merges nothing. No sets are compared for equality, so one
missing or stray cable changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from topology.columns import counted_pairs, heaviest

LIKE = 0.5
"""Two carriers are alike that have this share of the larger one's items in common."""

STAKE = 0.25
"""A larger group takes a smaller one in only where the smaller one's items have this share of their weight in it."""


@dataclass(frozen=True, slots=True, eq=False)
class Incidence:
    """Which carrier serves which item, one row a pair, with the weight between them. Rows are distinct pairs."""

    carriers: int
    items: int
    carrier: NDArray[np.int64]
    item: NDArray[np.int64]
    weight: NDArray[np.float64]
    telling: NDArray[np.bool_]
    """By row: False for an item that cannot be seen at two carriers (an adapter that names no host)."""


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """By carrier its group (-1: none, or shared), by item the group that holds most of its weight (-1: none)."""

    group_of_carrier: NDArray[np.int32]
    group_of_item: NDArray[np.int32]
    shared: NDArray[np.bool_]


def group_carriers(incidence: Incidence) -> Grouping:
    """Group the carriers that have any item. Groups count from 0 by their lowest carrier."""
    members = _form_cores(incidence)
    cluster = np.full(incidence.carriers, -1, np.int64)
    for number, carriers in enumerate(members):
        cluster[carriers] = number
    cluster, shared = _settle(incidence, members, cluster)
    used = cluster[(cluster >= 0) & ~shared]
    first: dict[int, int] = {}
    for number in used.tolist():
        first.setdefault(number, len(first))
    cluster[shared] = -1
    group = np.array([first.get(number, -1) for number in cluster.tolist()], np.int32)
    return Grouping(group, _homes(incidence, group.astype(np.int64)), shared)


def _homes(incidence: Incidence, cluster: NDArray[np.int64]) -> NDArray[np.int32]:
    """By item the cluster with most of its weight; a tie goes to the lowest cluster."""
    placed = cluster[incidence.carrier] >= 0
    item, choice, weight = counted_pairs(
        incidence.item[placed].astype(np.int32), cluster[incidence.carrier[placed]].astype(np.int32),
        incidence.weight[placed],
    )  # fmt: skip
    return heaviest(item, choice, weight, incidence.items)


def _form_cores(incidence: Incidence) -> list[list[int]]:
    """Clusters of carriers, each judged against the majority set of what it has gathered so far."""
    sets: dict[int, set[int]] = {carrier: set() for carrier in np.unique(incidence.carrier).tolist()}
    rows = np.flatnonzero(incidence.telling)
    for carrier, item in zip(incidence.carrier[rows].tolist(), incidence.item[rows].tolist(), strict=True):
        sets[carrier].add(item)
    cluster = {carrier: [carrier] for carrier in sets}
    times = {carrier: dict.fromkeys(items, 1) for carrier, items in sets.items()}
    majority = dict(sets)
    root = {carrier: carrier for carrier in sets}
    for left, right in _alike_pairs(incidence, {carrier: len(items) for carrier, items in sets.items()}):
        a, b = root[left], root[right]
        if a == b or not _alike(majority[a], majority[b]):
            continue
        a, b = min(a, b), max(a, b)
        for carrier in cluster[b]:
            root[carrier] = a
        cluster[a] += cluster.pop(b)
        counts = times[a]
        for item, seen in times.pop(b).items():
            counts[item] = counts.get(item, 0) + seen
        majority[a] = {item for item, seen in counts.items() if 2 * seen > len(cluster[a])}
        del majority[b]
    return [sorted(cluster[lead]) for lead in sorted(cluster)]


def _alike(a: set[int], b: set[int]) -> bool:
    return len(a & b) >= LIKE * max(len(a), len(b))


def _alike_pairs(incidence: Incidence, sizes: dict[int, int]) -> list[tuple[int, int]]:
    """Pairs of carriers that are alike, the most alike first; then by number."""
    rows = np.flatnonzero(incidence.telling)
    order = rows[np.argsort(incidence.item[rows], kind="stable")]
    item, carrier = incidence.item[order], incidence.carrier[order]
    starts = np.flatnonzero(np.r_[True, item[1:] != item[:-1]]) if len(item) else np.empty(0, np.int64)
    lengths = np.diff(np.r_[starts, len(item)])
    left, right = [], []
    for length in np.unique(lengths[lengths > 1]).tolist():
        block = np.sort(carrier[starts[lengths == length][:, None] + np.arange(length)], axis=1)
        i, j = np.triu_indices(length, 1)
        left.append(block[:, i].ravel())
        right.append(block[:, j].ravel())
    if not left:
        return []
    a, b, common = counted_pairs(np.concatenate(left).astype(np.int32), np.concatenate(right).astype(np.int32))
    size = np.zeros(incidence.carriers, np.int64)
    size[list(sizes)] = list(sizes.values())
    likeness = common / np.maximum(size[a], size[b])
    keep = likeness >= LIKE
    order = np.lexsort((b[keep], a[keep], -common[keep], -likeness[keep]))
    return list(zip(a[keep][order].tolist(), b[keep][order].tolist(), strict=True))


def _settle(
    incidence: Incidence, members: list[list[int]], cluster: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Clusters whose weight is mostly of items at home there stand; the others join one of those, or are shared."""
    count = len(members)
    shared = np.zeros(incidence.carriers, np.bool_)
    if not count:
        return cluster, shared
    home = _homes(incidence, cluster)
    item, choice, weight = counted_pairs(
        incidence.item.astype(np.int32), cluster[incidence.carrier].astype(np.int32), incidence.weight
    )
    stays = home[item] == choice
    own = np.bincount(choice[stays], weights=weight[stays], minlength=count)
    grounded = 2 * own > np.bincount(choice, weights=weight, minlength=count)
    total = np.bincount(item, weights=weight, minlength=incidence.items)
    core = grounded & (np.array([len(carriers) for carriers in members]) > 1)
    into = _takers(home[item].astype(np.int64), choice, weight / total[item], core)
    for number, carriers in enumerate(members):
        target = into.get(number, number)
        while target in into:
            target = into[target]
        if not grounded[target]:
            target = _holder(home[item[choice == number]], grounded)
        cluster[carriers] = target
        shared[carriers] = target < 0
    return cluster, shared


def _takers(
    home: NDArray[np.int64], choice: NDArray[np.int64], stake: NDArray[np.float64], core: NDArray[np.bool_]
) -> dict[int, int]:
    """Which cluster is taken in by which larger core (a unit whose other rails are hardly cabled yet).

    One row a pair of item and cluster: the item's home, the cluster, and the share of its weight that is there. Only
    what is at home in a cluster speaks for it, so that strays from elsewhere join nothing.
    """
    at_home = np.bincount(home[home == choice], minlength=len(core))
    away = core[choice] & (at_home[choice] > at_home[home])
    cluster, taker, times = counted_pairs(home[away].astype(np.int32), choice[away].astype(np.int32))
    _, _, stakes = counted_pairs(home[away].astype(np.int32), choice[away].astype(np.int32), stake[away])
    fits = (2 * times > at_home[cluster]) & (stakes >= STAKE * times)
    found = heaviest(cluster[fits], taker[fits], stakes[fits], len(core))
    return {number: into for number, into in enumerate(found.tolist()) if into >= 0}


def _holder(homes: NDArray[np.int32], grounded: NDArray[np.bool_]) -> int:
    """The grounded cluster that holds more than half of these items, -1 if none does."""
    placed = homes[homes >= 0]
    if not len(placed):
        return -1
    counts = np.bincount(placed)
    best = int(np.argmax(counts))
    return best if 2 * int(counts[best]) > len(homes) and grounded[best] else -1
