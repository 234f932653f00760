"""Time as it comes: clocks that jump, gaps, samples that are late, and what holds whatever the samples are."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discovery.health import History, Verdict, judge
from discovery.reports import DEGRADED, DOWN, FLAPPING, UNKNOWN, UNPROVISIONED, UP, Port
from discovery.samples import LINK_DOWN, LINK_UP, LINK_WAITING, Counters, PortSample
from tests.discovery.health.watching import NOON, Watch, settled

HOUR = timedelta(hours=1)
WELL = Port(device="mlx5_0", port=1, verdict=UP, lastUp=NOON)
LINKS = st.sampled_from([LINK_UP, LINK_DOWN, LINK_WAITING, None])
COUNTS = st.none() | st.integers(0, 2**16)
MOST_MARKS = 30


def test_one_sample_that_is_late_changes_nothing() -> None:
    watch = settled()
    late = PortSample(at=watch.now - HOUR, link=LINK_DOWN, counters=Counters(link_downed=99), incarnation="boot-9")
    for _ in range(5):
        assert watch.sample(late) == Verdict(UP)
        assert watch.see() == Verdict(UP)
    assert watch.history.flaps.times == ()
    assert watch.see(LINK_DOWN, times=2).word == UP


def test_after_a_clock_that_is_set_back_the_port_is_watched_as_before() -> None:
    watch = settled()
    watch.now -= 24 * HOUR
    assert watch.see(LINK_DOWN, times=4).word == DOWN  # the first one could be late
    assert watch.see().word == UP
    watch.see(LINK_DOWN)
    watch.see()
    watch.now -= HOUR
    for _ in range(2):
        watch.see(LINK_DOWN, times=2)
        watch.see()
    assert watch.words[-1] == FLAPPING


@pytest.mark.parametrize("jump", [timedelta(days=400), -timedelta(days=400)])
def test_a_clock_that_jumps_makes_nothing_of_a_port_that_is_up(jump: timedelta) -> None:
    watch = settled()
    for _ in range(5):
        watch.now += jump
        watch.see(times=10)
    assert watch.words == [UP]


def test_a_jump_is_no_half_hour_of_quiet_and_no_hour_without_errors() -> None:
    watch = settled()
    for _ in range(3):
        watch.see(LINK_DOWN)
        watch.see()
    assert watch.words[-1] == FLAPPING
    watch.now += 24 * HOUR
    assert watch.see().word == FLAPPING
    assert watch.passes(minutes=16).word == UP  # a quarter of an hour of the gap counts


STEPS = pytest.mark.parametrize("step", [timedelta(minutes=20), timedelta(days=400), -timedelta(minutes=20)])


@STEPS
def test_a_clock_that_is_set_ends_no_quiet_time(step: timedelta) -> None:
    watch = Watch(History.of(WELL), clock=0.0)
    watch.see(times=2)
    watch.now += step
    for _ in range(4):
        watch.see(LINK_DOWN)
        watch.see()
    assert watch.passes(minutes=20) == Verdict(UP)
    assert FLAPPING not in watch.words
    for _ in range(3):
        watch.see(LINK_DOWN)
        watch.see()
    assert watch.words[-1] == FLAPPING


@STEPS
def test_a_clock_that_is_set_makes_no_port_wait_longer_than_it_did(step: timedelta) -> None:
    watch = Watch(History.of(WELL), clock=0.0)
    watch.see()
    watch.see(LINK_WAITING, times=2)
    watch.now += step
    assert watch.see(LINK_WAITING, times=10).word == UP
    assert watch.see(LINK_WAITING, times=2) == Verdict(UNKNOWN, "WaitingForSubnetManager")


def test_a_process_that_starts_again_and_again_in_one_boot_is_no_quiet_time() -> None:
    watch = Watch(History.of(WELL).going_on(), clock=86400.0)
    for _ in range(3):
        watch.see(LINK_DOWN)
        watch.see()
    assert watch.words[-1] == FLAPPING
    again = Watch(History.of(replace(WELL, verdict=FLAPPING)).going_on(), clock=90000.0)
    assert again.see().word == FLAPPING


def test_a_process_that_starts_soon_after_the_boot_is_quiet_for_the_rest_of_that_time() -> None:
    early = Watch(History.of(WELL).going_on(), clock=300.0)
    told_later = Watch(History.of(WELL), clock=300.0)
    told_later.see()
    told_later.history = told_later.history.going_on()
    for watch in (early, told_later):
        for _ in range(6):
            watch.see(LINK_DOWN)
            watch.see()
        assert watch.words[-1] == UP
        watch.passes(minutes=9)
        for _ in range(3):
            watch.see(LINK_DOWN)
            watch.see()
        assert watch.words[-1] == FLAPPING


def test_a_reload_is_quiet_also_where_the_boot_is_known_to_go_on() -> None:
    watch = Watch(History.of(WELL), clock=86400.0)
    watch.see()
    watch.incarnation = "boot-1/reloaded"
    watch.see()
    watch.history = watch.history.going_on()
    for _ in range(6):
        watch.see(LINK_DOWN)
        watch.see()
    assert watch.words == [UP]


def test_a_gap_without_samples_is_bridged_by_the_counters() -> None:
    watch = settled()
    watch.now += 3 * HOUR
    watch.errors(symbol_errors=360)  # 120 an hour
    assert watch.see().word == UP
    watch.now += 3 * HOUR
    watch.errors(symbol_errors=400)
    assert watch.see().word == DEGRADED
    watch.now += 2 * HOUR
    watch.errors(link_downed=3)
    assert watch.see().word == FLAPPING


@st.composite
def samples(draw: st.DrawFn) -> list[PortSample]:
    found, now = [], NOON
    for _ in range(draw(st.integers(1, 30))):
        now += timedelta(seconds=draw(st.sampled_from([0.0, 0.1, 10.0, 10.0, 10.0, 300.0, 7200.0, -5.0, -90000.0])))
        counters = Counters(symbol_errors=draw(COUNTS), link_error_recovery=draw(COUNTS), link_downed=draw(COUNTS))
        found.append(
            PortSample(
                at=now,
                link=draw(LINKS),
                counters=counters,
                incarnation=draw(st.sampled_from(["a", "a", "a", "b", None])),
                legs_down=draw(st.sampled_from([0, 0, 0, 1])),
            )
        )
    return found


@settings(max_examples=60)
@given(samples())
def test_whatever_is_sampled_the_memory_is_bounded_and_the_verdict_says_what_was_seen(given: list[PortSample]) -> None:
    history, seen = History(), set[str | None]()
    for sample in given:
        verdict, history = judge(sample, history)
        seen.add(sample.link)
        assert verdict.word in (UP, DEGRADED, FLAPPING, DOWN, UNPROVISIONED, UNKNOWN)
        assert (verdict.reason is None) or verdict.word != UP
        assert len(history.flaps.times) <= 3
        for gauge in history.gauges.values():
            if gauge.rates is not None:
                assert len(gauge.rates.slow.seconds) <= MOST_MARKS
                assert len(gauge.rates.fast.seconds) <= MOST_MARKS
                assert list(gauge.rates.slow.seconds) == sorted(gauge.rates.slow.seconds)
        if verdict.word in (UP, DEGRADED, FLAPPING):
            assert LINK_UP in seen
        if history.last_up is None:
            assert LINK_UP not in seen - {sample.link} or verdict.word in (UNKNOWN, UNPROVISIONED)


@given(st.lists(st.sampled_from([LINK_UP, LINK_DOWN]), min_size=1, max_size=80), st.sampled_from(["seen", "counted"]))
def test_flaps_are_the_times_that_the_link_came_back(links: list[str], how: str) -> None:
    """Less than a quarter of an hour of samples: the third return is flapping, and nothing is cleared."""
    watch, returns, last = settled(), 0, LINK_UP
    for link in links:
        if how == "counted" and (last, link) == (LINK_UP, LINK_DOWN):
            watch.errors(link_downed=1)
        returns += (last, link) == (LINK_DOWN, LINK_UP)
        last = link
        verdict = watch.see(link)
        assert watch.history.flaps.flapping == (returns >= 3)
        if link == LINK_UP:
            assert verdict.word == (FLAPPING if returns >= 3 else UP)


@given(st.lists(st.sampled_from([LINK_UP, LINK_DOWN, LINK_WAITING]), min_size=2, max_size=40), st.data())
def test_one_sample_that_cannot_be_read_changes_no_verdict(links: list[str], data: st.DataObject) -> None:
    blank = data.draw(st.integers(1, len(links) - 1))
    whole, with_blank = settled(), settled()
    for place, link in enumerate(links):
        whole.see(link)
        if place == blank:
            with_blank.sample(PortSample(at=with_blank.now + timedelta(seconds=5)))
        with_blank.see(link)
        assert with_blank.history.verdict == whole.history.verdict
        assert with_blank.history.last_up == whole.history.last_up


@given(st.lists(st.tuples(st.floats(0.1, 4000.0), st.floats(0.0, 1.0)), min_size=1, max_size=80))
def test_fewer_errors_than_allowed_are_never_told(steps: list[tuple[float, float]]) -> None:
    """At most 120 an hour in every step, and so in every hour; whole errors are carried over."""
    watch, owed = settled(), 0.0
    for seconds, share in steps:
        watch.every = seconds
        owed += share * 120.0 * seconds / 3600.0
        watch.errors(symbol_errors=int(owed))
        owed -= int(owed)
        assert watch.see() == Verdict(UP)


def test_a_history_is_a_value() -> None:
    watch = settled()
    before, copy = watch.history, replace(watch.history)
    watch.errors(link_downed=3, symbol_errors=900)
    watch.see(LINK_DOWN)
    watch.see()
    assert before == copy


def test_a_port_with_nothing_to_tell_is_up_all_day() -> None:
    watch = Watch()
    watch.every = 60.0
    assert watch.passes(hours=24) == Verdict(UP)
    assert watch.words == [UP]
