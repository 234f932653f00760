"""Which writes a change costs, counted by hand."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.topology.trees import NODES, trees
from topology.documents import Document
from topology.members import faults
from topology.plan import Create, Step, plan, state_after


def leaf(name: str, *nodes: str, tier: int = 2, tier_name: str = "leaf") -> Document:
    return Document(name, tier, tier_name, "Node", nodes)


def above(name: str, *children: str, tier: int = 3) -> Document:
    return Document(name, tier, "spine", "HyperNode", children)


def verbs(steps: list[Step]) -> list[str]:
    return [
        f"{type(step).__name__} {step.document.name if isinstance(step, Create) else step.before.name}"
        for step in steps
    ]


def steps(before: tuple[Document, ...], after: tuple[Document, ...]) -> list[str]:
    return verbs(list(plan(before, after)))


def test_a_new_tree_is_created_from_the_leaves() -> None:
    assert steps((), (above("p", "a", "b"), leaf("b", "n2"), leaf("a", "n1"))) == ["Create a", "Create b", "Create p"]


def test_a_tree_is_removed_from_the_root() -> None:
    assert steps((leaf("a", "n1"), above("p", "a")), ()) == ["Delete p", "Delete a"]


def test_an_emptied_leaf_goes_after_its_parent_dropped_it() -> None:
    before = (leaf("a", "n1"), leaf("b", "n2"), above("p", "a", "b"))
    assert steps(before, (leaf("a", "n1"), above("p", "a"))) == ["Update p", "Delete b"]


def test_a_node_that_moves_leaves_first() -> None:
    before = (leaf("a", "n1"), leaf("b", "n2", "n3"))
    assert steps(before, (leaf("a", "n1", "n2"), leaf("b", "n3"))) == ["Update b", "Update a"]


def test_a_node_replaced_by_a_new_one_is_one_write_even_in_a_leaf_of_one() -> None:
    assert steps((leaf("a", "n1"), above("p", "a")), (leaf("a", "n9"), above("p", "a"))) == ["Update a"]


def test_a_new_level_below_is_made_whole_and_then_switched_to_in_one_update() -> None:
    before = (leaf("a", "n1", "n2", "n3"),)
    after = (
        leaf("x", "n1", "n2", tier=1, tier_name="nvlink"),
        leaf("y", "n3", tier=1, tier_name="nvlink"),
        Document("a", 2, "leaf", "HyperNode", ("x", "y")),
    )
    assert steps(before, after) == ["Create x", "Create y", "Update a"]
    assert steps(after, before) == ["Update a", "Delete y", "Delete x"]


def test_nodes_exchanged_between_leaves_of_one_go_by_way_of_their_absence() -> None:
    before = (leaf("a", "n1"), leaf("b", "n2"), above("p", "a", "b"))
    after = (leaf("a", "n2"), leaf("b", "n1"), above("p", "a", "b"))
    taken = list(plan(before, after))
    assert verbs(taken) == ["Update p", "Delete b", "Delete a", "Create a", "Create b", "Update p"]
    assert taken[0].sentence == "switch spine p from 2 HyperNodes to 2 nodes"


def test_an_only_child_that_gets_another_name_costs_its_parent_no_moment_without_members() -> None:
    before, after = (leaf("a", "n1", "n2"), above("p", "a")), (leaf("b", "n1", "n2"), above("p", "b"))
    assert steps(before, after) == ["Update p", "Delete a", "Create b", "Update p"]


def test_a_changed_tier_table_takes_the_tree_down_from_the_root_and_builds_it_from_the_leaves() -> None:
    before = (leaf("a", "n1"), above("p", "a"))
    after = (leaf("a", "n1", tier=1), above("p", "a", tier=2))
    assert steps(before, after) == ["Delete p", "Delete a", "Create a", "Create p"]


def test_a_child_that_somebody_deleted_is_only_created_again() -> None:
    whole = (leaf("a", "n1"), leaf("b", "n2"), above("p", "a", "b"), leaf("c", "n3"), above("q", "c"))
    damaged = tuple(document for document in whole if document.name not in ("b", "c"))
    assert steps(damaged, whole) == ["Create b", "Create c"]


def test_sentences_say_what_happens() -> None:
    before = (leaf("a", "n1"), leaf("b", "n2", "n3"), above("p", "b"))
    after = (leaf("a", "n1", "n2"), leaf("b", "n3"), leaf("c", "n4"), above("p", "b", "c"))
    assert [step.sentence for step in plan(before, after)] == [
        "update leaf b: drop n2",
        "update leaf a: add n2",
        "create leaf c with 1 node",
        "update spine p: add c",
    ]


@st.composite
def damaged_trees(draw: st.DrawFn) -> tuple[Document, ...]:
    """A tree that somebody edited: objects gone, members added, tiers changed."""
    tree = []
    for document in draw(trees()):
        match draw(st.integers(0, 4)):
            case 0:
                continue
            case 1:
                others = NODES if document.member_kind == "Node" else tuple("abcdefgh")
                members = tuple(sorted({*document.members, draw(st.sampled_from(others))}))
                tree.append(replace(document, members=members))
            case 2:
                tree.append(replace(document, tier=draw(st.integers(1, 6))))
            case _:
                tree.append(document)
    return tuple(tree)


@settings(max_examples=150, deadline=None)
@given(damaged_trees(), trees())
def test_a_tree_that_somebody_edited_is_repaired(before: tuple[Document, ...], desired: tuple[Document, ...]) -> None:
    state = before
    for step in plan(before, desired):
        state = state_after(state, step)
    assert set(state) == set(desired)
    assert faults(state) == ()
