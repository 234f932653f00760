"""Nodes that today's evidence does not show, or shows elsewhere, keep their place in the tree."""

from __future__ import annotations

from topology.documents import documents
from topology.hierarchy import Hierarchy, HyperNode
from topology.members import faults
from topology.staying import keep_in_place, lowest_of

TIER_NAMES = {1: "nvlink", 2: "leaf", 3: "spine"}


def tree(*rows: tuple[str, int, tuple[str, ...]]) -> Hierarchy:
    """Name, tier, members (names of rows before, or nodes)."""
    nodes: dict[str, tuple[str, ...]] = {}
    children: dict[str, tuple[str, ...]] = {}
    for name, _, members in rows:
        children[name] = tuple(member for member in members if member in nodes)
        nodes[name] = tuple(sorted(n for member in members for n in nodes.get(member, (member,))))
    parent = {child: name for name, below in children.items() for child in below}
    return Hierarchy(
        tuple(
            HyperNode(name, "ib", tier, TIER_NAMES[tier], parent.get(name), children[name], nodes[name], (), ())
            for name, tier, _ in rows
        )
    )


BEFORE = tree(("a", 2, ("n1", "n2")), ("b", 2, ("n3",)), ("root", 3, ("a", "b")))
HOMES = lowest_of(BEFORE.hyper_nodes)


def kept(now: Hierarchy, *nodes: str) -> Hierarchy:
    after = keep_in_place(now, BEFORE.hyper_nodes, {node: HOMES[node] for node in nodes})
    assert faults(documents(after)) == ()
    return after


def test_nothing_to_keep_changes_nothing() -> None:
    assert keep_in_place(BEFORE, (), {}) == BEFORE
    assert kept(BEFORE, "n1", "n3") == BEFORE


def test_an_absent_node_stays_in_its_leaf_and_in_all_above() -> None:
    assert kept(tree(("a", 2, ("n1",)), ("b", 2, ("n3",)), ("root", 3, ("a", "b"))), "n2") == BEFORE


def test_a_node_seen_elsewhere_is_put_back() -> None:
    assert kept(tree(("a", 2, ("n1",)), ("b", 2, ("n2", "n3")), ("root", 3, ("a", "b"))), "n2") == BEFORE


def test_a_whole_leaf_that_vanished_comes_back_under_its_parent() -> None:
    assert set(kept(tree(("a", 2, ("n1", "n2")), ("root", 3, ("a",))), "n3").hyper_nodes) == set(BEFORE.hyper_nodes)


def test_a_whole_tree_that_vanished_comes_back() -> None:
    assert set(kept(Hierarchy(()), "n1", "n2", "n3").hyper_nodes) == set(BEFORE.hyper_nodes)


def test_under_a_new_level_an_absent_node_stands_alone() -> None:
    now = tree(("a1", 1, ("n1",)), ("a", 2, ("a1",)), ("b3", 1, ("n3",)), ("b", 2, ("b3",)), ("root", 3, ("a", "b")))
    after = kept(now, "n2")
    assert lowest_of(after.hyper_nodes)["n2"] == "ib-nvlink-n2"
    by_name = {found.name: found for found in after.hyper_nodes}
    assert by_name["a"].children == ("a1", "ib-nvlink-n2")
    assert by_name["a"].nodes == ("n1", "n2")


def test_when_its_level_is_gone_a_node_joins_what_stands_there() -> None:
    before = tree(("a1", 1, ("n1",)), ("a2", 1, ("n2",)), ("a", 2, ("a1", "a2")))
    after = keep_in_place(tree(("a", 2, ("n1",))), before.hyper_nodes, {"n2": "a2"})
    assert after == tree(("a", 2, ("n1", "n2")))
