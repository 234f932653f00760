"""Terms of leadership: they end by the clock, and what is renewed too late is a new one."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass

from kube.tenure import ALONE, Tenure, end_of, next_term, steady


@dataclass
class Clock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_term_begins_with_a_renewal_and_ends_at_the_deadline_without_one() -> None:
    clock = Clock()
    tenure = Tenure(10.0, clock)
    assert tenure.term == 0
    tenure.renewed(100.0)
    clock.now = 109.9
    assert tenure.term == 1
    clock.now = 110.0
    assert tenure.term == 0


def test_a_renewal_counts_from_when_it_was_asked_for() -> None:
    clock = Clock()
    tenure = Tenure(10.0, clock)
    clock.now = 109.0  # the answer took nine seconds
    tenure.renewed(100.0)
    assert tenure.term == 1
    clock.now = 110.0
    assert tenure.term == 0


def test_renewals_in_time_are_one_term_and_one_that_is_too_late_begins_another() -> None:
    clock = Clock()
    tenure = Tenure(10.0, clock)
    for at in (100.0, 109.0, 118.0):
        clock.now = at
        tenure.renewed(at)
    assert tenure.term == 1
    clock.now = 128.0
    tenure.renewed(128.0)
    assert tenure.term == 2


def test_after_a_loss_the_next_renewal_is_a_new_term() -> None:
    clock = Clock()
    tenure = Tenure(10.0, clock)
    tenure.renewed(100.0)
    tenure.lost()
    assert tenure.term == 0
    tenure.renewed(100.0)
    assert tenure.term == 2


async def test_who_waits_for_a_term_or_for_its_end_is_woken_from_the_renewing_thread() -> None:
    tenure = Tenure(3600.0)
    waiting = asyncio.create_task(next_term(tenure))
    await asyncio.sleep(0)
    renewing = threading.Thread(target=tenure.renewed, args=(steady(),))
    renewing.start()
    assert await asyncio.wait_for(waiting, 10) == 1
    ending = asyncio.create_task(end_of(tenure, 1))
    await asyncio.sleep(0)
    losing = threading.Thread(target=tenure.lost)
    losing.start()
    await asyncio.wait_for(ending, 10)
    renewing.join()
    losing.join()


async def test_who_is_alone_leads_at_once() -> None:
    assert await next_term(ALONE) == 1
