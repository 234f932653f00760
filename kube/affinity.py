"""The placement constraints that a pod carries: affinity, tolerations, topology spread. Source: `core/v1/types.go`."""

from __future__ import annotations

import msgspec

from kube.meta import LabelSelector, LabelSelectorRequirement, Wire

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


class NodeSelectorTerm(Wire, frozen=True, kw_only=True):
    """All expressions (over labels) and all fields (metadata.name) must hold; an empty term matches no node."""

    match_expressions: tuple[LabelSelectorRequirement, ...] = ()
    match_fields: tuple[LabelSelectorRequirement, ...] = ()


class NodeSelector(Wire, frozen=True, kw_only=True):
    """Terms of which one must hold."""

    node_selector_terms: tuple[NodeSelectorTerm, ...] = ()


class NodeAffinity(Wire, frozen=True, kw_only=True):
    """Required node affinity; preferred terms are ignored (rules/scheduling)."""

    required: NodeSelector | None = msgspec.field(name=REQUIRED, default=None)


class PodAffinityTerm(Wire, frozen=True, kw_only=True):
    """One required rule about other pods in the same topology domain."""

    topology_key: str
    label_selector: LabelSelector | None = None
    namespace_selector: LabelSelector | None = None
    namespaces: tuple[str, ...] = ()
    match_label_keys: tuple[str, ...] = ()
    mismatch_label_keys: tuple[str, ...] = ()


class PodAffinity(Wire, frozen=True, kw_only=True):
    """Required rules about other pods; used for affinity and for anti-affinity."""

    required: tuple[PodAffinityTerm, ...] = msgspec.field(name=REQUIRED, default=())


class Affinity(Wire, frozen=True, kw_only=True):
    """The required parts of a pod's affinity."""

    node_affinity: NodeAffinity | None = None
    pod_affinity: PodAffinity | None = None
    pod_anti_affinity: PodAffinity | None = None


class Toleration(Wire, frozen=True, kw_only=True):
    """Lets a pod onto nodes with a taint: operator Equal or Exists; an empty key with Exists matches every taint."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


class TopologySpreadConstraint(Wire, frozen=True, kw_only=True):
    """Spread over topology domains: DoNotSchedule is a predicate, ScheduleAnyway a wish."""

    topology_key: str
    when_unsatisfiable: str
