"""Rounds of node reports: sweeps by another name, where nobody sweeps."""

from __future__ import annotations

from controller.conclusion.rounds import NODES, Rounds, next_round, with_rounds
from topology.sweeps import Sweeps


def test_a_round_is_over_when_the_last_agent_has_reported_anew() -> None:
    rounds = next_round(Rounds(), oldest=90.0, now=100.0)
    assert rounds == Rounds(0, 100.0)
    rounds = next_round(rounds, oldest=95.0, now=200.0)  # others may have reported often by now
    assert rounds == Rounds(0, 100.0)
    rounds = next_round(rounds, oldest=150.0, now=210.0)
    assert rounds == Rounds(1, 210.0)
    assert next_round(rounds, oldest=150.0, now=500.0) == rounds


def test_where_nobody_hears_anything_no_round_runs_and_none_is_waited_for() -> None:
    rounds = next_round(Rounds(3, 100.0), oldest=None, now=200.0)
    assert rounds == Rounds(3, None)
    assert NODES not in with_rounds(Sweeps(), rounds, rounds).live
    assert next_round(rounds, oldest=1.0, now=300.0) == Rounds(3, 300.0)


def test_rounds_count_beside_sweeps_and_the_slower_one_decides() -> None:
    sweeps = Sweeps(now={"a": 9}, before={"a": 8}, live=frozenset({"a"}))
    sweeps = with_rounds(sweeps, Rounds(1, 0.0), Rounds(2, 10.0))
    assert sweeps.new
    assert not sweeps.agree({"a": 5, NODES: 0})
    assert sweeps.agree({"a": 6, NODES: -1})


def test_without_ethernet_sweeps_are_as_they_were() -> None:
    sweeps = Sweeps(now={"a": 9}, live=frozenset({"a"}))
    assert with_rounds(sweeps, Rounds(), Rounds()) is sweeps
