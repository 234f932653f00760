"""Required anti-affinity of pods that are on nodes already: where it keeps a gang's pods away from.

The rule is symmetric in kube-scheduler (InterPodAffinity): a pod that is there may forbid one that comes. Where a term
cannot be evaluated (namespace labels, an operator nobody knows), it counts as matching: fewer nodes, never a wrong one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kube.types import Node, Pod, PodAffinityTerm
from scheduler.selecting import SelectorError, matches


@dataclass(frozen=True, slots=True)
class Repulsion:
    """A pod on a node, and one term of it that keeps others out of the node's topology domain."""

    namespace: str
    node: str
    term: PodAffinityTerm

    def concerns(self, pod: Pod) -> bool:
        """Whether the term's namespaces and labels take in the pod."""
        return self._in_namespace(pod) and self._labels_match(pod)

    def _in_namespace(self, pod: Pod) -> bool:
        term = self.term
        if term.namespace_selector is not None:
            return True
        return pod.metadata.namespace in (term.namespaces or (self.namespace,))

    def _labels_match(self, pod: Pod) -> bool:
        if self.term.label_selector is None:
            return False
        try:
            return matches(self.term.label_selector, pod.metadata.labels)
        except SelectorError:
            return True


def repulsions(pod: Pod) -> tuple[Repulsion, ...]:
    """The required anti-affinity terms of a pod that stands on a node."""
    affinity = pod.spec.affinity
    if affinity is None or affinity.pod_anti_affinity is None:
        return ()
    where = pod.metadata.namespace
    return tuple(Repulsion(where, pod.spec.node_name, term) for term in affinity.pod_anti_affinity.required)


def excluded_nodes(pod: Pod, present: Iterable[Repulsion], nodes: Mapping[str, Node]) -> frozenset[str]:
    """The nodes that pods already there keep this pod away from."""
    barred: set[tuple[str, str]] = set()
    for repulsion in present:
        node = nodes.get(repulsion.node)
        key = repulsion.term.topology_key
        value = None if node is None else node.metadata.labels.get(key)
        if value is not None and (key, value) not in barred and repulsion.concerns(pod):
            barred.add((key, value))
    if not barred:
        return frozenset()
    return frozenset(
        name for name, node in nodes.items() if any(node.metadata.labels.get(key) == value for key, value in barred)
    )
