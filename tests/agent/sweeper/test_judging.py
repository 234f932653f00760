"""What a sweep proves, sweep by sweep; expected outcomes by hand from the rules of evidence."""

from __future__ import annotations

from dataclasses import replace

from agent.sweeper.judging import Judgement, Known, Patience, View, judge
from discovery.identity import Guid
from discovery.reports import COMPLETE, FAILED, PARTIAL

SWITCHES = tuple(Guid(f"{number:016x}") for number in range(1, 41))
WHOLE = View(frozenset(SWITCHES), hosts=100)
PATIENCE = Patience(most_lost=0.1, accept_after=3, remove_after=4)


def without(lost: int, hosts: int = 100) -> View:
    """The fabric without its last switches."""
    return View(frozenset(SWITCHES[: len(SWITCHES) - lost]), hosts)


def sweep(*views: View) -> list[Judgement]:
    """Judge one after the other, from the first sweep on."""
    known, judged = Known(), []
    for view in views:
        judged.append(judge(view, known, PATIENCE))
        known = judged[-1].known
    return judged


def outcomes(*views: View) -> list[str]:
    return [judgement.outcome for judgement in sweep(*views)]


def test_sweeps_are_numbered_also_those_that_fail() -> None:
    assert [found.known.sequence for found in sweep(WHOLE, View(), WHOLE)] == [1, 2, 3]


def test_a_sweep_that_reaches_no_switch_has_failed_and_proves_nothing() -> None:
    judged = sweep(WHOLE, View(trouble=("no device",)), View())
    assert [found.outcome for found in judged] == [COMPLETE, FAILED, FAILED]
    assert judged[1].reasons == ("no device",)
    assert "M_Key" in judged[2].reasons[0]
    assert judged[2].known.switches == frozenset(SWITCHES)
    assert judged[2].missing == ()


def test_a_sweep_with_an_error_is_partial_and_proves_nothing_missing() -> None:
    judged = sweep(WHOLE, replace(without(1), trouble=("bad status 110; Connection timed out",)))
    assert (judged[1].outcome, judged[1].missing) == (PARTIAL, ())
    assert judged[1].reasons == ("bad status 110; Connection timed out",)


def test_a_switch_is_missing_since_the_first_whole_sweep_without_it_and_no_more_once_it_answers() -> None:
    judged = sweep(WHOLE, without(1), without(1), WHOLE)
    assert [[(one.guid, one.sinceSequence) for one in found.missing] for found in judged] == [
        [],
        [(SWITCHES[-1], 2)],
        [(SWITCHES[-1], 2)],
        [],
    ]


def test_a_partial_sweep_that_meets_a_missing_switch_clears_it() -> None:
    assert sweep(WHOLE, without(1), replace(WHOLE, trouble=("cut off",)))[-1].missing == ()


def test_a_tenth_of_the_switches_may_go_at_once_and_not_more() -> None:
    assert outcomes(WHOLE, without(4)) == [COMPLETE, COMPLETE]
    assert outcomes(WHOLE, without(5)) == [COMPLETE, PARTIAL]
    assert outcomes(WHOLE, without(4), without(8)) == [COMPLETE, COMPLETE, PARTIAL]


def test_a_tenth_of_the_hosts_may_go_at_once_and_not_more() -> None:
    assert outcomes(WHOLE, without(0, hosts=90)) == [COMPLETE, COMPLETE]
    assert outcomes(WHOLE, without(0, hosts=89)) == [COMPLETE, PARTIAL]


def test_the_third_equal_sweep_without_an_error_is_believed() -> None:
    judged = sweep(WHOLE, without(20), without(20), without(20), without(20))
    assert [found.outcome for found in judged] == [COMPLETE, PARTIAL, PARTIAL, COMPLETE, COMPLETE]
    assert len(judged[3].missing) == 20
    assert "equal sweep 2 of 3" in judged[2].reasons[0]


def test_sweeps_that_differ_or_have_errors_are_not_believed() -> None:
    flawed = replace(without(20), trouble=("timed out",))
    assert outcomes(WHOLE, without(20), without(21), without(20), flawed, without(20), without(20)) == [
        COMPLETE, *[PARTIAL] * 6,
    ]  # fmt: skip


def test_after_enough_whole_sweeps_without_it_a_switch_has_left() -> None:
    judged = sweep(WHOLE, *[without(1)] * 5)
    assert [found.left for found in judged] == [frozenset()] * 4 + [{SWITCHES[-1]}, frozenset()]
    assert judged[-1].missing == ()


def test_partial_sweeps_do_not_count_towards_leaving_of_a_switch() -> None:
    cut_off = replace(without(1), trouble=("cut off",))
    assert not any(found.left for found in sweep(WHOLE, without(1), *[cut_off] * 9))


def test_reasons_and_missing_switches_are_bounded() -> None:
    many = View(frozenset(Guid(f"{number:016x}") for number in range(1, 8001)), 10)
    fewer = View(frozenset(list(many.switches)[600:]), 10)
    judged = sweep(many, fewer, replace(fewer, trouble=("x" * 9999,) * 99))
    assert len(judged[1].missing) == 500
    assert (len(judged[2].reasons), len(judged[2].reasons[0])) == (20, 300)


def test_a_spared_switch_is_neither_missing_nor_gone_and_comes_back_as_if_nothing_were() -> None:
    spared = replace(without(1), spared=frozenset(SWITCHES[-1:]), notes=("10.0.0.9 did not answer",))
    judged = sweep(WHOLE, *[spared] * 5, WHOLE)
    assert [found.outcome for found in judged] == [COMPLETE] * 7
    assert not any(found.missing or found.left for found in judged)
    assert (judged[1].reasons, judged[-1].reasons) == (("10.0.0.9 did not answer",), ())


def test_too_many_spared_switches_are_lost_all_the_same() -> None:
    spared = replace(without(20), spared=frozenset(SWITCHES[20:]))
    judged = sweep(WHOLE, spared, replace(spared, notes=("said otherwise",)), spared)
    assert [found.outcome for found in judged] == [COMPLETE, PARTIAL, PARTIAL, COMPLETE]
    assert judged[-1].missing == ()
