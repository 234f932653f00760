"""The static tree: every domain a slice, and what contradicts itself kept out by name."""

from __future__ import annotations

import random

from scheduler.kernel.tree import HyperNodeEntry, Tree
from scheduler.kernel.tree_build import build_tree, natural
from tests.scheduler.kernel.cluster import gang, placed, rack, row, snapshot_of, tree_of, two_rows, workers


def members(tree: Tree, name: str) -> list[str]:
    domain = tree.index[name]
    return [str(node) for node in tree.node_names[tree.start[domain] : tree.end[domain]]]


def kinds(tree: Tree) -> list[str]:
    return [problem.kind for problem in tree.problems]


def test_every_domain_is_a_slice_of_its_nodes_in_natural_order() -> None:
    tree = tree_of([rack("r10", "n3"), rack("r2", "n10", "n2"), row("row", "r10", "r2")], outside=["cpu1"])
    assert tree.node_names.tolist() == ["n2", "n10", "n3", "cpu1"]
    assert members(tree, "row") == ["n2", "n10", "n3"]
    assert (tree.placed, tree.names) == (3, ("r2", "r10", "row"))
    assert tree.problems == ()


def test_the_order_of_input_changes_nothing() -> None:
    entries, extra = list(two_rows()), ["x1", "x2"]
    nodes = [node for entry in entries for node in entry.nodes] + extra
    once = build_tree(entries, nodes)
    random.Random(5).shuffle(entries)
    random.Random(6).shuffle(nodes)
    again = build_tree(entries, nodes)
    assert once.node_names.tolist() == again.node_names.tolist()
    assert once.names == again.names
    assert once.child.tolist() == again.child.tolist()


def test_a_tree_of_uneven_depth_and_several_roots_is_taken_as_it_is() -> None:
    entries = [
        rack("r1", "a"),
        row("row", "r1"),
        HyperNodeEntry("big", 5, "", (), ("b", "c")),
        rack("lone", "d", tier=3),
    ]
    tree = tree_of(entries)
    assert tree.problems == ()
    assert [tier.number for tier in tree.tiers] == [1, 2, 3, 5]
    assert tree.children_of(tree.top).tolist() == [tree.index[name] for name in ("big", "lone", "row")]
    assert int(tree.end[tree.top]) == 4


def test_nodes_and_hyper_nodes_may_be_members_of_one_hyper_node() -> None:
    tree = tree_of([rack("r1", "b1"), HyperNodeEntry("mixed", 2, "row", ("r1",), ("a1",))])
    assert members(tree, "mixed") == ["b1", "a1"]
    assert tree.node_names[tree.direct[tree.index["mixed"]]] == "a1"


def test_a_parent_may_list_the_nodes_of_its_children_again() -> None:
    tree = tree_of([rack("r1", "a", "b"), HyperNodeEntry("row", 2, "row", ("r1",), ("a", "b"))])
    assert (tree.problems, members(tree, "r1"), members(tree, "row")) == ((), ["a", "b"], ["a", "b"])


def test_members_that_do_not_exist_are_named_and_the_rest_stays() -> None:
    tree = build_tree([rack("r1", "a", "gone"), row("row", "r1", "no-rack")], ["a"])
    assert kinds(tree) == ["dangling-member", "dangling-member"]
    assert "gone" in tree.problems[1].detail
    assert members(tree, "row") == ["a"]


def test_a_second_parent_is_refused_and_the_child_stands_under_neither() -> None:
    tree = tree_of([rack("r1", "a"), rack("r2", "b"), row("p", "r1", "r2"), row("q", "r1")])
    assert kinds(tree) == ["second-parent"]
    assert tree.problems[0].where == ("r1", "p", "q")
    assert (members(tree, "p"), members(tree, "q"), members(tree, "r1")) == (["b"], [], ["a"])


def test_a_cycle_is_refused_by_the_names_on_it_and_no_other() -> None:
    circle = [row("a", "b"), row("b", "c"), row("c", "a", "r1"), row("above", "a", tier=3), rack("r1", "n")]
    tree = tree_of(circle)
    assert kinds(tree) == ["cycle"]
    assert tree.problems[0].where == ("a", "b", "c")
    assert (members(tree, "c"), members(tree, "a"), members(tree, "above")) == (["n"], [], [])


def test_a_hyper_node_that_contains_itself_is_a_cycle() -> None:
    assert kinds(tree_of([HyperNodeEntry("me", 1, "", ("me",), ("n",))])) == ["cycle"]


def test_a_child_that_is_not_below_its_parent_is_refused() -> None:
    tree = tree_of([rack("r1", "a", tier=2), row("row", "r1")])
    assert kinds(tree) == ["tier-order"]
    assert members(tree, "row") == []


def test_a_node_in_two_hyper_nodes_belongs_to_the_lower_and_is_named() -> None:
    tree = tree_of([rack("low", "a"), rack("high", "a", "b", tier=2), rack("also", "a")])
    assert kinds(tree) == ["node-in-two", "node-in-two"]
    assert (members(tree, "also"), members(tree, "low"), members(tree, "high")) == (["a"], [], ["b"])


def test_one_tier_name_for_two_numbers_is_a_conflict() -> None:
    tree = tree_of([rack("r1", "a"), HyperNodeEntry("r2", 2, "rack", (), ("b",))])
    assert kinds(tree) == ["tier-name-conflict"]
    assert tree.tier_numbers == {"rack": (1, 2)}


def test_no_hyper_nodes_at_all_is_a_tree() -> None:
    tree = tree_of([], outside=["a", "b"])
    assert (tree.tiers, tree.placed, tree.node_names.tolist()) == ((), 0, ["a", "b"])


def test_38_names_that_begin_alike_or_equal_a_domain_stay_apart() -> None:
    """kueue#14232, kueue#14452: a node named like a domain vanished; domains with a common prefix were merged."""
    entries = [rack("rack1", "rack1"), rack("rack11", "rack11"), row("rack", "rack1", "rack11")]
    tree = tree_of(entries)
    assert (members(tree, "rack1"), members(tree, "rack11")) == (["rack1"], ["rack11"])
    assert placed(snapshot_of(entries), gang(workers(1))).domain == "rack1"


def test_numbers_in_names_count_as_numbers() -> None:
    assert sorted(["n10", "n9", "n09", "m"], key=natural) == ["m", "n09", "n9", "n10"]
