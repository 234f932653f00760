"""Whether there is a link: three samples, two minutes for a subnet manager, and what is remembered of being up."""

from __future__ import annotations

from datetime import timedelta

import pytest

from discovery.health import History, Thresholds, Verdict
from discovery.reports import DEGRADED, DOWN, FLAPPING, UNKNOWN, UNPROVISIONED, UP, Port
from discovery.samples import LINK_DOWN, LINK_UP, LINK_WAITING, Counters
from tests.discovery.health.watching import NOON, Watch, settled

TEN = timedelta(seconds=10)


def test_three_samples_without_a_link_are_down_and_one_with_it_is_up() -> None:
    watch = settled()
    said = [watch.see(LINK_DOWN, reason="PhysicalLinkDown") for _ in range(3)] + [watch.see()]
    assert said == [Verdict(UP), Verdict(UP), Verdict(DOWN, "PhysicalLinkDown"), Verdict(UP)]


def test_a_link_that_comes_for_a_sample_begins_the_count_anew() -> None:
    watch = settled()
    for link in (LINK_DOWN, LINK_DOWN, LINK_UP, LINK_DOWN, LINK_DOWN):
        assert watch.see(link) == Verdict(UP)


def test_samples_within_a_second_are_one_look() -> None:
    watch = settled(every=0.25)
    assert watch.see(LINK_DOWN, times=4) == Verdict(UP)
    assert watch.see(LINK_DOWN, times=4) == Verdict(UP)
    assert watch.see(LINK_DOWN).word == DOWN  # the first sample after two whole seconds


def test_a_port_that_never_was_up_is_reported_as_such() -> None:
    watch = Watch()
    assert [watch.see(LINK_DOWN) for _ in range(3)] == [Verdict(), Verdict(), Verdict(UNPROVISIONED, "NeverUp")]
    assert watch.history.last_up is None
    assert watch.see() == Verdict(UP)
    assert watch.see(LINK_DOWN, times=3).word == DOWN


def test_a_subnet_manager_has_two_minutes() -> None:
    watch = settled()
    assert watch.see(LINK_WAITING, times=13) == Verdict(UP)  # the first of them begins the two minutes
    assert watch.see(LINK_WAITING) == Verdict(UNKNOWN, "WaitingForSubnetManager")
    assert watch.see() == Verdict(UP)
    assert watch.history.flaps.times == ()


def test_a_link_that_comes_back_and_waits_stays_down_for_as_long() -> None:
    watch = settled()
    watch.see(LINK_DOWN, times=3)
    assert watch.see(LINK_WAITING, times=13).word == DOWN
    assert watch.see(LINK_WAITING).word == UNKNOWN


def test_a_link_that_comes_and_goes_and_never_gets_up_is_down() -> None:
    watch = settled()
    for _ in range(2):
        assert watch.see(LINK_DOWN).word == UP
        assert watch.see(LINK_WAITING).word == UP
    assert watch.see(LINK_DOWN).word == DOWN


def test_what_cannot_be_read_changes_nothing_until_the_third_time_and_is_never_down() -> None:
    watch = settled()
    watch.see(LINK_DOWN, times=2)
    assert [watch.see(None).word for _ in range(3)] == [UP, UP, UNKNOWN]
    assert watch.see(None, times=100) == Verdict(UNKNOWN, "NotReadable")
    assert watch.see(LINK_DOWN).word == DOWN  # the third that told of it
    assert watch.see(None).word == DOWN


def test_when_it_was_last_up_changes_with_the_verdict_only() -> None:
    watch = Watch()
    watch.see()
    since = NOON + TEN
    for link in (LINK_UP, LINK_UP, LINK_DOWN, LINK_DOWN, LINK_UP):
        watch.see(link)
        assert watch.history.last_up == since
    last = watch.now
    watch.see(LINK_DOWN, times=2)
    assert watch.history.last_up == since
    watch.see(LINK_DOWN, times=5)
    assert watch.history.last_up == last
    watch.see()
    assert watch.history.last_up == watch.now
    watch.see(times=5)
    assert watch.history.last_up == watch.now - 5 * TEN


