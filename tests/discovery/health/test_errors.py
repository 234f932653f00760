"""Errors of a link: by how much counters rise while it is up. What is expected is counted by hand from the rules."""

from __future__ import annotations

from dataclasses import replace

import pytest

from discovery.health import History, Thresholds, Verdict
from discovery.reports import DEGRADED, DOWN, UP, Port
from discovery.samples import LINK_DOWN, Counters
from tests.discovery.health.watching import NOON, Watch, settled

DEGRADED_LINK = Verdict(DEGRADED, "SymbolErrors")


def errors_for(watch: Watch, minutes: float, each: int, *, samples: int = 1, name: str = "symbol_errors") -> Verdict:
    """So many errors every so many samples."""
    verdict = Verdict()
    for sample in range(round(minutes * 60 / watch.every)):
        if sample % samples == 0:
            watch.errors(**{name: each})
        verdict = watch.see()
    return verdict


def test_more_than_120_an_hour_for_an_hour_are_degraded_and_120_are_not() -> None:
    watch = settled()
    assert errors_for(watch, 180, 1, samples=3) == Verdict(UP)  # 120 an hour
    watch = settled()
    assert errors_for(watch, 40, 1, samples=2).word == UP  # 180 an hour, and 120 by now
    assert errors_for(watch, 20, 1, samples=2) == DEGRADED_LINK


def test_who_has_been_watched_for_less_than_an_hour_is_not_degraded_yet() -> None:
    watch = Watch(counters=Counters(symbol_errors=0))
    watch.see()
    assert errors_for(watch, 59, 1).word == UP  # 360 an hour
    assert errors_for(watch, 1, 1).word == DEGRADED


def test_one_burst_of_an_hours_errors_is_no_bad_cable() -> None:
    watch = settled()
    watch.errors(symbol_errors=500)
    assert watch.passes(hours=2).word == UP
    assert watch.words == [UP]
    watch.errors(symbol_errors=5000)
    watch.see()
    assert errors_for(watch, 120, 1, samples=6).word == UP  # 60 an hour beside it
    assert watch.words == [UP]


def test_degraded_holds_until_an_hour_has_half_as_many_and_clears_then() -> None:
    watch = settled()
    errors_for(watch, 90, 1)  # 360 an hour
    assert watch.see() == DEGRADED_LINK
    assert errors_for(watch, 180, 1, samples=4) == DEGRADED_LINK  # 90 an hour: below what begins, above what ends
    assert errors_for(watch, 50, 1, samples=6) == DEGRADED_LINK
    assert errors_for(watch, 12, 1, samples=6) == Verdict(UP)  # 60 an hour
    assert watch.words == [UP, DEGRADED, UP]


def test_more_than_ten_a_second_for_a_minute_are_as_bad_as_down() -> None:
    watch = settled()
    said = [errors_for(watch, 1 / 6, 110) for _ in range(6)]  # 11 a second
    assert [verdict.word for verdict in said[:5]] == [UP] * 5
    assert said[5] == Verdict(DOWN, "TooManySymbolErrors")
    assert errors_for(settled(), 10, 100).word == UP  # ten a second, and no more


def test_a_burst_of_a_minutes_errors_is_not_as_bad_as_down() -> None:
    watch = settled()
    for _ in range(10):
        watch.errors(symbol_errors=5000)
        watch.see(times=60)
    assert DOWN not in watch.words


def test_as_bad_as_down_holds_for_ten_minutes_after_the_errors_and_is_not_well_then() -> None:
    watch = settled()
    errors_for(watch, 90, 150)
    assert watch.passes(minutes=10).word == DOWN
    assert watch.passes(minutes=1) == DEGRADED_LINK
    assert watch.passes(minutes=47).word == DEGRADED
    assert watch.passes(minutes=7).word == UP  # an hour, as far as its twelve parts tell


def test_a_counter_that_falls_was_reset_and_what_it_stands_at_first_says_nothing() -> None:
    watch = settled()
    watch.counters = Counters(symbol_errors=4_000_000)
    watch = Watch(history=History(), counters=watch.counters)
    assert watch.passes(hours=2).word == UP
    watch.counters = Counters(symbol_errors=3_000_000)
    assert watch.passes(hours=2).word == UP
    assert watch.words == [UP]


def test_who_clears_the_counters_all_the_time_heals_nothing_and_hides_nothing() -> None:
    watch = settled()
    errors_for(watch, 90, 1)
    assert watch.see().word == DEGRADED
    for _ in range(2 * 360):
        watch.counters = replace(watch.counters, symbol_errors=0 if watch.counters.symbol_errors else 1)
        watch.see()
    assert watch.words == [UP, DEGRADED]


