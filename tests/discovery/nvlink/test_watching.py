"""GPUs and NVLinks over time."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discovery.nvlink import Moment, Watch, keep_watch
from discovery.nvlink.gpus import Gpu, GpuLink
from discovery.reports import NvLink

MORNING = datetime(2026, 3, 1, 6, 0, tzinfo=UTC)
RACK = "7b968a6d-c8aa-45e1-9e07-e1e51be99c31"
LINKS = tuple(GpuLink(number=number, active=True, errors=0) for number in range(4))


def gpu(index: int, **what: object) -> Gpu:
    well = Gpu(index=index, state="Completed", cluster=RACK, clique=1, health="Healthy", links=LINKS)
    return replace(well, **what)  # type: ignore[arg-type]  # whatever field the test changes


class Clock:
    """Looks once a minute."""

    def __init__(self, watch: Watch | None = None) -> None:
        self.watch = watch or Watch()
        self.now = MORNING

    def look(self, *gpus: Gpu, times: int = 1) -> NvLink:
        for _ in range(times):
            told, self.watch = keep_watch(gpus, self.watch, Moment(self.now, "boot-1"))
            self.now += timedelta(minutes=1)
        return told


def with_link(number: int, **what: object) -> tuple[GpuLink, ...]:
    return (*LINKS[:number], replace(LINKS[number], **what), *LINKS[number + 1 :])  # type: ignore[arg-type]  # likewise


def test_what_is_well_is_told_as_such_from_the_first_look() -> None:
    assert Clock().look(gpu(0), gpu(1)) == NvLink(
        clusterUuid=RACK,
        cliqueId=1,
        state="Completed",
        healthSummary="Healthy",
        gpus=2,
        unhealthyGpus=0,
        links=8,
        unhealthyLinks=0,
    )


def test_a_gpu_is_unhealthy_at_the_third_look_and_the_domain_stays() -> None:
    clock, sick = Clock(), gpu(1, health="Unhealthy", complaints=("unhealthy route",))
    clock.look(gpu(0), gpu(1), times=3)
    assert clock.look(gpu(0), sick, times=2).healthSummary == "Healthy"
    told = clock.look(gpu(0), sick)
    assert (told.healthSummary, told.unhealthyGpus, told.reason) == ("Unhealthy", 1, "GPU 1: unhealthy route")
    assert (told.clusterUuid, told.cliqueId) == (RACK, 1)
    assert clock.look(gpu(0), gpu(1)).healthSummary == "Healthy"


def test_a_gpu_that_is_unhealthy_from_the_start_is_not_known_before_the_third_look() -> None:
    clock, sick = Clock(), gpu(0, health="LimitedCapacity", complaints=("degraded bandwidth",))
    assert clock.look(sick, gpu(1), times=2).healthSummary is None
    assert clock.look(sick, gpu(1)).healthSummary == "LimitedCapacity"


def test_a_gpu_that_comes_and_goes_is_told_once_until_it_rests() -> None:
    clock, sick = Clock(), gpu(0, health="Unhealthy")
    clock.look(gpu(0), times=30)
    summaries = []
    for _ in range(6):
        summaries.append(clock.look(sick, times=3).healthSummary)
        summaries.append(clock.look(gpu(0), times=3).healthSummary)
    assert summaries[:5] == ["Unhealthy", "Healthy", "Unhealthy", "Healthy", "Unhealthy"]
    assert "Healthy" not in summaries[4:]
    assert clock.look(gpu(0), times=31).healthSummary == "Healthy"


def test_a_link_that_was_up_and_is_not_is_named_and_one_that_never_was_is_nobodys_fault() -> None:
    clock = Clock()
    never = gpu(1, links=with_link(0, active=False))
    assert clock.look(gpu(0), never, times=5).unhealthyLinks == 0
    down = gpu(0, links=tuple(replace(link, active=link.number == 2) for link in LINKS))
    told = clock.look(down, never, times=3)
    assert (told.links, told.unhealthyLinks, told.badLinks) == (8, 3, ("GPU 0 links 0-1,3 Down",))
    assert told.healthSummary == "Healthy"
    assert clock.look(gpu(0), never).badLinks == ()


def test_a_link_with_errors_hour_after_hour_is_degraded() -> None:
    """More than 120 an hour that it could not repair; fewer do not count."""
    clock = Clock()
    for minute in range(90):
        told = clock.look(gpu(0, links=with_link(1, errors=3 * minute)), gpu(1, links=with_link(1, errors=minute)))
    assert told.badLinks == ("GPU 0 link 1 Degraded",)


def test_a_restart_of_the_agent_forgets_no_bad_link() -> None:
    down = gpu(3, links=tuple(replace(link, active=link.number == 2) for link in LINKS))
    clock = Clock()
    clock.look(gpu(3), times=20)
    before = clock.look(down, times=3)
    again = Clock(Watch.of(before, MORNING))
    assert again.look(down).badLinks == before.badLinks == ("GPU 3 links 0-1,3 Down",)
    assert again.look(gpu(3)).badLinks == ()


def test_a_gpu_that_only_does_not_tell_its_health_keeps_the_last_one_and_is_unknown_then() -> None:
    clock = Clock()
    clock.look(gpu(0), gpu(1, health="Unhealthy"), times=4)
    assert clock.look(gpu(0), gpu(1, health=None), times=2).unhealthyGpus == 1
    told = clock.look(gpu(0), gpu(1, health=None), times=2)
    assert (told.healthSummary, told.unhealthyGpus) == (None, None)


@pytest.mark.parametrize("listed", [True, False])
def test_a_gpu_that_was_there_and_is_lost_is_not_well_and_takes_nothing_with_it(listed: bool) -> None:
    clock = Clock()
    clock.look(gpu(0), gpu(1), times=20)
    left = (gpu(0), Gpu(index=1, lost="GPU is lost")) if listed else (gpu(0),)
    assert clock.look(*left, times=2).healthSummary == "Healthy"
    told = clock.look(*left, times=7)
    assert (told.clusterUuid, told.gpus, told.links, told.unhealthyLinks) == (RACK, 2, 8, 0)
    assert (told.healthSummary, told.unhealthyGpus) == ("Unhealthy", 1)
    assert told.reason == ("GPU 1: GPU is lost" if listed else "GPU 1: it is gone")
    back = clock.look(gpu(0), gpu(1, links=with_link(0, active=False)), times=3)
    assert (back.badLinks, back.healthSummary) == (("GPU 1 link 0 Down",), "Healthy")


@pytest.mark.parametrize("listed", [True, False])
def test_a_gpu_that_is_lost_heals_neither_itself_nor_its_links(listed: bool) -> None:
    clock = Clock()
    clock.look(gpu(0), gpu(1), times=20)
    dark = tuple(replace(link, active=False) for link in LINKS)
    before = clock.look(gpu(0), gpu(1, health="Unhealthy", links=dark), times=4)
    left = (gpu(0), Gpu(index=1, lost="GPU is lost")) if listed else (gpu(0),)
    for _ in range(9):
        told = clock.look(*left)
        assert (told.healthSummary, told.unhealthyGpus) == ("Unhealthy", 1)
        assert (told.links, told.unhealthyLinks, told.badLinks) == (8, 4, before.badLinks)
    again = Clock(Watch().recalling(told, MORNING, same_boot=True)).look(*left)
    assert (again.healthSummary, again.unhealthyGpus, again.badLinks) == ("Unhealthy", 1, before.badLinks)


def test_a_gpu_that_nobody_ever_could_read_is_unknown_and_neither_well_nor_sick() -> None:
    told = Clock().look(gpu(0), Gpu(index=1, lost="GPU is lost"), times=9)
    assert (told.healthSummary, told.unhealthyGpus, told.reason) == (None, None, "GPU 1: GPU is lost")


def test_a_gpu_that_is_found_again_is_not_lost_any_more_also_where_the_driver_sums_up_no_health() -> None:
    clock, plain = Clock(), (gpu(0, health=None), gpu(1, health=None))
    clock.look(*plain, times=3)
    assert clock.look(plain[0], times=3).unhealthyGpus == 1
    told = clock.look(*plain)
    assert (told.healthSummary, told.unhealthyGpus, told.reason) == (None, None, None)


def test_gpus_whose_driver_sums_up_no_health_are_not_judged() -> None:
    told = Clock().look(gpu(0, health=None), times=9)
    assert (told.healthSummary, told.unhealthyGpus) == (None, None)


@given(st.text(alphabet="GPU 0123456789links,- Down²", max_size=60))
def test_a_report_of_other_hands_is_passed_over(line: str) -> None:
    told = NvLink(badLinks=(line, "GPU 2 links 0-99999999 Down", "GPU 1 link 3 Bewildered"))
    assert len(Watch.of(told, MORNING).histories) <= 72