@pytest.mark.parametrize("before", [UP, DOWN, DEGRADED, FLAPPING, UNKNOWN])
def test_a_cable_that_dies_before_a_restart_is_down_after_it(before: str) -> None:
    reported = Port(device="mlx5_0", port=1, lastUp=NOON - TEN, verdict=before)
    watch = Watch(history=History.of(reported), incarnation="boot-2")
    assert watch.see(LINK_DOWN, times=3).word == DOWN
    assert watch.history.last_up == reported.lastUp


def test_a_port_that_was_reported_down_stays_down_from_the_first_sample_on() -> None:
    reported = Port(device="mlx5_0", port=1, lastUp=NOON, verdict=DOWN, reason="PortDisabled")
    watch = Watch(history=History.of(reported))
    assert [watch.see(None), watch.see(LINK_DOWN, reason="PortDisabled")] == [Verdict(DOWN, "PortDisabled")] * 2


def test_a_restart_changes_nothing_of_a_port_that_stays_up() -> None:
    reported = Port(device="mlx5_0", port=1, lastUp=NOON - 99 * TEN, verdict=UP)
    watch = Watch(history=History.of(reported))
    assert {watch.see() for _ in range(5)} == {Verdict(UP)}
    assert watch.history.last_up == reported.lastUp


def test_a_report_that_is_read_late_is_remembered_all_the_same() -> None:
    watch = Watch()
    assert watch.see(LINK_DOWN, times=3).word == UNPROVISIONED
    watch.history = watch.history.recalling(Port(device="mlx5_0", port=1, lastUp=NOON))
    assert watch.see(LINK_DOWN).word == DOWN


HELD = [
    (FLAPPING, "LinkFlapping"),
    (DEGRADED, "SymbolErrors"),
    (DEGRADED, "LinkErrorRecovery"),
    (DOWN, "TooManySymbolErrors"),
]


@pytest.mark.parametrize("late", [1, 20, 180])
@pytest.mark.parametrize(("word", "reason"), HELD)
def test_what_a_report_that_is_read_late_says_of_a_port_holds_until_it_is_known_to_be_over(
    word: str, reason: str, late: int
) -> None:
    watch = Watch(counters=Counters(symbol_errors=5, link_error_recovery=5, link_downed=5))
    assert watch.see(times=late).word == UP or late < 3
    told = Port(device="mlx5_0", port=1, verdict=word, reason=reason, lastUp=NOON)
    watch.history = watch.history.recalling(told)
    assert watch.see(times=3) == Verdict(word, reason)
    assert watch.passes(hours=2) == Verdict(UP)


def test_errors_of_a_report_are_held_of_the_counter_that_the_port_has() -> None:
    watch = Watch(counters=Counters(uncorrectable_blocks=5))
    watch.see(times=20)
    told = Port(device="mlx5_0", port=1, verdict=DEGRADED, reason="SymbolErrors", lastUp=NOON)
    watch.history = watch.history.recalling(told)
    assert watch.see() == Verdict(DEGRADED, "SymbolErrors")
    assert watch.passes(hours=2) == Verdict(UP)


def test_what_a_port_came_to_itself_counts_more_than_a_report_that_is_read_late() -> None:
    watch = settled()
    for _ in range(3):
        watch.see(LINK_DOWN)
        watch.see()
    before = watch.history.flaps
    watch.history = watch.history.recalling(Port(device="mlx5_0", port=1, verdict=FLAPPING, lastUp=NOON))
    assert watch.history.flaps == before
    assert watch.see(LINK_DOWN, times=3).word == DOWN


def test_one_leg_of_a_bond_down_is_degraded() -> None:
    watch = settled()
    said = [watch.see(legs_down=1) for _ in range(3)]
    assert said == [Verdict(UP), Verdict(UP), Verdict(DEGRADED, "BondLegDown")]
    assert watch.see() == Verdict(UP)
    assert watch.see(LINK_DOWN, times=3).word == DOWN


def test_how_many_samples_and_how_long_is_for_the_operator_to_say() -> None:
    watch = settled()
    watch.thresholds = Thresholds(down_samples=1, waiting=20.0)
    assert watch.see(LINK_DOWN).word == DOWN
    watch.see()
    assert watch.see(LINK_WAITING, times=3).word == UP
    assert watch.see(LINK_WAITING).word == UNKNOWN
