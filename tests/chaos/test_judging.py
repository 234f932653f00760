"""Those who judge the controller would see what they are there to see."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.chaos.laws import Seen, broken
from tests.chaos.ledger import Ledger

A, B = Seen(2, frozenset({"a1", "a2"}), frozenset()), Seen(2, frozenset({"b1"}), frozenset())
TOP = Seen(3, frozenset(), frozenset({"a", "b"}))
GOOD = {"a": A, "b": B, "top": TOP}

WRONG: dict[str, dict[str, Seen]] = {
    "a has no members": {"a": Seen(2, frozenset(), frozenset())},
    "top lists b, which is not there": {"a": A, "top": TOP},
    "b has 2 parents": GOOD | {"other": Seen(3, frozenset(), frozenset({"b"}))},
    "b1 is in 2 HyperNodes of tier 3": GOOD | {"other": Seen(3, frozenset({"b1"}), frozenset())},
    "top of tier 2 lists a of tier 2": {"a": A, "top": Seen(2, frozenset(), frozenset({"a"}))},
    "top has nodes and HyperNodes": {"a": A, "top": Seen(3, frozenset({"c"}), frozenset({"a"}))},
}


def test_a_good_tree_breaks_no_law() -> None:
    assert broken(GOOD) == []


@pytest.mark.parametrize("sentence", WRONG)
def test_a_broken_law_is_told(sentence: str) -> None:
    assert sentence in broken(WRONG[sentence])


def test_an_object_is_read_as_it_stands() -> None:
    def member(kind: str, name: str) -> dict[str, Any]:
        return {"type": kind, "selector": {"exactMatch": {"name": name}}}

    assert Seen.of({"spec": {"tier": 2, "members": [member("Node", "a2"), member("Node", "a1")]}}) == A
    assert Seen.of({"spec": {"tier": 3, "members": [member("HyperNode", "a"), member("HyperNode", "b")]}}) == TOP


def test_a_node_may_leave_when_it_was_gone_for_long_enough_and_not_before() -> None:
    ledger = Ledger(hold=3600.0, patience=3)
    ledger.join("a1", 0)
    assert not ledger.may_leave("a1")
    ledger.leave("a1")
    assert not ledger.may_leave("a1")
    (absence,) = ledger.absences["a1"]
    absence.begin = time.monotonic() - 3601.0
    assert ledger.may_leave("a1")
    ledger.join("a1", 0)
    absence.end = time.monotonic() - 10.0
    assert not ledger.may_leave("a1")


def test_a_node_may_leave_when_enough_sweeps_showed_it_elsewhere_and_not_before() -> None:
    ledger = Ledger(hold=1.0, patience=3)
    ledger.join("a1", 0)
    ledger.sweep()
    ledger.move("a1", 1)
    for _ in range(2):
        ledger.sweep()
        assert (ledger.may_leave("a1"), ledger.units("a1")) == (False, {0, 1})
    ledger.sweep()
    assert ledger.may_leave("a1")
    ledger.settle()
    assert (ledger.may_leave("a1"), ledger.units("a1")) == (False, {1})