def test_a_counter_that_is_missing_or_saturated_is_unknown() -> None:
    watch = settled()
    errors_for(watch, 90, 1)
    watch.counters = replace(watch.counters, symbol_errors=None)
    assert watch.passes(hours=5).word == DEGRADED


def test_errors_of_a_time_in_which_the_counter_could_not_be_read_are_counted_over_that_time() -> None:
    watch = settled()
    stood = watch.counters
    watch.counters = replace(stood, symbol_errors=None)
    watch.passes(minutes=30)
    watch.counters = replace(stood, symbol_errors=400)  # 800 an hour for half an hour
    assert watch.see().word == UP
    assert errors_for(watch, 8, 1, samples=3).word == UP
    assert errors_for(watch, 10, 1, samples=3).word == DEGRADED  # 42 min of 60 had errors, 420 in all


def test_errors_of_a_link_that_trains_are_none_of_a_link_that_is_up() -> None:
    watch = settled()
    for _ in range(60):
        watch.errors(symbol_errors=100_000)
        watch.see(LINK_DOWN)
    watch.errors(symbol_errors=100_000)
    assert watch.see().word == UP
    assert watch.passes(hours=1).word == UP


def test_a_new_boot_begins_counters_anew() -> None:
    watch = settled()
    watch.incarnation = "boot-2"
    watch.errors(symbol_errors=1_000_000)
    assert watch.passes(hours=2).word == UP


def test_link_error_recoveries_are_errors_and_no_flaps() -> None:
    watch = settled()
    assert errors_for(watch, 65, 1, name="link_error_recovery") == Verdict(DEGRADED, "LinkErrorRecovery")  # 6 a minute
    assert watch.history.flaps.times == ()
    assert errors_for(settled(), 120, 1, samples=2, name="link_error_recovery").word == UP  # 3 a minute


@pytest.mark.parametrize("name", ["uncorrectable_blocks", "nvlink_errors"])
def test_what_fec_gave_up_and_what_nvlink_could_not_recover_count_alike(name: str) -> None:
    watch = Watch(counters=Counters(**{name: 0}))
    watch.see()
    assert errors_for(watch, 65, 1, name=name) == DEGRADED_LINK


def test_an_error_that_shows_in_two_counters_is_one() -> None:
    watch = Watch(counters=Counters(symbol_errors=0, uncorrectable_blocks=0))
    watch.see()
    for _ in range(2 * 90):
        watch.errors(symbol_errors=1, uncorrectable_blocks=1)  # 90 an hour each
        watch.see(times=4)
    assert watch.words == [UP]


@pytest.mark.parametrize("name", ["symbol_errors", "uncorrectable_blocks"])
def test_a_degraded_link_stays_so_over_a_restart_until_an_hour_says_otherwise(name: str) -> None:
    reported = Port(device="mlx5_0", port=1, lastUp=NOON, verdict=DEGRADED, reason="SymbolErrors")
    watch = Watch(history=History.of(reported), counters=Counters(**{name: 7}))
    assert watch.passes(minutes=59).word == DEGRADED
    assert watch.passes(minutes=2).word == UP


def test_a_link_as_bad_as_down_stays_so_over_a_restart() -> None:
    reported = Port(device="mlx5_0", port=1, lastUp=NOON, verdict=DOWN, reason="TooManySymbolErrors")
    watch = Watch(history=History.of(reported), counters=Counters(symbol_errors=0))
    assert watch.passes(minutes=10).word == DOWN
    assert watch.passes(minutes=2).word == UP


def test_sweeps_every_five_minutes_see_the_same() -> None:
    watch = settled(every=300.0)
    assert errors_for(watch, 50, 11).word == UP  # 132 an hour, 110 by now
    assert errors_for(watch, 10, 11).word == DEGRADED
    watch = settled(every=300.0)
    assert errors_for(watch, 5, 3300) == Verdict(DOWN, "TooManySymbolErrors")  # 11 a second for five minutes


def test_thresholds_are_for_the_operator_to_say() -> None:
    watch = settled()
    watch.thresholds = Thresholds(degraded_errors=1000.0, down_errors=100.0)
    assert errors_for(watch, 120, 2).word == UP  # 720 an hour
    assert errors_for(watch, 90, 3).word == DEGRADED  # 1080 an hour
