"""What an operator reads about a change."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings

from tests.topology.trees import trees
from topology.diff import describe_changes
from topology.documents import Document
from topology.plan import plan


def leaf(name: str, *nodes: str) -> Document:
    return Document(name, 2, "leaf", "Node", nodes)


def spine(name: str, *children: str) -> Document:
    return Document(name, 3, "spine", "HyperNode", children)


TREE = (leaf("a", "n1", "n2"), leaf("b", "n3"), spine("p", "a", "b"))


def test_one_node_that_moves() -> None:
    after = (leaf("a", "n1"), leaf("b", "n2", "n3"), spine("p", "a", "b"))
    assert describe_changes(TREE, after) == ["node n2 moved from a to b"]


def test_nodes_that_come_and_go_are_counted_and_named() -> None:
    seven = tuple(f"m{number}" for number in range(1, 8))
    after = (leaf("a", *seven), leaf("b", "n3"), spine("p", "a", "b"))
    assert describe_changes(TREE, after) == [
        "7 nodes (m1, m2, m3, m4, m5, m6, m7) joined a",
        "2 nodes (n1, n2) left a",
    ]


def test_of_very_many_nodes_the_rest_is_counted() -> None:
    many = tuple(f"gpu-{number:05}" for number in range(100))
    after = (leaf("a", "n1", "n2", *many), leaf("b", "n3"), spine("p", "a", "b"))
    (said,) = describe_changes(TREE, after)
    assert said.startswith("100 nodes (gpu-00000, gpu-00001, ")
    assert said.endswith(", gpu-00026 and 73 more) joined a")  # 27 names of 9 letters, a comma and a blank fill 300


def test_it_is_said_which_hyper_node_of_others_holds_the_nodes_that_left() -> None:
    after = (leaf("b", "n3"), spine("p", "b"))
    holders = {"n1": "rack-1", "n2": "rack-1", "n9": "rack-9"}
    whole = describe_changes(TREE, after, holders=holders)
    assert whole[0] == "leaf a goes (it had 2 nodes): rack-1, which is not ours, holds them"
    one = (leaf("a", "n1"), leaf("b", "n3"), spine("p", "a", "b"))
    assert describe_changes(TREE, one, holders=holders) == ["node n2 left a: rack-1, which is not ours, holds it"]
    wide = (leaf("a", "n1", "n2", "n3", "n4"),)
    less = (leaf("a", "n4"),)
    assert describe_changes(wide, less, holders=holders | {"n2": "rack-2"}) == [
        "3 nodes (n1, n2, n3) left a: rack-1 and 1 more, which are not ours, hold 2 of them"
    ]


def test_a_tier_without_a_name_leaves_no_gap() -> None:
    nameless = replace(TREE[0], tier_name="")
    assert describe_changes((nameless,), (TREE[0],)) == ["a: tier 2 becomes tier 2 (leaf)"]
    assert describe_changes((nameless,), ()) == ["a goes (it had 2 nodes)"]
    assert [step.sentence for step in plan((nameless,), ())] == ["delete a"]
    assert [step.sentence for step in plan((TREE[0],), (nameless,))] == ["update a: take its tier's name away"]


def test_a_new_leaf_and_one_that_goes_are_told_once_not_node_by_node() -> None:
    after = (leaf("a", "n1", "n2"), leaf("c", "n4", "n5"), spine("p", "a", "c"))
    assert describe_changes(TREE, after) == ["new leaf c with 2 nodes under p", "leaf b goes (it had 1 node)"]


def test_the_same_nodes_under_another_name_are_a_new_name() -> None:
    after = (leaf("a2", "n1", "n2"), leaf("b", "n3"), spine("p", "a2", "b"))
    assert describe_changes(TREE, after) == ["leaf a is now called a2"]


def test_a_new_level_in_between_moves_no_node() -> None:
    rack = Document("r", 1, "nvlink", "Node", ("n1", "n2"))
    after = (rack, replace(TREE[0], member_kind="HyperNode", members=("r",)), *TREE[1:])
    assert describe_changes(TREE, after) == ["new nvlink r with 2 nodes under a"]
    assert describe_changes(after, TREE) == ["nvlink r goes (it had 2 nodes)"]


def test_a_branch_that_changes_its_parent() -> None:
    apart = (TREE[0], TREE[1], spine("p", "a"), spine("q", "b"))
    assert describe_changes(TREE, apart) == [
        "new spine q with 1 node",
        "leaf b moved from p to q",
    ]


def test_tiers_and_annotations_that_change() -> None:
    links = "hyperscout.io/links"
    before = (replace(TREE[0], annotations=((links, "0/16"),)),)
    after = (replace(TREE[0], tier=1, annotations=((links, "1/16"),)),)
    assert describe_changes(before, after) == [
        "a: tier 2 (leaf) becomes tier 1 (leaf)",
        "a: hyperscout.io/links 0/16 becomes 1/16",
    ]


def test_a_long_list_ends_in_a_count() -> None:
    many = tuple(leaf(f"leaf{number:02}", f"n{number}") for number in range(30))
    sentences = describe_changes((), many, limit=10)
    assert len(sentences) == 11
    assert sentences[-1] == "and 20 more changes"


@settings(max_examples=100, deadline=None)
@given(trees(), trees())
def test_there_are_sentences_exactly_where_something_changes(
    before: tuple[Document, ...], after: tuple[Document, ...]
) -> None:
    assert bool(describe_changes(before, after)) == (set(before) != set(after))
    assert describe_changes(after, after) == []
