"""Which of several domains of one tier that fit is the best: the order of preference (`placement` says why).

1. The fewest pods that would have to stand on nodes whose FabricHealthy is False.
2. The tightest: the least room left beside the gang (for several groups of pods: for the first group, then the next).
3. The fewest child HyperNodes needed.
4. The smallest share of unhealthy links, those of domains below included.
5. The first in tree order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler.kernel.demand import Amounts, Demand, Group
from scheduler.kernel.spread import link_shares
from scheduler.kernel.tree import Domains


def best_of(demand: Demand, domains: Domains, counts: Sequence[int]) -> int:
    """The best of some domains (at least one) for `counts` pods of each group."""
    for key in _keys(demand, counts):
        if len(domains) == 1:
            break
        values = key(domains)
        domains = domains[values == values.min()]
    tree = demand.snapshot.tree
    return int(domains[np.argmin(tree.start[domains])])


def _keys(demand: Demand, counts: Sequence[int]) -> Iterator[Callable[[Domains], NDArray[np.number]]]:
    shares = link_shares(demand.snapshot)
    if not demand.snapshot.nodes.fabric_healthy.all():
        yield lambda domains: _on_unhealthy(demand, domains, counts)
    for group in demand.groups:
        yield lambda domains, group=group: _room(demand, group, domains)  # type: ignore[misc]  # a bound loop variable
    yield lambda domains: _children_needed(demand, domains, counts)
    yield lambda domains: shares[domains]


def _room(demand: Demand, group: Group, domains: Domains) -> Amounts:
    return demand.snapshot.tree.sums_within(group.before, domains)


def _on_unhealthy(demand: Demand, domains: Domains, counts: Sequence[int]) -> Amounts:
    """Pods that find no room on the other nodes; for several groups, each counted alone."""
    tree = demand.snapshot.tree
    needed = np.zeros(len(domains), dtype=np.int64)
    for group, count in zip(demand.groups, counts, strict=True):
        healthy = tree.sums_before(group.capacity * demand.snapshot.nodes.fabric_healthy)
        needed += np.maximum(0, count - tree.sums_within(healthy, domains))
    return needed


def _children_needed(demand: Demand, domains: Domains, counts: Sequence[int]) -> Amounts:
    """By domain: the fewest child HyperNodes that hold the pods, the group that needs most; 0 where it has none."""
    tree = demand.snapshot.tree
    number = tree.child_offset[domains + 1] - tree.child_offset[domains]
    needed = np.zeros(len(domains), dtype=np.int64)
    if not number.any():
        return needed
    first = np.cumsum(number) - number
    owner = np.repeat(np.arange(len(domains)), number)
    children = tree.child[np.arange(len(owner)) + np.repeat(tree.child_offset[domains] - first, number)]
    for group, count in zip(demand.groups, counts, strict=True):
        capacity = _room(demand, group, children)
        order = np.lexsort((-capacity, owner))
        before = np.concatenate(([0], np.cumsum(capacity[order])))
        reached = before[:-1] - before[first][owner]
        np.maximum(needed, np.bincount(owner[reached < count], minlength=len(domains)), out=needed)
    return needed
