"""What a gang asks for, against one snapshot: groups of like pods, and how many of each every node could take alone.

A group is all pods of a gang with the same requests and requirements, whatever class they are in: for the fabric they
are the same. For one group the capacity of a domain is exact: its nodes' capacities added up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scheduler.kernel.gang import Gang, PodClass
from scheduler.kernel.predicates import eligible
from scheduler.kernel.requirements import HostPort, NodeRequirements
from scheduler.kernel.snapshot import Snapshot
from scheduler.kernel.tree import Domains

CEILING = 2**31
"""More pods than any node takes; capacities are cut to it so that sums stay far inside 64 bits."""

Amounts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Pods that are alike to the fabric."""

    classes: tuple[int, ...]
    """Indices of their classes in the gang."""
    rows: tuple[tuple[int, int], ...]
    """(row of Snapshot.free, amount a pod) for every resource asked for, `pods` included. An amount of 0 is not asked
    for: as in kube-scheduler it is no matter then how over-committed the node is."""
    missing: tuple[tuple[str, int], ...]
    """(resource, amount) that no node has."""
    requirements: NodeRequirements
    capacity: Amounts
    """By node: the pods that it could take if no other group took any."""
    before: Amounts
    """By cut of the tree: the capacities of all nodes before it."""

    @property
    def supply(self) -> int:
        """The pods that the whole cluster could take."""
        return int(self.before[-1])

    @property
    def host_ports(self) -> tuple[HostPort, ...]:
        """The host ports of each of its pods."""
        return self.requirements.host_ports


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """All groups of one gang against one snapshot."""

    snapshot: Snapshot
    gang: Gang
    groups: tuple[Group, ...]

    def counts(self, class_counts: Sequence[int]) -> tuple[int, ...]:
        """Pods of each group, from the pods of each class."""
        return tuple(sum(class_counts[index] for index in group.classes) for group in self.groups)

    def sums(self, domains: Domains) -> Amounts:
        """Shape (groups, domains): pods of each group that each domain takes alone."""
        return np.stack([self.snapshot.tree.sums_within(group.before, domains) for group in self.groups])


def measure(snapshot: Snapshot, gang: Gang) -> Demand:
    """Group the pods of a gang and measure the snapshot's nodes for each group. Classes without pods do not count."""
    alike: dict[tuple[tuple[tuple[str, int], ...], NodeRequirements], list[int]] = {}
    for index, pod_class in enumerate(gang.classes):
        if pod_class.count > 0:
            alike.setdefault((_asked(pod_class), pod_class.requirements), []).append(index)
    factors = {requirements: _factor(snapshot, requirements) for requirements in {one for _, one in alike}}
    groups: list[Group] = []
    for (asked, requirements), classes in alike.items():
        rows, missing = _rows(snapshot, asked)
        capacity = np.zeros_like(snapshot.left_out, dtype=np.int64) if missing else room(snapshot.free, rows)
        factor = factors[requirements]
        if factor is not None:
            capacity *= factor
        if requirements.host_ports:
            np.minimum(capacity, 1, out=capacity)  # a pod's host ports conflict with those of its like
        before = snapshot.tree.sums_before(capacity)
        groups.append(Group(tuple(classes), rows, missing, requirements, capacity, before))
    return Demand(snapshot, gang, tuple(groups))


def _asked(pod_class: PodClass) -> tuple[tuple[str, int], ...]:
    """Requests without zeros; one of `pods` is always asked for."""
    asked = {resource: amount for resource, amount in pod_class.requests.items() if amount > 0}
    return tuple(sorted({**asked, "pods": 1}.items()))


def _factor(snapshot: Snapshot, requirements: NodeRequirements) -> Amounts | None:
    """What capacities are multiplied with: 1 for an eligible node, 0 for another; None: all are eligible."""
    mask = eligible(snapshot, requirements)
    return None if mask is None else mask.astype(np.int64)


def _rows(
    snapshot: Snapshot, asked: Iterable[tuple[str, int]]
) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[str, int], ...]]:
    """What is asked for, by row of Snapshot.free; and what no node has, by name."""
    row = {resource: place for place, resource in enumerate(snapshot.resources)}
    found = tuple((row[resource], amount) for resource, amount in asked if resource in row)
    return found, tuple((resource, amount) for resource, amount in asked if resource not in row)


def room(free: Amounts, rows: Sequence[tuple[int, int]]) -> Amounts:
    """By node: how many pods the free amounts hold, the smallest of free // request over the resources asked for."""
    least = np.full(free.shape[1], CEILING, dtype=np.int64)
    whole = np.empty_like(least)
    for row, amount in rows:
        if amount == 1:
            np.minimum(least, free[row], out=least)
        else:
            np.floor_divide(free[row], amount, out=whole)
            np.minimum(least, whole, out=least)
    return np.maximum(least, 0, out=least)
