"""The plan stopped after any step leaves a legal tree, and a new plan from there ends in the desired one."""

from __future__ import annotations

from hypothesis import example, given, settings

from tests.topology.trees import broken_invariants, trees
from topology.documents import Document
from topology.members import faults
from topology.plan import Create, Delete, Update, plan, state_after


def leaf(name: str, *nodes: str) -> Document:
    return Document(name, 1, "leaf", "Node", nodes)


def above(name: str, tier: int, *children: str) -> Document:
    return Document(name, tier, f"tier{tier}", "HyperNode", children)


SWAP = (
    (leaf("a", "n1"), leaf("b", "n2"), above("p", 2, "a", "b")),
    (leaf("a", "n2"), leaf("b", "n1"), above("p", 2, "a", "b")),
)
SWAP_UNDER_ONLY_CHILDREN = (
    (leaf("a", "n1"), leaf("b", "n2"), above("p", 2, "a"), above("q", 2, "b"), above("r", 3, "p", "q")),
    (leaf("a", "n2"), leaf("b", "n1"), above("p", 2, "a"), above("q", 2, "b"), above("r", 3, "p", "q")),
)


@settings(max_examples=250, deadline=None)
@given(trees(), trees())
@example(*SWAP)
@example(*SWAP_UNDER_ONLY_CHILDREN)
def test_every_prefix_is_legal_and_ends_in_the_desired_tree_when_resumed(
    before: tuple[Document, ...], desired: tuple[Document, ...]
) -> None:
    state = before
    for step in plan(before, desired):
        state = state_after(state, step)
        assert broken_invariants(state) == [], step.sentence
        resumed = state
        for later in plan(state, desired):
            resumed = state_after(resumed, later)
            assert broken_invariants(resumed) == [], later.sentence
        assert set(resumed) == set(desired)
    assert set(state) == set(desired)


@settings(max_examples=150, deadline=None)
@given(trees(), trees())
def test_a_plan_writes_only_what_changes_and_nothing_where_nothing_does(
    before: tuple[Document, ...], desired: tuple[Document, ...]
) -> None:
    assert list(plan(desired, tuple(reversed(desired)))) == []
    names_after = {document.name for document in desired}
    for step in plan(before, desired):
        match step:
            case Update(old, new):
                assert old != new
            case Create(document):
                assert document in desired
            case Delete(old):
                assert old.name not in names_after or step.sentence.endswith("again")


@settings(max_examples=150, deadline=None)
@given(trees(), trees())
def test_no_object_is_written_more_than_twice(before: tuple[Document, ...], desired: tuple[Document, ...]) -> None:
    writes: dict[str, int] = {}
    for step in plan(before, desired):
        name = step.document.name if isinstance(step, Create) else step.before.name
        writes[name] = writes.get(name, 0) + 1
    assert max(writes.values(), default=0) <= 2


@settings(max_examples=150, deadline=None)
@given(trees())
def test_a_legal_tree_has_no_faults(tree: tuple[Document, ...]) -> None:
    assert faults(tree) == ()
    assert broken_invariants(tree) == []
