"""Links that come and go: three times in an hour or in twelve, counted once each, and none of a boot."""

from __future__ import annotations

from dataclasses import replace

import pytest

from discovery.health import History, Thresholds, Verdict
from discovery.reports import DOWN, FLAPPING, UP, Port
from discovery.samples import LINK_DOWN, LINK_WAITING, Counters
from tests.discovery.health.watching import NOON, Watch, settled

FLAPS = Verdict(FLAPPING, "LinkFlapping")


def flap(watch: Watch, samples: int = 1, *, counted: bool = True) -> Verdict:
    """The link is away for so many samples."""
    if counted:
        watch.errors(link_downed=1)
    watch.see(LINK_DOWN, times=samples)
    return watch.see()


@pytest.mark.parametrize("samples", [1, 6])
@pytest.mark.parametrize("counted", [True, False])
def test_the_third_time_within_an_hour_is_flapping(samples: int, counted: bool) -> None:
    watch = settled()
    said = []
    for _ in range(3):
        said.append(flap(watch, samples, counted=counted))
        watch.passes(minutes=15)
    assert said == [Verdict(UP), Verdict(UP), FLAPS]


def test_the_third_time_within_twelve_hours_is_flapping_and_within_thirteen_is_not() -> None:
    for hours, word in ((5.9, FLAPPING), (6.5, UP)):
        watch = settled()
        flap(watch)
        for _ in range(2):
            watch.passes(hours=hours)
            said = flap(watch)
        assert said.word == word


def test_losses_between_two_samples_are_seen_by_the_counter() -> None:
    watch = settled()
    for _ in range(2):
        watch.errors(link_downed=1)
        assert watch.see(times=6).word == UP
    watch.errors(link_downed=1)
    assert watch.see() == FLAPS


def test_a_loss_that_shows_in_a_sample_and_in_the_counter_is_one() -> None:
    watch = settled()
    assert [flap(watch, 2).word, flap(watch, 2).word] == [UP, UP]
    assert watch.passes(hours=1).word == UP
    assert len(watch.history.flaps.times) == 2


def test_a_driver_that_counts_late_counts_once() -> None:
    watch = settled()
    for _ in range(2):
        watch.see(LINK_DOWN, times=2)
        watch.see()
        watch.errors(link_downed=1)
        assert watch.see(times=5).word == UP
    assert len(watch.history.flaps.times) == 2


def test_a_port_that_bounces_while_it_is_plugged_in_has_come_back_once() -> None:
    watch = settled()
    watch.errors(link_downed=1)
    watch.see(LINK_DOWN, times=5)
    watch.errors(link_downed=7)
    watch.see(LINK_DOWN)
    watch.errors(link_downed=2)
    assert watch.see().word == UP
    assert len(watch.history.flaps.times) == 1


def test_a_first_cable_does_not_flap_when_it_is_plugged_in() -> None:
    watch = Watch(counters=Counters(link_downed=0))
    watch.see(LINK_DOWN, times=200)
    for _ in range(5):
        watch.errors(link_downed=1)
        watch.see(LINK_DOWN)
    watch.see()
    assert watch.history.flaps.times == ()


def test_it_clears_after_half_an_hour_up_and_forgets_what_was_before() -> None:
    watch = settled()
    for _ in range(3):
        flap(watch)
    assert watch.passes(minutes=29) == FLAPS
    assert flap(watch) == FLAPS
    assert watch.passes(minutes=29, seconds=50) == FLAPS
    assert watch.see() == Verdict(UP)
    assert watch.history.flaps.times == ()
    assert [flap(watch).word for _ in range(3)] == [UP, UP, FLAPPING]


def test_time_without_a_link_is_no_time_up() -> None:
    watch = settled()
    for _ in range(3):
        flap(watch)
    assert watch.passes(hours=2, link=LINK_DOWN).word == DOWN
    assert watch.see() == FLAPS
    watch.passes(minutes=1)
    assert watch.passes(hours=2, link=LINK_WAITING) == FLAPS
    assert watch.passes(minutes=28).word == FLAPPING
    assert watch.passes(minutes=2).word == UP


def test_what_happens_within_a_quarter_of_an_hour_of_a_boot_or_a_reload_is_no_flap() -> None:
    watch = settled()
    for boot in range(2, 10):
        flap(watch, 3)
        watch.see(LINK_DOWN, times=3)
        watch.incarnation = f"boot-{boot}"
        watch.counters = Counters(symbol_errors=0, link_error_recovery=0, link_downed=0)
        for _ in range(5):
            flap(watch, 3)
        assert watch.passes(minutes=20).word == UP
        watch.history = replace(watch.history, flaps=replace(watch.history.flaps, times=()))
    for _ in range(3):
        said = flap(watch)
    assert said == FLAPS


def test_the_quarter_of_an_hour_begins_with_the_first_sample_of_the_new_boot() -> None:
    watch = settled()
    watch.every = 3600.0
    watch.incarnation = "boot-2"
    watch.see(LINK_DOWN)
    watch.every = 10.0
    assert watch.passes(minutes=14, link=LINK_DOWN).word == DOWN
    watch.see()
    assert watch.history.flaps.times == ()
    watch.passes(minutes=1)
    flap(watch)
    assert len(watch.history.flaps.times) == 1


def test_a_subnet_manager_that_sets_ports_back_makes_no_flap() -> None:
    watch = settled()
    for _ in range(10):
        watch.see(LINK_WAITING, times=6)
        watch.see(times=6)
    assert watch.words == [UP]


def test_a_counter_that_is_missing_reset_or_saturated_makes_no_flap() -> None:
    watch = Watch(counters=Counters(link_downed=200))
    watch.passes(hours=1)
    for stand in (200, 5, None, 5, 3, None, None, 3, 0):
        watch.counters = replace(watch.counters, link_downed=stand)
        watch.see(times=3)
    assert watch.history.flaps.times == ()
    assert watch.words == [UP]


def test_a_leg_of_a_bond_that_comes_and_goes_flaps() -> None:
    watch = settled()
    for _ in range(3):
        watch.see(legs_down=1)
        said = watch.see(times=3)
    assert said == FLAPS


def test_flapping_holds_over_a_restart_for_half_an_hour() -> None:
    reported = Port(device="mlx5_0", port=1, lastUp=NOON, verdict=FLAPPING, reason="LinkFlapping")
    watch = Watch(history=History.of(reported), counters=Counters(link_downed=9))
    watch.see()
    assert watch.passes(minutes=29, seconds=50) == FLAPS
    assert watch.see() == Verdict(UP)


def test_how_often_is_for_the_operator_to_say() -> None:
    watch = settled()
    watch.thresholds = Thresholds(flaps=2, slow_flaps=5, flapping_hold=60.0)
    assert [flap(watch).word, flap(watch).word] == [UP, FLAPPING]
    assert watch.passes(minutes=1).word == UP
