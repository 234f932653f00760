"""Verdicts of switch ports over sweeps; times and counters by hand after the documented thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from agent.sweeper.infiniband.histories import Look, PortHistories
from discovery.reports import DEGRADED, FLAPPING, UP, SwitchReport
from discovery.samples import Counters
from tests.agent.sweeper.played import without_port
from tests.agent.sweeper.test_merging import LEAF_1, ONE, TOP, TWO

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
REPORTS = {"one": ONE, "top": TOP, "two": TWO}
SWEEP = 300
"""Seconds from one sweep to the next."""
HOST_PORT, UPLINK = (LEAF_1, 1), (LEAF_1, 8)


def verdict(reports: Mapping[str, SwitchReport], number: int = 8) -> str:
    return next(port.verdict for port in reports["one"].ports if port.number == number)


class Sweeps:
    """One after the other, five minutes apart."""

    def __init__(self, standing: Mapping[str, SwitchReport] | None = None) -> None:
        self.histories = PortHistories()
        self.at, self.standing = NOON, standing or {}

    def sweep(
        self, reports: Mapping[str, SwitchReport] = REPORTS, counters: Counters | None = None, number: int = 8
    ) -> Mapping[str, SwitchReport]:
        self.at += timedelta(seconds=SWEEP)
        read = {(LEAF_1, number): counters} if counters is not None else {}
        self.standing = self.histories.judge(reports, self.standing, Look(self.at, counters=read))
        return self.standing


def with_errors(sweeps: Sweeps, *counts: int) -> list[str]:
    return [verdict(sweeps.sweep(counters=Counters(symbol_errors=count))) for count in counts]


def test_more_than_120_symbol_errors_an_hour_for_an_hour_are_degraded_wherever_the_counter_stood() -> None:
    begin = 60_000
    assert set(with_errors(Sweeps(), *(begin + 9 * n for n in range(20)))) == {UP}  # 108 an hour
    words = with_errors(Sweeps(), *(begin + 12 * n for n in range(20)))  # 144 an hour
    assert (words[0], words[11], words[-1]) == (UP, UP, DEGRADED)


def test_sweeps_without_counters_between_change_nothing_and_heal_nothing() -> None:
    sweeps = Sweeps()
    with_errors(sweeps, *(12 * n for n in range(20)))
    assert {verdict(sweeps.sweep()) for _ in range(9)} == {DEGRADED}


def test_a_new_process_begins_with_the_verdict_that_stands_and_counters_that_are_unknown() -> None:
    degraded = replace(ONE.ports[1], verdict=DEGRADED, reason="SymbolErrors")
    sweeps = Sweeps({"one": replace(ONE, ports=(ONE.ports[0], degraded))})
    assert with_errors(sweeps, 50_000, 50_000) == [DEGRADED, DEGRADED]
    words = with_errors(sweeps, *[50_000] * 14)
    assert words[-1] == UP


def test_a_link_between_switches_that_was_lost_three_times_flaps_by_its_counter_or_by_sight() -> None:
    sweeps = Sweeps()
    for lost in (7, 7, 7, 7, 8, 9, 10):
        now = sweeps.sweep(counters=Counters(link_downed=lost))
    assert verdict(now) == FLAPPING
    sweeps = Sweeps()
    for _ in range(4):
        sweeps.sweep()
    for _ in range(3):
        sweeps.sweep(REPORTS | {"one": without_port(ONE, 8)})
        now = sweeps.sweep()
    assert verdict(now) == FLAPPING


def test_a_sweeper_that_restarts_or_whose_clock_is_set_sees_a_link_flap_at_once() -> None:
    histories, standing = PortHistories(), dict(REPORTS)
    for number, reports in enumerate([REPORTS, *[REPORTS | {"one": without_port(ONE, 8)}, REPORTS] * 3]):
        look = Look(NOON - timedelta(days=number), clock=86400.0 + 10 * number)
        standing = histories.judge(reports, standing, look)
    assert verdict(standing) == FLAPPING


def test_a_host_that_reboots_again_and_again_makes_no_flap_at_its_switch() -> None:
    sweeps = Sweeps()
    for lost in range(20):
        sweeps.sweep(REPORTS | {"one": without_port(ONE, 1)})
        now = sweeps.sweep(counters=Counters(link_downed=3 * lost), number=1)
        assert verdict(now, 1) == UP


def test_a_port_that_gave_no_answer_keeps_its_verdict() -> None:
    degraded = replace(ONE, ports=(ONE.ports[0], replace(ONE.ports[1], verdict=DEGRADED, reason="SymbolErrors")))
    histories = PortHistories()
    for sweep in range(9):
        look = Look(NOON + timedelta(seconds=SWEEP * sweep), frozenset({UPLINK}))
        assert verdict(histories.judge({"one": degraded}, {"one": degraded}, look)) == DEGRADED


def test_switches_that_have_left_are_forgotten() -> None:
    sweeps = Sweeps()
    sweeps.sweep()
    assert sweeps.histories.counts() == {UP: 6}
    sweeps.standing = {}
    sweeps.sweep({"one": ONE})
    assert sweeps.histories.counts() == {UP: 2}
