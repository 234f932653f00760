"""The taint: only current evidence moves it, and the limits hold up additions."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from controller.nodes.taints import CLUSTER, HeldBack, Taints, choose_taints
from controller.reasons import taints_held_back
from controller.settings import NodeMarks
from kube.types import Node, NodeSpec, ObjectMeta, Taint
from topology.health import Condition, Findings, Freshness
from topology.hierarchy import Hierarchy, HyperNode
from topology.links import End, KnownLinks, Link, Places, Verdict

KEY = "hyperscout.io/fabric-unhealthy"
ON = NodeMarks(taint="NoSchedule")
NODES = [f"node-{number:02}" for number in range(40)]
CURRENT = Freshness(known=True, reporting=frozenset(NODES))


def leaf(number: int, size: int) -> HyperNode:
    nodes = tuple(NODES[number * size : (number + 1) * size])
    return HyperNode(f"leaf-{number}", "ib", 2, "leaf", None, (), nodes, (), ())


def choose(
    sick: Iterable[str],
    tainted: Iterable[str] = (),
    freshness: Freshness = CURRENT,
    settings: NodeMarks = ON,
    unjudged: Iterable[str] = (),
) -> Taints:
    """Four leaves of ten nodes; every node has one link, to the switch of its number plus 1000."""
    tree = Hierarchy(tuple(leaf(number, 10) for number in range(4)))
    spec = NodeSpec(taints=(Taint(key="theirs", effect="NoExecute"), Taint(key=KEY, effect="NoSchedule")))
    nodes = [
        Node(metadata=ObjectMeta(name=name), spec=spec if name in tainted else NodeSpec(taints=spec.taints[:1]))
        for name in NODES
    ]
    health = {
        name: Condition("FabricHealthy", "False" if name in sick else "True", "", "")
        for name in NODES
        if name not in unjudged
    }
    links = {Link(End(number, 1), End(number + 1000, 1)): Verdict("Up") for number in range(40)}
    known = KnownLinks(links, dict(enumerate(NODES)))
    return choose_taints(nodes, tree, health, Findings(known, Places({}, {}, {}), (), freshness), settings)


def test_nothing_is_tainted_unless_somebody_asks_for_it() -> None:
    assert choose(NODES[:3], settings=NodeMarks()) == Taints({})


def test_an_unhealthy_node_is_tainted_and_loses_the_taint_when_it_is_well() -> None:
    assert choose(NODES[3:4]).changes == {NODES[3]: "NoSchedule"}
    assert choose(NODES[3:4], tainted=NODES[3:4]) == Taints({})
    assert choose([], tainted=NODES[3:4]).changes == {NODES[3]: ""}


def test_a_taint_that_nobody_asks_for_any_more_is_removed_whatever_the_evidence() -> None:
    assert choose(NODES[:1], tainted=NODES[:1], freshness=Freshness(), settings=NodeMarks()).changes == {NODES[0]: ""}


def test_another_effect_takes_the_place_of_the_first() -> None:
    settings = NodeMarks(taint="PreferNoSchedule")
    assert choose(NODES[:1], tainted=NODES[:1], settings=settings).changes == {NODES[0]: "PreferNoSchedule"}


@pytest.mark.parametrize(
    "freshness",
    [
        Freshness(),
        Freshness(known=True, reporting=frozenset(NODES), stale_nodes=frozenset(NODES[:2])),
        Freshness(known=True, reporting=frozenset(NODES), stale_switches=frozenset({1000, 1001})),
    ],
    ids=["just started", "old reports", "old sweep"],
)
def test_old_and_unknown_evidence_adds_nothing_and_removes_nothing(freshness: Freshness) -> None:
    assert choose(NODES[:1], tainted=NODES[1:2], freshness=freshness) == Taints({})


def test_a_node_of_which_nothing_is_known_keeps_what_it_has() -> None:
    assert choose([], tainted=NODES[:1], unjudged=NODES[:1]) == Taints({})


def test_a_tenth_of_a_domain_is_tainted_and_the_rest_is_told() -> None:
    found = choose([NODES[9], NODES[3], NODES[5], NODES[12]])
    assert found.changes == {NODES[3]: "NoSchedule", NODES[12]: "NoSchedule"}
    assert found.held_back == (HeldBack("leaf-0", (NODES[5], NODES[9]), 1, 10),)


def test_those_that_are_tainted_already_count_first() -> None:
    found = choose([NODES[3], NODES[5]], tainted=[NODES[5]])
    assert (found.changes, found.held_back) == ({}, (HeldBack("leaf-0", (NODES[3],), 1, 10),))


def test_one_that_became_well_makes_room_for_another() -> None:
    found = choose([NODES[3]], tainted=[NODES[5]])
    assert (found.changes, found.held_back) == ({NODES[5]: "", NODES[3]: "NoSchedule"}, ())


def test_a_tenth_of_the_cluster_is_a_limit_of_its_own() -> None:
    settings = NodeMarks(taint="NoSchedule", tainted_of_domain=1.0)
    found = choose(NODES[::5], settings=settings)
    assert list(found.changes) == NODES[:20:5]
    assert found.held_back == (HeldBack(CLUSTER, tuple(NODES[20::5]), 4, 40),)


def test_one_node_may_always_be_tainted() -> None:
    settings = NodeMarks(taint="NoSchedule", tainted_of_domain=0.0, tainted_of_cluster=0.0)
    assert choose(NODES[:2], settings=settings).changes == {NODES[0]: "NoSchedule"}


def test_a_limit_removes_no_taint() -> None:
    assert choose(NODES[:5], tainted=NODES[:5]) == Taints({})


def test_one_event_tells_of_all_places_at_the_first_of_them() -> None:
    held = (HeldBack("leaf-0", tuple(NODES[:7]), 1, 10), HeldBack("leaf-1", (NODES[10],), 2, 20))
    told = taints_held_back(Node(metadata=ObjectMeta(name=NODES[0])), held)
    assert (told.type, told.reason) == ("Warning", "TaintLimitReached")
    assert told.message == (
        "leaf-0 has 1 of 10 nodes tainted, and no more may be: node-00, node-01, node-02, node-03, node-04 and 2 more "
        "are unhealthy and not tainted; leaf-1 has 2 of 20 nodes tainted, and no more may be: node-10 is unhealthy and "
        "not tainted"
    )
