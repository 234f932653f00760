"""A pod as the kernel's values: what it asks for, where it may go, and what of it the scheduler lacks.

A predicate that we do not evaluate exactly as kube-scheduler does is never left out: it becomes a phrase in
`Shape.unsupported`, and the gang is refused with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kube.types import LabelSelectorRequirement, NodeSelector, NodeSelectorTerm, Pod
from scheduler import names
from scheduler.kernel import requirements as kernel
from scheduler.kernel.quantity import QuantityError
from scheduler.requests import pod_host_ports, pod_requests

REFUSED_VOLUMES = ("gce_persistent_disk", "aws_elastic_block_store", "azure_disk", "iscsi", "rbd")
"""Volumes that only one node, or so many a node, may hold: refused by name."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What makes pods alike for placement. Hashable: pods of one shape are one class."""

    requests: tuple[tuple[str, int], ...]
    requirements: kernel.NodeRequirements
    task: str
    unsupported: tuple[str, ...]


def read_shape(pod: Pod, claims: tuple[kernel.NodeSelector, ...] = (), refused_claims: tuple[str, ...] = ()) -> Shape:
    """The shape of a pod; `claims` are the node affinities of its bound volumes, `refused_claims` bar the others."""
    unsupported = [*_unsupported(pod), *refused_claims]
    try:
        requests = tuple(sorted(pod_requests(pod).items()))
    except QuantityError as error:
        requests = ()
        unsupported.append(f"a request that cannot be read: {error}")
    spec = pod.spec
    requirements = kernel.NodeRequirements(
        labels=tuple(sorted(spec.node_selector.items())),
        selectors=(*_node_affinity(pod), *claims),
        tolerations=tuple(kernel.Toleration(t.key, t.operator or "Equal", t.value, t.effect) for t in spec.tolerations),
        host_ports=pod_host_ports(pod),
    )
    return Shape(requests, requirements, task_of(pod), tuple(dict.fromkeys(unsupported)))


def task_of(pod: Pod) -> str:
    """The task of a VolcanoJob that the pod belongs to, "" for others."""
    return pod.metadata.annotations.get(names.TASK) or pod.metadata.labels.get(names.TASK, "")


def read_selector(selector: NodeSelector) -> kernel.NodeSelector:
    """A node selector (of a pod or a volume) as the kernel's value."""
    return kernel.NodeSelector(tuple(_term(term) for term in selector.node_selector_terms))


def _term(term: NodeSelectorTerm) -> kernel.Term:
    return kernel.Term(
        tuple(_expression(one) for one in term.match_expressions), tuple(_expression(one) for one in term.match_fields)
    )


def _expression(expression: LabelSelectorRequirement) -> kernel.Expression:
    return kernel.Expression(expression.key, expression.operator, expression.values)


def _node_affinity(pod: Pod) -> Iterator[kernel.NodeSelector]:
    affinity = pod.spec.affinity
    if affinity is not None and affinity.node_affinity is not None and affinity.node_affinity.required is not None:
        yield read_selector(affinity.node_affinity.required)


def _unsupported(pod: Pod) -> Iterator[str]:
    """Predicates that the pod asks for and we lack (M6 to M9), one phrase each."""
    affinity = pod.spec.affinity
    if affinity is not None and affinity.pod_affinity is not None and affinity.pod_affinity.required:
        yield "required pod affinity"
    if affinity is not None and affinity.pod_anti_affinity is not None and affinity.pod_anti_affinity.required:
        yield "required pod anti-affinity"
    if any(spread.when_unsatisfiable != "ScheduleAnyway" for spread in pod.spec.topology_spread_constraints):
        yield "topology spread with DoNotSchedule"
    if pod.spec.resource_claims:
        yield f"resource claim {pod.spec.resource_claims[0].name!r}"
    for volume in pod.spec.volumes:
        if volume.ephemeral is not None:
            yield f"generic ephemeral volume {volume.name!r}"
        if any(getattr(volume, kind) is not None for kind in REFUSED_VOLUMES):
            yield f"volume {volume.name!r}, a disk that is attached to nodes"
