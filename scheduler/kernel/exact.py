"""Put a few kinds of pods onto a few nodes by trying every way that could matter, within a bound on the work.

Where the strategies of `packing` find nothing, this does if anything fits, as long as there are at most `NODES` nodes
and the effort suffices. Nodes are filled one after the other, each with every load that no other load of it exceeds
in all kinds: putting down more never leaves the rest worse off. What is left to put down decides what follows, so a
remainder that has failed once at a node is not tried again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from scheduler.kernel.demand import Amounts, Demand
from scheduler.kernel.predicates import ports_conflict

NODES = 64
STEPS = 10_000
"""Comparisons of loads for one gang: some tens of milliseconds."""

Numbers = tuple[int, ...]
"""One number a kind of pods, or one a resource."""


@dataclass(slots=True)
class Effort:
    """What may still be spent on one gang; each domain takes at most half of what those before it left."""

    steps: int = STEPS


def pack_exactly(demand: Demand, nodes: slice, counts: Sequence[int], effort: Effort) -> list[Amounts] | None:
    """By group: the pods that each of the nodes takes, `counts` in all; None where nothing was found."""
    allowed = effort.steps // 2
    if nodes.stop - nodes.start > NODES or len(counts) < 2 or not allowed:
        return None
    rows = sorted({row for group in demand.groups for row, _ in group.rows})
    asked = [dict(group.rows) for group in demand.groups]
    free = np.maximum(demand.snapshot.free[rows, nodes], 0).T.tolist()
    alone = np.stack([group.capacity[nodes] for group in demand.groups]).T.tolist()
    conflicts = [
        tuple(
            other for other, second in enumerate(demand.groups) if ports_conflict(first.host_ports, second.host_ports)
        )
        for first in demand.groups
    ]
    order = sorted(range(len(free)), key=lambda node: (alone[node], free[node]), reverse=True)
    search = _Search(
        amounts=tuple(tuple(one.get(row, 0) for row in rows) for one in asked),
        conflicts=tuple(conflicts),
        free=tuple(tuple(free[node]) for node in order),
        free_after=_sums_from([free[node] for node in order]),
        alone=tuple(tuple(alone[node]) for node in order),
        alone_after=_sums_from([alone[node] for node in order]),
        steps=allowed,
    )
    loads = search.fill(0, tuple(counts))
    effort.steps -= allowed - max(0, search.steps)
    if loads is None:
        return None
    found = np.zeros((len(counts), len(order)), dtype=np.int64)
    for node, load in zip(order, loads, strict=False):
        found[:, node] = load
    return list(found)


def _sums_from(rows: Sequence[Sequence[int]]) -> tuple[Numbers, ...]:
    """By row: the sums of it and of all rows after it."""
    after = accumulate(reversed(rows), lambda sums, row: [have + more for have, more in zip(sums, row, strict=True)])
    return tuple(tuple(sums) for sums in after)[::-1]


@dataclass(slots=True)
class _Search:
    """Nodes in the order in which they are filled. `left` is always what is still to be put down, by kind."""

    amounts: tuple[Numbers, ...]
    """By kind and resource: what a pod asks for."""
    conflicts: tuple[Numbers, ...]
    """By kind: the kinds that cannot be on one node with it, for their host ports."""
    free: tuple[Numbers, ...]
    """By node and resource."""
    free_after: tuple[Numbers, ...]
    """The sums over this node and all after it."""
    alone: tuple[Numbers, ...]
    """By node and kind: how many the node takes of that kind alone."""
    alone_after: tuple[Numbers, ...]
    steps: int
    """Loads that may still be compared."""
    failed: set[tuple[int, Numbers]] = field(default_factory=set)

    def fill(self, node: int, left: Numbers) -> list[Numbers] | None:
        """Loads of this node and those after it that put down all that is left; None where there are none."""
        if not any(left):
            return []
        if node == len(self.free) or (node, left) in self.failed or not self._could_hold(node, left):
            return None
        for load in self._loads(node, left):
            rest = self.fill(node + 1, tuple(before - put for before, put in zip(left, load, strict=True)))
            if rest is not None:
                return [load, *rest]
            if self.steps <= 0:
                return None
        self.failed.add((node, left))
        return None

    def _could_hold(self, node: int, left: Numbers) -> bool:
        """Whether the nodes that follow have room for every kind alone, and enough of every resource for all."""
        if any(room < count for room, count in zip(self.alone_after[node], left, strict=True)):
            return False
        for resource, room in enumerate(self.free_after[node]):
            if room < sum(count * amounts[resource] for count, amounts in zip(left, self.amounts, strict=True)):
                return False
        return True

    def _loads(self, node: int, left: Numbers) -> list[Numbers]:
        """What the node could take of what is left, without loads that another one exceeds; the fullest first."""
        most = tuple(map(min, self.alone[node], left))
        kept: list[Numbers] = []
        for load in self._combinations(self.free[node], most, ()):
            self.steps -= 1 + len(kept)
            if self.steps <= 0:
                break
            if not any(all(one >= other for one, other in zip(known, load, strict=True)) for known in kept):
                kept.append(load)
        return kept

    def _combinations(self, free: Numbers, most: Numbers, load: Numbers) -> Iterator[Numbers]:
        kind = len(load)
        if kind == len(most):
            yield load
            return
        amounts = self.amounts[kind]
        fits = min([most[kind], *(have // each for have, each in zip(free, amounts, strict=True) if each)])
        if any(load[other] for other in self.conflicts[kind] if other < kind):
            fits = 0
        least = fits if kind == len(most) - 1 else 0
        for number in range(fits, least - 1, -1):
            rest = tuple(have - number * each for have, each in zip(free, amounts, strict=True))
            yield from self._combinations(rest, most, (*load, number))
