"""Take a snapshot: facts of nodes and link counts of HyperNodes into columns in tree order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler.kernel.quantity import LARGEST
from scheduler.kernel.requirements import NOT_READY, UNSCHEDULABLE, HostPort, Taint
from scheduler.kernel.snapshot import (
    BASE_RESOURCES,
    LabelColumn,
    LinkCount,
    NodeColumns,
    NodeFacts,
    Snapshot,
    SnapshotError,
)
from scheduler.kernel.tree import Tree


def take_snapshot(tree: Tree, facts: Iterable[NodeFacts], links: Mapping[str, LinkCount] | None = None) -> Snapshot:
    """Put facts into tree order. A node of the tree without facts is left out; facts in any order give the same.

    Links of names that the tree does not have are ignored (their HyperNode is gone). Raises SnapshotError for facts of
    a node that the tree does not have, and for two facts of one node.
    """
    ordered = _in_tree_order(tree, facts)
    resources = _resources(ordered)
    left_out = np.array([fact is None or fact.deleting for fact in ordered], dtype=np.bool_)
    unhealthy, total = _link_columns(tree, links or {})
    return Snapshot(
        tree=tree,
        resources=resources,
        free=_free(resources, ordered),
        nodes=_columns(ordered),
        left_out=left_out,
        host_ports=_ports(ordered),
        unhealthy_links=unhealthy,
        links=total,
    )


def _in_tree_order(tree: Tree, facts: Iterable[NodeFacts]) -> list[NodeFacts | None]:
    ordered: list[NodeFacts | None] = [None] * len(tree.node_names)
    for fact in facts:
        place = tree.position.get(fact.name)
        if place is None:
            raise SnapshotError(f"node {fact.name} is not in the tree; build the tree with the names of all nodes")
        if ordered[place] is not None:
            raise SnapshotError(f"node {fact.name} is given twice")
        ordered[place] = fact
    return ordered


def _resources(facts: Iterable[NodeFacts | None]) -> tuple[str, ...]:
    named: set[str] = set()
    for fact in facts:
        if fact is not None:
            named.update(fact.allocatable)
    return BASE_RESOURCES + tuple(sorted(named.difference(BASE_RESOURCES)))


def _free(resources: Sequence[str], facts: Sequence[NodeFacts | None]) -> NDArray[np.int64]:
    free = np.zeros((len(resources), len(facts)), dtype=np.int64)
    for row, resource in enumerate(resources):
        free[row] = [0 if fact is None else _left(fact, resource) for fact in facts]
    return free


def _left(fact: NodeFacts, resource: str) -> int:
    left = min(LARGEST, fact.allocatable.get(resource, 0)) - max(0, fact.used.get(resource, 0))
    return max(-LARGEST, left)


def _ports(facts: Sequence[NodeFacts | None]) -> dict[int, frozenset[HostPort]]:
    used = ((place, fact.host_ports) for place, fact in enumerate(facts) if fact is not None)
    return {place: frozenset(ports) for place, ports in used if ports}


def _columns(facts: Sequence[NodeFacts | None]) -> NodeColumns:
    sets: dict[tuple[Taint, ...], int] = {(): 0}
    taint_set = np.zeros(len(facts), dtype=np.int32)
    for place, fact in enumerate(facts):
        if fact is not None and (fact.taints or fact.unschedulable or not fact.ready):
            taint_set[place] = sets.setdefault(_repelling(fact), len(sets))
    healthy = np.array([fact is None or fact.fabric_healthy for fact in facts], dtype=np.bool_)
    return NodeColumns(_labels(facts), tuple(sets), taint_set, healthy)


def _repelling(fact: NodeFacts) -> tuple[Taint, ...]:
    """The taints that keep pods away; states of the node that kube-scheduler treats as taints come first."""
    taints = [Taint(NOT_READY)] if not fact.ready else []
    if fact.unschedulable:
        taints.append(Taint(UNSCHEDULABLE))
    taints.extend(sorted({taint for taint in fact.taints if taint.effect in ("NoSchedule", "NoExecute")}, key=str))
    return tuple(dict.fromkeys(taints))


def _labels(facts: Sequence[NodeFacts | None]) -> dict[str, LabelColumn]:
    codes: dict[str, NDArray[np.int32]] = {}
    values: dict[str, dict[str, int]] = {}
    for place, fact in enumerate(facts):
        if fact is None:
            continue
        for key, value in fact.labels.items():
            if key not in codes:
                codes[key], values[key] = np.full(len(facts), -1, dtype=np.int32), {}
            known = values[key]
            codes[key][place] = known.setdefault(value, len(known))
    return {key: LabelColumn(codes[key], values[key]) for key in codes}


def _link_columns(tree: Tree, links: Mapping[str, LinkCount]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """By domain, children added: an annotation counts own links only, and a gang inside uses those below as well."""
    unhealthy = np.zeros(len(tree.names) + 2, dtype=np.int64)
    total = np.zeros_like(unhealthy)
    for name, count in links.items():
        domain = tree.index.get(name)
        if domain is not None:
            unhealthy[domain], total[domain] = count.unhealthy, count.total
    for domain in range(len(tree.names)):
        parent = tree.parent[domain]
        unhealthy[parent] += unhealthy[domain]
        total[parent] += total[domain]
    return unhealthy, total
