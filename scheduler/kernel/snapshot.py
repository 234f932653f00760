"""A snapshot: what every node has free and says of itself at one moment, in tree order.

Amounts are whole numbers in canonical units (`quantity`). A snapshot never changes: assuming and releasing pods, or
leaving nodes out, gives a new one that shares all columns that stay the same. `snapshot_build` takes one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from scheduler.kernel.quantity import counted
from scheduler.kernel.requirements import HostPort, Taint
from scheduler.kernel.tree import Tree

BASE_RESOURCES = ("cpu", "memory", "pods")


class SnapshotError(ValueError):
    """Something was asked of a snapshot about a node or HyperNode that it does not know; the message names it."""


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """One node as the API server shows it, and what all pods on it hold."""

    name: str
    allocatable: Mapping[str, int]
    """Resource to amount in canonical units, `pods` included."""
    used: Mapping[str, int] = field(default_factory=dict)
    """What all non-terminal pods on the node hold, terminating ones too, whoever placed them; `pods` counts them."""
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    ready: bool = True
    """False where the condition Ready is False or Unknown: the same as the taint node.kubernetes.io/not-ready."""
    unschedulable: bool = False
    """spec.unschedulable (cordoned): the same as the taint node.kubernetes.io/unschedulable."""
    deleting: bool = False
    fabric_healthy: bool = True
    """False where the condition FabricHealthy is False; such nodes are used last."""
    host_ports: tuple[HostPort, ...] = ()
    """Ports that pods on the node occupy."""


@dataclass(frozen=True, slots=True)
class LinkCount:
    """The annotation `hyperscout.io/links` of one HyperNode: its own links only."""

    unhealthy: int
    total: int


@dataclass(frozen=True, slots=True)
class PodOnNode:
    """A pod that takes its part of a node."""

    node: str
    requests: Mapping[str, int]
    """As PodClass.requests: without `pods`."""
    host_ports: tuple[HostPort, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class LabelColumn:
    """One label key over all nodes: a code for its value, -1 where the node lacks it."""

    codes: NDArray[np.int32]
    values: Mapping[str, int]
    """Value to code; codes count up from 0."""


@dataclass(frozen=True, slots=True, eq=False)
class NodeColumns:
    """What the predicates look at, as columns in tree order."""

    labels: Mapping[str, LabelColumn]
    taint_sets: tuple[tuple[Taint, ...], ...]
    """The distinct sets of taints (NoSchedule and NoExecute only), not-ready and unschedulable included."""
    taint_set: NDArray[np.int32]
    """By node: index into `taint_sets`."""
    fabric_healthy: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """All that `place` needs to know, beside the gang."""

    tree: Tree
    resources: tuple[str, ...]
    """Names of the rows of `free`: cpu, memory, pods, then the others in alphabetical order."""
    free: NDArray[np.int64]
    """Shape (resources, nodes), C order: allocatable less used; below 0 on an over-committed node."""
    nodes: NodeColumns
    left_out: NDArray[np.bool_]
    """Nodes that must not be used: deleted, being deleted, drained or excluded by request."""
    host_ports: Mapping[int, frozenset[HostPort]]
    """Ports in use, by node position; nodes without any are absent."""
    unhealthy_links: NDArray[np.int64]
    links: NDArray[np.int64]
    """By domain (`top` and `outside` included): links of the domain and everything below it."""


def assume(snapshot: Snapshot, pods: Iterable[PodOnNode]) -> Snapshot:
    """The snapshot after these pods took their places. Raises SnapshotError for a node it does not know."""
    return _change(snapshot, list(pods), -1)


def release(snapshot: Snapshot, pods: Iterable[PodOnNode]) -> Snapshot:
    """The snapshot without these pods, which it counted before. Raises SnapshotError for a node it does not know."""
    return _change(snapshot, list(pods), 1)


def leave_out(snapshot: Snapshot, nodes: Iterable[str]) -> Snapshot:
    """The snapshot in which these nodes are not used. Raises SnapshotError for a node it does not know."""
    left_out = snapshot.left_out.copy()
    left_out[_positions(snapshot, nodes)] = True
    return replace(snapshot, left_out=left_out)


def _change(snapshot: Snapshot, pods: list[PodOnNode], sign: int) -> Snapshot:
    free, row = snapshot.free.copy(), {resource: place for place, resource in enumerate(snapshot.resources)}
    ports = dict(snapshot.host_ports)
    for pod, node in zip(pods, _positions(snapshot, (pod.node for pod in pods)), strict=True):
        free[row["pods"], node] += sign
        for resource, amount in pod.requests.items():
            if resource in row:
                free[row[resource], node] += sign * amount
        if pod.host_ports:
            before = ports.get(node, frozenset())
            ports[node] = before.union(pod.host_ports) if sign < 0 else before.difference(pod.host_ports)
    return replace(snapshot, free=free, host_ports=ports)


def _positions(snapshot: Snapshot, nodes: Iterable[str]) -> list[int]:
    position = snapshot.tree.position
    names = list(nodes)
    unknown = sorted({name for name in names if name not in position})
    if unknown:
        others = f" (nor {counted(len(unknown) - 1, 'other')})" if unknown[1:] else ""
        raise SnapshotError(f"no node is named {unknown[0]}{others}")
    return [position[name] for name in names]
