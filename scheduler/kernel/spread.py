"""Choose nodes inside one domain for pods that are alike: few children, healthy nodes first, neighbours together.

Nodes are used up in rounds: first those that share their lowest HyperNode with a pod bound before, then the others;
nodes whose FabricHealthy is False after all others of the fabric, nodes in no HyperNode after those. In a round the way
goes down from the domain. At every HyperNode, children that pods of the gang stand in come first; whole children are
filled, the largest first, so that as few as possible are needed; what is left over goes into the tightest child that
holds it. Equal ones are taken by the smaller share of unhealthy links, then in tree order. Nodes are the last level.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scheduler.kernel.snapshot import Snapshot
from scheduler.kernel.tree import Tree

Amounts = NDArray[np.int64]
Mask = NDArray[np.bool_]
Shares = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """Pods put on nodes: places in tree order, ascending, and how many on each (at least one)."""

    places: NDArray[np.int64]
    pods: Amounts


NOTHING = Taken(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Places where pods of the gang stand: those bound before, and those of the groups put down by now."""

    bound: NDArray[np.int64]
    fresh: NDArray[np.int64]


def spread(snapshot: Snapshot, domain: int, capacity: Amounts, count: int, standing: Standing) -> Taken:
    """Where in a domain `count` pods go.

    `capacity` is of the domain's nodes, in tree order, and adds up to `count` at least.
    """
    tree, shares, found = snapshot.tree, link_shares(snapshot), NOTHING
    for mask in _rounds(snapshot, domain, standing.bound):
        allowed = capacity if mask is None else np.where(mask, capacity, 0)
        wanted = min(count, int(allowed.sum()))
        if wanted > 0:
            used = np.sort(np.concatenate((standing.bound, standing.fresh, found.places)))
            within = _Domain(tree, shares, int(tree.start[domain]), allowed, used)
            found = together([found, _descend(within, domain, wanted)])
            count -= wanted
    return found


def together(parts: list[Taken]) -> Taken:
    """Parts that share no place as one, in tree order."""
    places = np.concatenate([part.places for part in parts])
    order = np.argsort(places)
    return Taken(places[order], np.concatenate([part.pods for part in parts])[order])


def link_shares(snapshot: Snapshot) -> Shares:
    """By domain: the share of its links, and of those below, that are unhealthy; 0 where none is known."""
    return snapshot.unhealthy_links / np.maximum(snapshot.links, 1)


def _rounds(snapshot: Snapshot, domain: int, bound: NDArray[np.int64]) -> Iterator[Mask | None]:
    """Which nodes of the domain may be used, one round after the other; no node is in two. None: all."""
    near = _near(snapshot.tree, domain, bound)
    for mask in _by_health(snapshot, domain):
        if near is None:
            yield mask
        else:
            yield near if mask is None else near & mask
            yield ~near if mask is None else ~near & mask


def _near(tree: Tree, domain: int, bound: NDArray[np.int64]) -> Mask | None:
    """The nodes of the domain that share their lowest HyperNode with a bound pod; None where there are none."""
    start, end = int(tree.start[domain]), int(tree.end[domain])
    homes = {int(tree.home[place]) for place in bound.tolist() if start <= place < end} - {tree.outside}
    if not homes:
        return None
    near = np.zeros(end - start, dtype=np.bool_)
    for home in homes:
        near[tree.start[home] - start : tree.end[home] - start] = True
    return near


def _by_health(snapshot: Snapshot, domain: int) -> Iterator[Mask | None]:
    tree = snapshot.tree
    start, end = int(tree.start[domain]), int(tree.end[domain])
    healthy = snapshot.nodes.fabric_healthy[start:end]
    inside = min(max(tree.placed - start, 0), end - start)
    if inside in (0, end - start) and healthy.all():
        yield None
        return
    for part in (slice(0, inside), slice(inside, end - start)):
        if not healthy[part].all():
            yield _only(part, healthy)
            yield _only(part, ~healthy)
        else:
            yield _only(part, np.ones_like(healthy))


def _only(part: slice, mask: Mask) -> Mask:
    chosen = np.zeros_like(mask)
    chosen[part] = mask[part]
    return chosen


@dataclass(frozen=True, slots=True, eq=False)
class _Domain:
    """The nodes of a domain, seen while going down."""

    tree: Tree
    shares: Shares
    base: int
    """Place of the first node of `capacity`."""
    capacity: Amounts
    used: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _Units:
    """What a HyperNode consists of: its children that have nodes, then its direct nodes. First and last are places."""

    children: NDArray[np.int32]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    capacity: Amounts
    share: Shares


def _descend(top: _Domain, domain: int, count: int) -> Taken:
    parts: list[Taken] = []
    waiting = [(domain, count)]
    while waiting:
        here, wanted = waiting.pop()
        units = _units(top, here)
        used = np.searchsorted(top.used, units.last) > np.searchsorted(top.used, units.first)
        chosen = choose(units.capacity, units.share, used, wanted)
        direct = len(units.children) + np.flatnonzero(chosen[len(units.children) :])
        parts.append(Taken(units.first[direct], chosen[direct]))
        for place in np.flatnonzero(chosen[: len(units.children)]).tolist():
            if chosen[place] == units.capacity[place]:
                parts.append(_whole(top, int(units.first[place]), int(units.last[place])))
            else:
                waiting.append((int(units.children[place]), int(chosen[place])))
    return together(parts)


def _whole(top: _Domain, first: int, last: int) -> Taken:
    capacity = top.capacity[first - top.base : last - top.base]
    places = np.flatnonzero(capacity)
    return Taken(places + first, capacity[places])


def _units(top: _Domain, domain: int) -> _Units:
    tree = top.tree
    children = tree.children_of(domain)
    children = children[tree.start[children] < tree.end[children]]
    direct = np.arange(tree.direct[domain], tree.end[domain])
    nodes = top.capacity[int(tree.direct[domain]) - top.base : int(tree.end[domain]) - top.base]
    if not len(children):
        return _Units(children, direct, direct + 1, nodes, np.zeros(len(nodes)))
    below = top.capacity[int(tree.start[domain]) - top.base : int(tree.direct[domain]) - top.base]
    inside = np.add.reduceat(below, tree.start[children] - tree.start[domain])
    return _Units(
        children=children,
        first=np.concatenate((tree.start[children], direct)),
        last=np.concatenate((tree.end[children], direct + 1)),
        capacity=np.concatenate((inside, nodes)),
        share=np.concatenate((top.shares[children], np.zeros(len(nodes)))),
    )


def choose(capacity: Amounts, share: Shares, used: Mask, count: int) -> Amounts:
    """How many of `count` pods each of some units takes: used units first, then the fewest others."""
    chosen = np.zeros(len(capacity), dtype=np.int64)
    for units in (np.flatnonzero(used & (capacity > 0)), np.flatnonzero(~used & (capacity > 0))):
        if count > 0 and len(units):
            chosen[units] = _fewest(capacity[units], share[units], count)
            count -= int(chosen[units].sum())
    return chosen


def _fewest(capacity: Amounts, share: Shares, count: int) -> Amounts:
    order = np.lexsort((share, -capacity))
    descending = capacity[order]
    total = np.cumsum(descending)
    full = int(np.searchsorted(total, count))
    if full >= len(capacity):
        return capacity
    chosen = np.zeros(len(capacity), dtype=np.int64)
    chosen[order[:full]] = descending[:full]
    rest = count - (int(total[full - 1]) if full else 0)
    tightest = descending[full:][descending[full:] >= rest][-1]
    chosen[order[full + int(np.argmax(descending[full:] == tightest))]] = rest
    return chosen
