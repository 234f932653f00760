"""What a pod requires of a node beside its resources, and what a node says of itself, as values.

Taints, selector terms, host ports, in the words of the Kubernetes API (core/v1); `predicates` evaluates them. Whoever
reads pods fills them in without judging: an operator or a field that the kernel does not know is found by
`not_understood` and refused by name, so that nothing is ever placed on a guess.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

NOT_READY = "node.kubernetes.io/not-ready"
UNSCHEDULABLE = "node.kubernetes.io/unschedulable"
EVERY_ADDRESS = "0.0.0.0"


@dataclass(frozen=True, slots=True)
class Taint:
    """One taint of a node. Only NoSchedule and NoExecute keep pods away; PreferNoSchedule is ignored."""

    key: str
    value: str = ""
    effect: str = "NoSchedule"

    def __str__(self) -> str:
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


@dataclass(frozen=True, slots=True)
class Toleration:
    """One toleration of a pod. An empty key or effect stands for every one; an empty operator is Equal."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""

    def tolerates(self, taint: Taint) -> bool:
        """True when this toleration covers the taint (core/v1 Toleration.ToleratesTaint)."""
        if self.effect and self.effect != taint.effect:
            return False
        if self.key and self.key != taint.key:
            return False
        return self.operator == "Exists" or (self.operator in ("Equal", "") and self.value == taint.value)


@dataclass(frozen=True, slots=True)
class Expression:
    """One requirement of a node selector term: In, NotIn, Exists, DoesNotExist, Gt or Lt over one label (or field)."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Term:
    """Expressions over labels and fields that must all hold. A term without any matches no node."""

    expressions: tuple[Expression, ...] = ()
    fields: tuple[Expression, ...] = ()
    """Only `metadata.name` with In or NotIn and one value, as the API server allows."""


@dataclass(frozen=True, slots=True)
class NodeSelector:
    """Terms of which one must hold (core/v1 NodeSelector). Without any term it matches no node."""

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class HostPort:
    """A port of the node itself that a pod occupies."""

    port: int
    protocol: str = "TCP"
    host_ip: str = EVERY_ADDRESS

    def __str__(self) -> str:
        return f"{self.port}/{self.protocol}"

    def conflicts(self, other: HostPort) -> bool:
        """True when both cannot be on one node: same port and protocol, and the same or every address."""
        if self.port <= 0 or (self.port, self.protocol) != (other.port, other.protocol):
            return False
        mine, theirs = self.host_ip or EVERY_ADDRESS, other.host_ip or EVERY_ADDRESS
        return mine == theirs or EVERY_ADDRESS in (mine, theirs)


@dataclass(frozen=True, slots=True)
class NodeRequirements:
    """Everything that must hold of a node before a pod of one class may go there."""

    labels: tuple[tuple[str, str], ...] = ()
    """spec.nodeSelector."""
    selectors: tuple[NodeSelector, ...] = ()
    """All must match: the pod's required node affinity, and the node affinity of every bound volume."""
    tolerations: tuple[Toleration, ...] = ()
    host_ports: tuple[HostPort, ...] = ()
    excluded_nodes: frozenset[str] = frozenset()
    """Nodes that the pods already there keep this pod away from (their required anti-affinity)."""


ANYWHERE = NodeRequirements()


def not_understood(requirements: NodeRequirements) -> Iterator[str]:
    """Name what the kernel cannot evaluate exactly as kube-scheduler would, one phrase each."""
    for toleration in requirements.tolerations:
        if toleration.operator not in ("Exists", "Equal", ""):
            yield f"toleration operator {toleration.operator!r} of key {toleration.key!r}"
    for selector in requirements.selectors:
        for term in selector.terms:
            for expression in term.expressions:
                yield from _unknown_expression(expression)
            for expression in term.fields:
                yield from _unknown_field(expression)


def _unknown_expression(expression: Expression) -> Iterator[str]:
    where = f"node affinity on {expression.key!r}"
    match expression.operator:
        case "In" | "NotIn":
            if not expression.values:
                yield f"{where}: {expression.operator} without values"
        case "Exists" | "DoesNotExist":
            if expression.values:
                yield f"{where}: {expression.operator} with values"
        case "Gt" | "Lt":
            if len(expression.values) != 1 or as_integer(expression.values[0]) is None:
                yield f"{where}: {expression.operator} needs one whole number"
        case _:
            yield f"{where}: operator {expression.operator!r}"


def _unknown_field(expression: Expression) -> Iterator[str]:
    if expression.key != "metadata.name":
        yield f"node affinity on the field {expression.key!r}"
    elif expression.operator not in ("In", "NotIn") or len(expression.values) != 1:
        yield "node affinity on the field 'metadata.name' other than In or NotIn with one value"


def as_integer(text: str) -> int | None:
    """A 64-bit whole number as Go's strconv.ParseInt(text, 10, 64) reads it; None where that fails."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not (digits.isascii() and digits.isdigit()) or len(digits.lstrip("0")) > 19:
        return None
    number = int(digits.lstrip("0") or "0") * (-1 if text[0] == "-" else 1)
    return number if -(2**63) <= number < 2**63 else None
