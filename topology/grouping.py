"""Grouping with tolerance: which carriers (leaves, spines …) serve the same items (hosts, domains below).

Carriers with at least half of the larger one's items in common form a core, judged against the core's majority set and
never by chaining; an item belongs to the core with most of its weight; every other carrier joins the group that holds
more than half of its own items, or is shared: it forms and merges nothing. No sets are compared for equality, so one
missing or stray cable changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from topology.columns import counted_pairs, heaviest

LIKE = 0.5
"""Two carriers are alike that have this share of the larger one's items in common."""

STAKE = 0.25
"""A larger group takes a smaller one in only where the smaller one's items have this share of their weight in it."""

AT_HOME = 0.4
"""… and this share of the weight that the larger group's own items have there (on one leaf of three they have less)."""


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
    members = _form_cores(replace(incidence, telling=incidence.telling & _is_mainstay(incidence)))
    cluster = np.full(incidence.carriers, -1, np.int64)
    for number, carriers in enumerate(members):
        cluster[carriers] = number
    cluster, shared = _settle(incidence, members, cluster)
    first: dict[int, int] = {}
    for number in cluster[cluster >= 0].tolist():
        first.setdefault(number, len(first))
    group = np.array([first.get(number, -1) for number in cluster.tolist()], np.int32)
    return Grouping(group, _homes(_votes(incidence, group.astype(np.int64))), shared)


def _is_mainstay(incidence: Incidence) -> NDArray[np.bool_]:
    """By row: the carrier has at least half of what the item's heaviest one has. A stray cable makes no likeness."""
    most = np.zeros(incidence.items)
    np.maximum.at(most, incidence.item, incidence.weight)
    return np.asarray(2 * incidence.weight >= most[incidence.item])


@dataclass(frozen=True, slots=True, eq=False)
class _Votes:
    """How much of each item's weight is in each cluster, one row a pair, ascending by item."""

    items: int
    item: NDArray[np.int64]
    cluster: NDArray[np.int64]
    weight: NDArray[np.float64]


def _votes(incidence: Incidence, cluster: NDArray[np.int64]) -> _Votes:
    placed = cluster[incidence.carrier] >= 0
    item, choice, weight = counted_pairs(
        incidence.item[placed].astype(np.int32), cluster[incidence.carrier[placed]].astype(np.int32),
        incidence.weight[placed],
    )  # fmt: skip
    return _Votes(incidence.items, item, choice, weight)


def _homes(votes: _Votes) -> NDArray[np.int32]:
    """By item the cluster with most of its weight, -1 without any; ties are broken by `_break_ties`."""
    home = heaviest(votes.item, votes.cluster, votes.weight, votes.items)
    most = np.zeros(votes.items)
    np.maximum.at(most, votes.item, votes.weight)
    top = votes.weight == most[votes.item]
    tied = np.bincount(votes.item[top], minlength=votes.items) > 1
    if tied.any():
        _break_ties(votes, home, tied, np.flatnonzero(top & tied[votes.item]))
    return home


def _break_ties(votes: _Votes, home: NDArray[np.int32], tied: NDArray[np.bool_], rows: NDArray[np.int64]) -> None:
    """Whoever exchanged a cable with a tied item hangs where that item belongs: of its candidates the one wins in which
    most items from the other candidates hang; then the one with most items that are in no doubt; then the lowest."""
    sure = np.bincount(home[~tied & (home >= 0)], minlength=int(votes.cluster.max(initial=-1)) + 1).tolist()
    away = ~tied[votes.item] & (home[votes.item] != votes.cluster)
    owner, guest_of, times = counted_pairs(home[votes.item[away]], votes.cluster[away].astype(np.int32))
    guests = dict(zip(zip(owner.tolist(), guest_of.tolist(), strict=True), times.tolist(), strict=True))
    pairs = zip(votes.item[rows].tolist(), votes.cluster[rows].tolist(), strict=True)
    for item, group in groupby(pairs, key=lambda pair: pair[0]):
        candidates = [cluster for _, cluster in group]
        hosted = [sum(guests.get((other, own), 0) for other in candidates if other != own) for own in candidates]
        claims = [(guests_here, sure[own]) for guests_here, own in zip(hosted, candidates, strict=True)]
        home[item] = candidates[claims.index(max(claims))]


def _form_cores(incidence: Incidence) -> list[list[int]]:
    """Clusters of carriers, each judged against the majority set of what it has gathered so far."""
    sets: dict[int, set[int]] = {carrier: set() for carrier in np.unique(incidence.carrier).tolist()}
    rows = np.flatnonzero(incidence.telling)
    for carrier, item in zip(incidence.carrier[rows].tolist(), incidence.item[rows].tolist(), strict=True):
        sets[carrier].add(item)
    cluster = _equal_carriers(sets)
    times = {lead: dict.fromkeys(sets[lead], len(carriers)) for lead, carriers in cluster.items()}
    majority = {lead: sets[lead] for lead in cluster}
    root = {lead: lead for lead in cluster}
    for left, right in _alike_pairs(incidence, {lead: len(sets[lead]) for lead in cluster}):
        a, b = root[left], root[right]
        if a == b or not _alike(majority[a], majority[b]):
            continue
        a, b = min(a, b), max(a, b)
        for carrier in cluster[b]:
            if carrier in root:
                root[carrier] = a
        cluster[a] += cluster.pop(b)
        counts = times[a]
        for item, seen in times.pop(b).items():
            counts[item] = counts.get(item, 0) + seen
        majority[a] = {item for item, seen in counts.items() if 2 * seen > len(cluster[a])}
        del majority[b]
    return [sorted(cluster[lead]) for lead in sorted(cluster)]


