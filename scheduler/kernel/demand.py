"""What a gang asks for, against one snapshot: groups of like pods, and how many of each every node could take alone.

A group is all pods of a gang with the same requests and requirements, whatever class they are in: for the fabric they
are the same. For one group the capacity of a domain is exact: its nodes' capacities added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scheduler.kernel.gang import Gang, PodClass
from scheduler.kernel.predicates import Mask, eligible
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
    prefix: Amounts
    """Shape (nodes + 1): capacities of all nodes before."""

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
        start, end = self.snapshot.tree.start[domains], self.snapshot.tree.end[domains]
        return np.stack([group.prefix[end] - group.prefix[start] for group in self.groups])


def measure(snapshot: Snapshot, gang: Gang) -> Demand:
    """Group the pods of a gang and measure the snapshot's nodes for each group. Classes without pods do not count."""
    alike: dict[tuple[tuple[tuple[str, int], ...], NodeRequirements], list[int]] = {}
    for index, pod_class in enumerate(gang.classes):
        if pod_class.count > 0:
            alike.setdefault((_asked(pod_class), pod_class.requirements), []).append(index)
    masks = {requirements: eligible(snapshot, requirements) for requirements in {one for _, one in alike}}
    groups = [
        _group(snapshot, dict(asked), requirements, masks[requirements], tuple(classes))
        for (asked, requirements), classes in alike.items()
    ]
    return Demand(snapshot, gang, tuple(groups))


def _asked(pod_class: PodClass) -> tuple[tuple[str, int], ...]:
    """Requests without zeros; one of `pods` is always asked for."""
    asked = {resource: amount for resource, amount in pod_class.requests.items() if amount > 0}
    return tuple(sorted({**asked, "pods": 1}.items()))


def _group(
    snapshot: Snapshot,
    asked: dict[str, int],
    requirements: NodeRequirements,
    mask: Mask | None,
    classes: tuple[int, ...],
) -> Group:
    row = {resource: place for place, resource in enumerate(snapshot.resources)}
    rows = tuple((row[resource], amount) for resource, amount in asked.items() if resource in row)
    missing = tuple((resource, amount) for resource, amount in asked.items() if resource not in row)
    if missing:
        capacity = np.zeros(snapshot.free.shape[1], dtype=np.int64)
    else:
        capacity = room(snapshot.free, rows)
        if mask is not None:
            capacity *= mask
        if requirements.host_ports:
            np.minimum(capacity, 1, out=capacity)  # a pod's host ports conflict with those of its like
    prefix = np.zeros(len(capacity) + 1, dtype=np.int64)
    np.cumsum(capacity, out=prefix[1:])
    return Group(classes, rows, missing, requirements, capacity, prefix)


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
