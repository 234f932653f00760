"""Which nodes a pod may use: the answers that kube-scheduler gives, one small case each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from scheduler.kernel.outcome import Reason
from scheduler.kernel.predicates import eligible, exclusions
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
)
from scheduler.kernel.snapshot import NodeFacts, leave_out
from tests.scheduler.kernel.cluster import ROOM, gang, refused, snapshot_of, workers


def allows(requirements: NodeRequirements, fact: NodeFacts) -> bool:
    mask = eligible(snapshot_of([], fact, NodeFacts("other", ROOM), outside=[fact.name, "other"]), requirements)
    return mask is None or bool(mask[["n", "other"].index(fact.name)])


def tolerating(*tolerations: Toleration) -> NodeRequirements:
    return NodeRequirements(tolerations=tolerations)


def affinity(*terms: Term) -> NodeRequirements:
    return NodeRequirements(selectors=(NodeSelector(terms),))


def on_labels(*expressions: Expression) -> NodeRequirements:
    return affinity(Term(expressions))


PLAIN = NodeFacts("n", ROOM)
TAINTED = replace(PLAIN, taints=(Taint("team", "blue"),))


@pytest.mark.parametrize(
    ("fact", "allowed"),
    [
        (PLAIN, True),
        (replace(PLAIN, ready=False), False),
        (replace(PLAIN, unschedulable=True), False),
        (replace(PLAIN, deleting=True), False),
        (TAINTED, False),
        (replace(PLAIN, taints=(Taint("team", "blue", "NoExecute"),)), False),
        (replace(PLAIN, taints=(Taint("team", "blue", "PreferNoSchedule"),)), True),
    ],
)
def test_a_plain_pod_goes_to_nodes_that_keep_nobody_away(fact: NodeFacts, allowed: bool) -> None:
    assert allows(NodeRequirements(), fact) is allowed


@pytest.mark.parametrize(
    ("toleration", "allowed"),
    [
        (Toleration("team", "Equal", "blue"), True),
        (Toleration("team", "", "blue"), True),
        (Toleration("team", "Equal", "red"), False),
        (Toleration("team", "Exists"), True),
        (Toleration("other", "Exists"), False),
        (Toleration("", "Exists"), True),
        (Toleration("team", "Exists", effect="NoSchedule"), True),
        (Toleration("team", "Exists", effect="NoExecute"), False),
    ],
)
def test_55_a_taint_is_tolerated_by_key_value_and_effect(toleration: Toleration, allowed: bool) -> None:
    assert allows(tolerating(toleration), TAINTED) is allowed


def test_every_taint_needs_a_toleration() -> None:
    fact = replace(PLAIN, taints=(Taint("team", "blue"), Taint("gpu", effect="NoExecute")))
    assert not allows(tolerating(Toleration("team", "Exists")), fact)
    assert allows(tolerating(Toleration("team", "Exists"), Toleration("gpu", "Exists")), fact)


def test_55_a_cordoned_node_takes_pods_that_tolerate_it() -> None:
    """KAI#1933."""
    cordoned = replace(PLAIN, unschedulable=True)
    assert allows(tolerating(Toleration(UNSCHEDULABLE, "Exists", effect="NoSchedule")), cordoned)
    assert not allows(tolerating(Toleration(UNSCHEDULABLE, "Exists", effect="NoExecute")), cordoned)


def test_a_node_that_is_not_ready_takes_pods_that_tolerate_it() -> None:
    broken = replace(PLAIN, ready=False)
    assert not allows(tolerating(Toleration(NOT_READY, "Exists", effect="NoExecute")), broken)
    assert allows(tolerating(Toleration(NOT_READY, "Exists")), broken)


LABELLED = replace(PLAIN, labels={"zone": "a", "slots": "8", "empty": "", "word": "x1"})


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        (Expression("zone", "In", ("a", "b")), True),
        (Expression("zone", "In", ("b",)), False),
        (Expression("none", "In", ("a",)), False),
        (Expression("zone", "NotIn", ("b",)), True),
        (Expression("zone", "NotIn", ("a",)), False),
        (Expression("none", "NotIn", ("a",)), True),
        (Expression("empty", "Exists"), True),
        (Expression("none", "Exists"), False),
        (Expression("none", "DoesNotExist"), True),
        (Expression("empty", "DoesNotExist"), False),
        (Expression("empty", "In", ("",)), True),
        (Expression("none", "In", ("",)), False),
        (Expression("slots", "Gt", ("7",)), True),
        (Expression("slots", "Gt", ("8",)), False),
        (Expression("slots", "Lt", ("+9",)), True),
        (Expression("slots", "Lt", ("-9",)), False),
        (Expression("word", "Gt", ("0",)), False),
        (Expression("none", "Lt", ("9",)), False),
    ],
)
def test_46_a_required_node_affinity_is_read_as_the_api_says(expression: Expression, allowed: bool) -> None:
    """kueue#7899: it was ignored. Empty values are values (k/k#140308)."""
    assert allows(on_labels(expression), LABELLED) is allowed


