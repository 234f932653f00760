"""The store: revisions, and how much of the past is kept."""

from __future__ import annotations

import pytest

from kube.embedded.kinds import PODS
from kube.embedded.store import History, Store


def put(store: Store, name: str, payload: str = "") -> int:
    """Store an object; its revision."""
    return store.put(PODS, ("default", name), {"metadata": {"name": name}, "data": payload}).revision


def test_revisions_grow_by_one_over_all_writes() -> None:
    store = Store(History())
    revisions = [put(store, "a"), put(store, "b"), put(store, "a"), store.remove(PODS, ("default", "b")).revision]
    assert revisions == list(range(revisions[0], revisions[0] + 4))
    assert [change.type for change in store.shelf(PODS).since(0)] == ["ADDED", "ADDED", "MODIFIED", "DELETED"]


def test_what_is_decoded_may_be_changed_without_harm() -> None:
    store = Store(History())
    put(store, "a")
    found = store.get(PODS, ("default", "a"))
    assert found is not None
    found.decode()["metadata"]["name"] = "changed"
    assert found.decode()["metadata"]["name"] == "a"


@pytest.mark.parametrize("history", [History(changes=10), History(bytes=10 * 1100)])
def test_the_past_is_bounded_and_its_end_known(history: History) -> None:
    store = Store(history)
    revisions = [put(store, f"n{index}", "x" * 1000) for index in range(100)]
    shelf = store.shelf(PODS)
    kept = shelf.since(shelf.compacted)
    assert 5 <= len(kept) <= 10
    assert [change.revision for change in kept] == revisions[-len(kept) :]
    assert shelf.compacted == revisions[-len(kept) - 1]


def test_a_dropped_resource_starts_again_where_the_counter_stands() -> None:
    store = Store(History())
    put(store, "a")
    old = store.shelf(PODS)
    store.drop(PODS)
    assert [change.type for change in old.since(0)] == ["ADDED", "DELETED"]
    assert old.withdrawn
    assert store.shelf(PODS).compacted == store.revision
    assert not store.shelf(PODS).objects
