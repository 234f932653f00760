"""A probe that fails, breaks or hangs hides nothing that was known, and costs one thread at most."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from agent.node.watching import MAX_REASON, Watched
from discovery.probing import Probed, absent, failed, found
from discovery.reports import ABSENT, FAILED, FOUND

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass(slots=True)
class Script:
    """A probe that answers what it is told to, one look after the other; each look is a minute later."""

    answers: Iterator[Callable[[], Probed[str]]]
    asked: int = 0
    now: datetime = NOON
    threads: set[str] = field(default_factory=set)

    def ask(self) -> Probed[str]:
        self.asked += 1
        self.threads.add(threading.current_thread().name)
        return next(self.answers)()

    def clock(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now


def watched(*answers: Callable[[], Probed[str]], limit: float = 20.0) -> tuple[Watched[str], Script]:
    script = Script(iter(answers))
    return Watched("sysfs", script.ask, limit, now=script.clock), script


def good(text: str) -> Callable[[], Probed[str]]:
    return lambda: found("sysfs", text)


def broken() -> Probed[str]:
    raise ValueError("no such register")


async def test_what_is_found_replaces_what_was_found() -> None:
    probe, _ = watched(good("one"), good("two"))
    assert [(await probe.look()).evidence for _ in range(2)] == ["one", "two"]
    assert (probe.kept.outcome, probe.kept.told.reason, probe.kept.age(probe.now())) == (FOUND, None, 60.0)


@pytest.mark.parametrize("bad", [broken, lambda: failed("sysfs", "no rights")])
async def test_a_failure_keeps_the_last_good_evidence_and_says_from_when_it_is(bad: Callable[[], Probed[str]]) -> None:
    probe, _ = watched(good("one"), bad, bad, good("two"))
    await probe.look()
    for _ in range(2):
        kept = await probe.look()
        assert (kept.outcome, kept.evidence, kept.fresh) == (FAILED, "one", False)
        assert (kept.told.reason or "").endswith("what is reported was seen at 2026-03-01T12:01:00Z")
    assert kept.age(NOON + timedelta(minutes=10)) == 540.0
    assert (await probe.look()).evidence == "two"


async def test_a_failure_that_lasts_changes_no_report() -> None:
    probe, _ = watched(good("one"), broken, broken)
    await probe.look()
    assert (await probe.look()).told == (await probe.look()).told


async def test_that_there_is_nothing_is_an_answer_and_no_failure() -> None:
    probe, _ = watched(good("one"), lambda: absent("sysfs", "no devices"))
    await probe.look()
    kept = await probe.look()
    assert (kept.outcome, kept.evidence, kept.told.reason) == (ABSENT, None, "no devices")


async def test_one_that_hangs_is_cut_off_and_not_asked_again_until_it_answers() -> None:
    hanging = threading.Event()

    def late() -> Probed[str]:
        assert hanging.wait(20)
        return found("sysfs", "late")

    probe, script = watched(good("one"), late, good("two"), limit=0.05)
    probe.limit = 20.0
    await probe.look()
    probe.limit = 0.05
    cut = await probe.look()
    assert (cut.outcome, cut.evidence, cut.reason) == (FAILED, "one", "no answer within 0.05 s")
    for _ in range(20):
        still = await probe.look()
    assert (still.outcome, still.evidence, script.asked) == (FAILED, "one", 2)
    assert still.reason == "no answer since 2026-03-01T12:02:00Z"
    hanging.set()
    probe.limit = 20.0
    async with asyncio.timeout(20):
        while not (await probe.look()).fresh:
            assert script.asked == 2
            await asyncio.sleep(0)
    assert probe.kept.evidence == "late"
    assert (await probe.look()).evidence == "two"


async def test_one_that_never_answered_has_no_evidence_and_no_age() -> None:
    hanging = threading.Event()
    probe, _ = watched(lambda: found("sysfs", str(hanging.wait(20))), limit=0.01)
    kept = await probe.look()
    assert (kept.evidence, kept.age(NOON), kept.told.reason) == (None, None, "no answer within 0.01 s")
    hanging.set()


async def test_a_long_reason_is_cut() -> None:
    probe, _ = watched(lambda: failed("sysfs", "x" * 9000))
    assert len((await probe.look()).told.reason or "") == MAX_REASON
