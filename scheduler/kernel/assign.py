"""From a chosen domain to a node for every pod: places by `spread`, then ranks along them in tree order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler.kernel.demand import Amounts, Demand, Group
from scheduler.kernel.exact import Effort, pack_exactly
from scheduler.kernel.gang import Gang
from scheduler.kernel.outcome import Assignment
from scheduler.kernel.packing import Remaining, Strategy, affordable, lay_segments, pack
from scheduler.kernel.spread import NOTHING, Standing, Taken, spread

Pods = NDArray[np.int32]


def assign(demand: Demand, taken: Sequence[Taken], class_counts: Sequence[int]) -> tuple[Assignment, ...]:
    """A node for `class_counts` pods of each class, in the gang's order, from the places of each group."""
    gang = demand.gang
    nothing = np.zeros(0, dtype=np.int32)
    found = dict.fromkeys(range(len(gang.classes)), (nothing, nothing))
    for group, places in zip(demand.groups, taken, strict=True):
        found.update(_ranked(gang, group, class_counts, np.repeat(places.places, places.pods).astype(np.int32)))
    return tuple(Assignment(one, *found[index]) for index, one in enumerate(gang.classes))


def settle(
    demand: Demand, domain: int, counts: Sequence[int], tried: Sequence[Strategy], effort: Effort
) -> tuple[Taken, ...] | None:
    """Places in a domain for `counts` pods of each group; None where none are found.

    Compact choices, group after group, come first; then first fit, which proves what `packing` promised of a domain; at
    last, on few nodes, every way there is.
    """
    for order in dict.fromkeys(strategy.groups for strategy in tried):
        compact = settle_compactly(demand, domain, counts, order)
        if compact is not None:
            return compact
    tree, segments = demand.snapshot.tree, lay_segments(demand, np.array([domain]))
    start, end = int(tree.start[domain]), int(tree.end[domain])
    for strategy in affordable(tried, len(segments.nodes)):
        put, takes = pack(demand, segments, counts, strategy)
        if put[:, 0].tolist() == list(counts):
            return _taken(start, takes)
    exact = pack_exactly(demand, slice(start, end), counts, effort)
    return None if exact is None else _taken(start, exact)


def _taken(start: int, takes: Sequence[Amounts]) -> tuple[Taken, ...]:
    """By group: what nodes from `start` on take, as places."""
    places = [np.flatnonzero(pods) for pods in takes]
    return tuple(Taken(start + some, pods[some]) for some, pods in zip(places, takes, strict=True))


def settle_compactly(
    demand: Demand, domain: int, counts: Sequence[int], order: Sequence[int]
) -> tuple[Taken, ...] | None:
    """Places for one group after the other, each near the ones before; None where one finds too little left."""
    tree = demand.snapshot.tree
    start = int(tree.start[domain])
    nodes = slice(start, int(tree.end[domain]))
    remaining = Remaining(demand, nodes) if len(order) > 1 else None
    bound = np.array([tree.position[node] for node in demand.gang.bound if node in tree.position], dtype=np.int64)
    found = [NOTHING] * len(counts)
    for which in order:
        capacity = remaining.capacity(which) if remaining else demand.groups[which].capacity[nodes]
        if counts[which] == 0:
            continue
        if int(capacity.sum()) < counts[which]:
            return None
        standing = Standing(bound, np.concatenate([taken.places for taken in found]))
        found[which] = spread(demand.snapshot, domain, capacity, counts[which], standing)
        if remaining:
            remaining.take(which, found[which].places - start, found[which].pods)
    return tuple(found)


def _ranked(gang: Gang, group: Group, class_counts: Sequence[int], nodes: Pods) -> dict[int, tuple[Pods, Pods]]:
    """By class of the group: its placed pods and their nodes; neighbouring ranks get neighbouring places."""
    pods = [_first_pods(gang, index, class_counts[index]) for index in group.classes]
    if len(pods) == 1 and not gang.classes[group.classes[0]].ranks:
        return {group.classes[0]: (pods[0], nodes)}
    ranks = np.concatenate([_ranks(gang, index)[mine] for index, mine in zip(group.classes, pods, strict=True)])
    by_pod = np.empty_like(nodes)
    by_pod[np.argsort(ranks, kind="stable")] = nodes
    ends = np.cumsum([len(mine) for mine in pods])[:-1]
    return dict(zip(group.classes, zip(pods, np.split(by_pod, ends), strict=True), strict=True))


def _first_pods(gang: Gang, index: int, count: int) -> Pods:
    """The `count` pods of a class with the lowest ranks, ascending by pod."""
    pod_class = gang.classes[index]
    if count == pod_class.count or not pod_class.ranks:
        return np.arange(count, dtype=np.int32)
    return np.sort(np.argsort(_ranks(gang, index), kind="stable")[:count]).astype(np.int32)


def _ranks(gang: Gang, index: int) -> NDArray[np.int64]:
    pod_class = gang.classes[index]
    if pod_class.ranks:
        return np.array(pod_class.ranks, dtype=np.int64)
    return np.arange(pod_class.count) + sum(one.count for one in gang.classes[:index])
