"""Which nodes a pod may use at all, decided exactly as kube-scheduler does, resources aside.

The predicates are those of NodeUnschedulable, TaintToleration, NodeAffinity and NodePorts. Each is evaluated once for
every distinct set of taints and every distinct label value, never node by node. Requirements that `not_understood`
names must be refused before they come here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler.kernel.requirements import (
    NOT_READY,
    UNSCHEDULABLE,
    Expression,
    HostPort,
    NodeRequirements,
    NodeSelector,
    Taint,
    Term,
    Toleration,
    as_integer,
)
from scheduler.kernel.snapshot import LabelColumn, Snapshot

Mask = NDArray[np.bool_]
LEFT_OUT = "deleted, drained or left out"


def eligible(snapshot: Snapshot, requirements: NodeRequirements) -> Mask | None:
    """By node: True where the pod may go if the resources suffice. None: everywhere."""
    masks = [mask for _, predicate in PREDICATES if (mask := predicate(snapshot, requirements)) is not None]
    if not masks:
        return None
    return masks[0] if len(masks) == 1 else _all(masks)


def exclusions(snapshot: Snapshot, requirements: NodeRequirements, start: int, end: int) -> Counter[str]:
    """Why nodes of the slice are not eligible: reason to number of nodes, each node under its first reason."""
    reasons: Counter[str] = Counter()
    left = np.ones(end - start, dtype=np.bool_)
    for reason, predicate in PREDICATES:
        mask = predicate(snapshot, requirements)
        if mask is None:
            continue
        out = left & ~mask[start:end]
        if predicate is _tolerated:
            reasons.update(_taint_reasons(snapshot, requirements.tolerations, start + np.flatnonzero(out)))
        elif out.any():
            reasons[reason] += int(out.sum())
        left &= mask[start:end]
    return reasons


def _kept(snapshot: Snapshot, requirements: NodeRequirements) -> Mask | None:
    return ~snapshot.left_out if snapshot.left_out.any() else None


def _tolerated(snapshot: Snapshot, requirements: NodeRequirements) -> Mask | None:
    sets = snapshot.nodes.taint_sets
    if len(sets) == 1:
        return None
    passes = [_first_untolerated(taints, requirements.tolerations) is None for taints in sets]
    return None if all(passes) else np.array(passes, dtype=np.bool_)[snapshot.nodes.taint_set]


def _first_untolerated(taints: Iterable[Taint], tolerations: Iterable[Toleration]) -> Taint | None:
    return next((taint for taint in taints if not any(one.tolerates(taint) for one in tolerations)), None)


def _taint_reasons(snapshot: Snapshot, tolerations: Iterable[Toleration], nodes: NDArray[np.int64]) -> Counter[str]:
    reasons: Counter[str] = Counter()
    sets, counts = np.unique(snapshot.nodes.taint_set[nodes], return_counts=True)
    for which, count in zip(sets.tolist(), counts.tolist(), strict=True):
        taint = _first_untolerated(snapshot.nodes.taint_sets[which], tolerations)
        if taint is not None:
            reasons[_TAINT_WORDS.get(taint, f"taint {taint}")] += count
    return reasons


_TAINT_WORDS: Mapping[Taint, str] = {Taint(NOT_READY): "not Ready", Taint(UNSCHEDULABLE): "cordoned"}


def _selected(snapshot: Snapshot, requirements: NodeRequirements) -> Mask | None:
    if not requirements.labels:
        return None
    masks = [_match(snapshot, Expression(key, "In", (value,))) for key, value in requirements.labels]
    return _all(masks)


def _affine(snapshot: Snapshot, requirements: NodeRequirements) -> Mask | None:
    if not requirements.selectors:
        return None
    return _all([_any_term(snapshot, selector) for selector in requirements.selectors])


def _all(masks: Sequence[Mask]) -> Mask:
    holds: Mask = np.logical_and.reduce(masks)
    return holds


def _any_term(snapshot: Snapshot, selector: NodeSelector) -> Mask:
    found = np.zeros(len(snapshot.left_out), dtype=np.bool_)
    for term in selector.terms:
        found |= _all_expressions(snapshot, term)
    return found


def _all_expressions(snapshot: Snapshot, term: Term) -> Mask:
    """A term without expressions and fields matches nothing (component-helpers/scheduling/corev1/nodeaffinity)."""
    holds = np.full(len(snapshot.left_out), bool(term.expressions or term.fields), dtype=np.bool_)
    for expression in term.expressions:
        holds &= _match(snapshot, expression)
    for expression in term.fields:
        named = np.zeros_like(holds)
        place = snapshot.tree.position.get(expression.values[0])
        if place is not None:
            named[place] = True
        holds &= named if expression.operator == "In" else ~named
    return holds


_NOWHERE: Mapping[str, int] = {}


def _match(snapshot: Snapshot, expression: Expression) -> Mask:
    column = snapshot.nodes.labels.get(expression.key)
    if column is None:
        column = LabelColumn(np.full(len(snapshot.left_out), -1, dtype=np.int32), _NOWHERE)
    match expression.operator:
        case "In":
            return _one_of(column, expression.values)
        case "NotIn":
            return ~_one_of(column, expression.values)
        case "Exists":
            return column.codes >= 0
        case "DoesNotExist":
            return column.codes < 0
        case "Gt":
            return _compared(column, expression.values[0], int.__gt__)
        case "Lt":
            return _compared(column, expression.values[0], int.__lt__)
    raise ValueError(f"operator {expression.operator!r} is not understood; not_understood() must be asked first")


def _one_of(column: LabelColumn, values: Iterable[str]) -> Mask:
    codes = [column.values[value] for value in values if value in column.values]
    return column.codes == codes[0] if len(codes) == 1 else _by_code(column, codes)


def _compared(column: LabelColumn, bound: str, holds: Callable[[int, int], bool]) -> Mask:
    """Gt and Lt: the label and the bound as 64-bit numbers; a label that is no number does not match."""
    limit = as_integer(bound)
    codes = []
    for value, code in column.values.items():
        number = as_integer(value)
        if number is not None and limit is not None and holds(number, limit):
            codes.append(code)
    return _by_code(column, codes)


def _by_code(column: LabelColumn, codes: list[int]) -> Mask:
    table = np.zeros(len(column.values) + 1, dtype=np.bool_)  # the last entry stands for -1: label absent
    table[codes] = True
    return table[column.codes]


def _apart(snapshot: Snapshot, requirements: NodeRequirements) -> Mask | None:
    places = [snapshot.tree.position[name] for name in requirements.excluded_nodes if name in snapshot.tree.position]
    return _all_but(snapshot, places)


def _ports_free(snapshot: Snapshot, requirements: NodeRequirements) -> Mask | None:
    if not requirements.host_ports or not snapshot.host_ports:
        return None
    wanted = requirements.host_ports
    return _all_but(snapshot, [node for node, taken in snapshot.host_ports.items() if ports_conflict(wanted, taken)])


def _all_but(snapshot: Snapshot, places: list[int]) -> Mask | None:
    if not places:
        return None
    mask = np.ones(len(snapshot.left_out), dtype=np.bool_)
    mask[places] = False
    return mask


def ports_conflict(wanted: Iterable[HostPort], taken: Iterable[HostPort]) -> bool:
    """True when pods with these host ports cannot share a node."""
    held = list(taken)
    return any(port.conflicts(other) for port in wanted for other in held)


Predicate = Callable[[Snapshot, NodeRequirements], Mask | None]
"""True where the node passes; None: all do."""

PREDICATES: tuple[tuple[str, Predicate], ...] = (
    (LEFT_OUT, _kept),
    ("taints", _tolerated),
    ("node selector", _selected),
    ("node affinity", _affine),
    ("host ports taken", _ports_free),
    ("anti-affinity of pods there", _apart),
)
"""In the order of kube-scheduler's filter plugins, which is the order of reasons."""
