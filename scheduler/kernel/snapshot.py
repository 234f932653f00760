"""A snapshot: what every node has free and says of itself at one moment, in tree order.

Amounts are whole numbers in canonical units (`quantity`). A snapshot never changes: assuming and releasing pods, or
leaving nodes out, gives a new one that shares all columns that stay the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scheduler.kernel.requirements import HostPort, Taint
from scheduler.kernel.tree import Tree

BASE_RESOURCES = ("cpu", "memory", "pods")


@dataclass(frozen=True, slots=True)
class NodeFacts:
    """One node as the API server shows it, and what all pods on it hold."""

    name: str
    allocatable: Mapping[str, int]
    """Resource to amount in canonical units, `pods` included."""
    used: Mapping[str, int] = field(default_factory=dict)
    """What every non-terminal pod on the node holds, terminating ones too, whoever placed them; `pods` is their number."""
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    ready: bool = True
    """False where the condition Ready is False or Unknown: the same as the taint node.kubernetes.io/not-ready."""
    unschedulable: bool = False
    """spec.unschedulable (cordoned)."""
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