def test_terms_are_alternatives_and_their_parts_are_not() -> None:
    yes, no = Expression("zone", "Exists"), Expression("none", "Exists")
    assert allows(affinity(Term((no,)), Term((yes,))), LABELLED)
    assert not allows(affinity(Term((yes, no))), LABELLED)
    assert not allows(affinity(Term((yes,), (Expression("metadata.name", "In", ("other",)),))), LABELLED)


def test_an_empty_term_or_selector_matches_no_node() -> None:
    assert not allows(affinity(Term()), LABELLED)
    assert not allows(affinity(), LABELLED)


def test_the_field_metadata_name_names_a_node() -> None:
    assert allows(affinity(Term(fields=(Expression("metadata.name", "In", ("n",)),))), LABELLED)
    assert not allows(affinity(Term(fields=(Expression("metadata.name", "In", ("nobody",)),))), LABELLED)
    assert not allows(affinity(Term(fields=(Expression("metadata.name", "NotIn", ("n",)),))), LABELLED)


def test_node_selector_and_every_selector_must_match() -> None:
    zone = NodeSelector((Term((Expression("zone", "In", ("a",)),)),))
    volume = NodeSelector((Term((Expression("zone", "In", ("b",)),)),))
    assert allows(NodeRequirements(labels=(("zone", "a"), ("empty", "")), selectors=(zone,)), LABELLED)
    assert not allows(NodeRequirements(labels=(("zone", "a"),), selectors=(zone, volume)), LABELLED)
    assert not allows(NodeRequirements(labels=(("zone", "b"),)), LABELLED)


@pytest.mark.parametrize(
    ("taken", "allowed"),
    [
        ((HostPort(80),), False),
        ((HostPort(81),), True),
        ((HostPort(80, "UDP"),), True),
        ((HostPort(80, host_ip="10.0.0.1"),), False),
        ((HostPort(80, host_ip=""),), False),
        ((), True),
    ],
)
def test_a_host_port_is_taken_by_port_and_protocol(taken: tuple[HostPort, ...], allowed: bool) -> None:
    assert allows(NodeRequirements(host_ports=(HostPort(80),)), replace(PLAIN, host_ports=taken)) is allowed


def test_host_ports_of_different_addresses_share_a_node() -> None:
    mine = NodeRequirements(host_ports=(HostPort(80, host_ip="10.0.0.1"),))
    assert allows(mine, replace(PLAIN, host_ports=(HostPort(80, host_ip="10.0.0.2"),)))
    assert not allows(mine, replace(PLAIN, host_ports=(HostPort(80, host_ip="0.0.0.0"),)))


def test_nodes_that_other_pods_keep_it_away_from_are_not_eligible() -> None:
    assert not allows(NodeRequirements(excluded_nodes=frozenset({"n", "unknown"})), PLAIN)


@pytest.mark.parametrize(
    "requirements",
    [
        tolerating(Toleration("a", "Gt", "1")),
        on_labels(Expression("zone", "Near", ("a",))),
        on_labels(Expression("zone", "In")),
        on_labels(Expression("zone", "Exists", ("a",))),
        on_labels(Expression("zone", "Gt", ("1_0",))),
        on_labels(Expression("zone", "Gt", ("9223372036854775808",))),
        on_labels(Expression("zone", "Lt", ("1", "2"))),
        affinity(Term(fields=(Expression("spec.unschedulable", "In", ("a",)),))),
        affinity(Term(fields=(Expression("metadata.name", "In", ("a", "b")),))),
        affinity(Term(fields=(Expression("metadata.name", "Exists"),))),
    ],
)
def test_what_is_not_understood_is_refused_by_name(requirements: NodeRequirements) -> None:
    one = gang(replace(workers(1), requirements=requirements), mode="none")
    refusal = refused(snapshot_of([], outside=["n"]), one)
    assert refusal.reason is Reason.NOT_UNDERSTOOD
    assert "worker" in refusal.detail


def test_each_node_is_counted_under_the_first_reason_that_keeps_it_out() -> None:
    facts: Sequence[NodeFacts] = (
        replace(TAINTED, name="a1"),
        replace(TAINTED, name="a2", unschedulable=True),
        replace(LABELLED, name="a3", ready=False),
        replace(LABELLED, name="a4"),
        NodeFacts("a5", ROOM),
        NodeFacts("a6", ROOM),
    )
    snapshot = leave_out(snapshot_of([], *facts, outside=[fact.name for fact in facts]), ["a6"])
    found = exclusions(snapshot, NodeRequirements(labels=(("zone", "a"),)), 0, 6)
    assert found == {
        "taint team=blue:NoSchedule": 1,
        "cordoned": 1,
        "not Ready": 1,
        "node selector": 1,
        "deleted, drained or left out": 1,
    }