def _equal_carriers(sets: dict[int, set[int]]) -> dict[int, list[int]]:
    """Carriers with the very same items are one from the start, under the lowest; so there are few pairs to compare."""
    lead_of: dict[frozenset[int], int] = {}
    cluster: dict[int, list[int]] = {}
    for carrier in sorted(sets):
        lead = lead_of.setdefault(frozenset(sets[carrier]), carrier) if sets[carrier] else carrier
        cluster.setdefault(lead, []).append(carrier)
    return cluster


def _alike(a: set[int], b: set[int]) -> bool:
    return len(a & b) >= LIKE * max(len(a), len(b))


def _alike_pairs(incidence: Incidence, sizes: dict[int, int]) -> list[tuple[int, int]]:
    """Pairs of carriers of `sizes` (their number of items) that are alike, the most alike first; then by number."""
    size = np.zeros(incidence.carriers, np.int64)
    size[list(sizes)] = list(sizes.values())
    rows = np.flatnonzero(incidence.telling & (size[incidence.carrier] > 0))
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
    likeness = common / np.maximum(size[a], size[b])
    keep = likeness >= LIKE
    order = np.lexsort((b[keep], a[keep], -common[keep], -likeness[keep]))
    return list(zip(a[keep][order].tolist(), b[keep][order].tolist(), strict=True))


def _settle(
    incidence: Incidence, members: list[list[int]], cluster: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """By carrier its final cluster (-1: none), and which carriers are shared.

    Clusters whose weight is mostly of items at home there stand; the others join one of those. One that nobody takes is
    shared: it loses its vote and the rest is asked again, the widest first, for it may have held others' items.
    """
    shared = np.zeros(incidence.carriers, np.bool_)
    sizes = np.array([len(carriers) for carriers in members], np.int64)
    while True:
        votes = _votes(incidence, cluster)
        targets = _targets(votes, sizes)
        lost = np.flatnonzero((targets < 0) & (np.bincount(cluster[cluster >= 0], minlength=len(members)) > 0))
        if not len(lost):
            return np.where(cluster >= 0, targets[cluster] if len(targets) else -1, -1), shared
        wide = np.bincount(votes.cluster, minlength=len(members))[lost]
        for number in lost[2 * wide >= wide.max()].tolist():
            shared[members[number]] = True
            cluster[members[number]] = -1


def _targets(votes: _Votes, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """By cluster what it becomes part of: itself where it stands, -1 where nobody takes it. `sizes` counts carriers."""
    count = len(sizes)
    home = _homes(votes)
    stays = home[votes.item] == votes.cluster
    own = np.bincount(votes.cluster[stays], weights=votes.weight[stays], minlength=count).astype(np.float64)
    grounded = 2 * own > np.bincount(votes.cluster, weights=votes.weight, minlength=count)
    into = _takers(votes, home[votes.item].astype(np.int64), grounded & (sizes > 1), own)
    targets = np.full(count, -1, np.int64)
    starts = np.argsort(votes.cluster, kind="stable")
    bounds = np.searchsorted(votes.cluster[starts], np.arange(count + 1))
    for number in range(count):
        target = into.get(number, number)
        while target in into:
            target = into[target]
        if not grounded[target]:
            target = _holder(home[votes.item[starts[bounds[number] : bounds[number + 1]]]], grounded)
        targets[number] = target
    return targets


def _takers(
    votes: _Votes, home: NDArray[np.int64], core: NDArray[np.bool_], own: NDArray[np.float64]
) -> dict[int, int]:
    """Which cluster is taken in by which larger core (a unit whose other rails are hardly cabled yet).

    `home` is by vote. Only what is at home in a cluster speaks for it, and only where it has not much less weight in
    the core than the core's own items: strays and one cable to a storage leaf join nothing.
    """
    at_home = np.bincount(home[home == votes.cluster], minlength=len(core))
    total = np.bincount(votes.item, weights=votes.weight, minlength=votes.items)
    usual = own / np.maximum(at_home, 1)
    away = core[votes.cluster] & (at_home[votes.cluster] > at_home[home])
    away &= votes.weight >= AT_HOME * usual[votes.cluster]
    a, b = home[away].astype(np.int32), votes.cluster[away].astype(np.int32)
    cluster, taker, times = counted_pairs(a, b)
    _, _, stakes = counted_pairs(a, b, votes.weight[away] / total[votes.item[away]])
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
