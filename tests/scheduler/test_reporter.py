"""How often and when something is written of a group. Time is virtual."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from aiohttp import web

from scheduler.groups import GroupKey, GroupKind
from scheduler.reporter import Reporter, Statement
from scheduler.verdict import Tally, Verdict
from tests.kube.wire import client_of, failure
from tests.scheduler.objects import a_pod, a_pod_group

pytestmark = pytest.mark.looptime

KEY = GroupKey(GroupKind.POD_GROUP, "ml", "g")
TALLY = Tally(0, 0, 0, 0)


class Desk:
    """A server that keeps one PodGroup and notes every write with its time."""

    def __init__(self) -> None:
        self.document: dict[str, Any] = {
            "metadata": {"name": "g", "namespace": "ml", "uid": "uid-g"},
            "spec": {"odd": 1},
        }
        self.writes: list[tuple[float, str, Any]] = []
        self.conflicts = 0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if request.method == "GET":
            return web.json_response(self.document)
        body = await request.json()
        if self.conflicts:
            self.conflicts -= 1
            return failure(409, "Conflict", "somebody else wrote it")
        what = request.path.rpartition("/")[2]
        self.writes.append((asyncio.get_running_loop().time(), what, body))
        if request.method == "PUT":
            self.document = body
        return web.json_response({"metadata": {"name": "x"}})

    def times(self, what: str) -> list[float]:
        return [round(when) for when, kind, _ in self.writes if kind == what]


@asynccontextmanager
async def reporting(desk: Desk) -> AsyncIterator[Reporter]:
    async with client_of(desk.answer) as client:
        reporter = Reporter(client, 5.0, lambda pod: pod)
        task = asyncio.create_task(reporter.run())
        yield reporter
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def refusal(message: str, *, patient: bool = False, reason: str = "DoesNotFit") -> Statement:
    pod = a_pod("w-0")
    verdict = Verdict(reason, message, placed=False, waiting=(pod,))
    return Statement(KEY, verdict, a_pod_group(), "Inqueue", TALLY, pod, patient=patient)


async def test_the_first_word_is_said_at_once_and_the_next_after_the_interval() -> None:
    desk = Desk()
    async with reporting(desk) as reporter:
        for second in range(12):
            reporter.say(refusal(f"second {second}"))
            await asyncio.sleep(1)
        await asyncio.sleep(20)
    assert desk.times("g") == [0, 5, 10, 15]
    assert desk.document["status"]["conditions"][0]["message"] == "second 11"


async def test_what_stands_there_already_is_not_written_again() -> None:
    desk = Desk()
    async with reporting(desk) as reporter:
        reporter.say(refusal("no room"))
        await asyncio.sleep(1)
        reporter.say(refusal("no room"))
        await asyncio.sleep(60)
    assert len(desk.times("g")) == 1


async def test_the_rest_of_the_document_stays_and_phase_and_condition_are_set() -> None:
    desk = Desk()
    async with reporting(desk) as reporter:
        reporter.say(refusal("no room"))
        await asyncio.sleep(1)
    assert desk.document["spec"] == {"odd": 1}
    status = desk.document["status"]
    [condition] = status["conditions"]
    assert (status["phase"], condition["type"], condition["status"]) == ("Inqueue", "Unschedulable", "True")
    assert condition["transitionID"]


async def test_an_event_comes_only_with_a_new_reason() -> None:
    desk = Desk()
    async with reporting(desk) as reporter:
        for second in range(3):
            reporter.say(refusal(f"no room {second}"))
            await asyncio.sleep(10)
        reporter.say(refusal("tier unknown", reason="TierNameUnknown"))
        await asyncio.sleep(10)
    told = [body["message"] for _, what, body in desk.writes if what == "events"]
    assert told == ["DoesNotFit: no room 0", "TierNameUnknown: tier unknown"]


async def test_what_may_pass_by_itself_is_said_only_when_it_stays() -> None:
    desk = Desk()
    async with reporting(desk) as reporter:
        reporter.say(refusal("3 of 4 pods are here", patient=True))
        await asyncio.sleep(4)
        assert desk.writes == []
        reporter.say(refusal("no room"))
        await asyncio.sleep(0.5)
    assert desk.times("g") == [4]


async def test_a_gang_that_stood_before_our_time_gets_no_event() -> None:
    desk = Desk()
    pod = a_pod("w-0", spec={"nodeName": "n1"})
    verdict = Verdict("MinMemberBound", "1 pod is bound", placed=True)
    key = GroupKey(GroupKind.POD, "ml", "w-0")
    async with reporting(desk) as reporter:
        reporter.say(Statement(key, verdict, None, "", TALLY, pod))
        await asyncio.sleep(10)
        assert desk.writes == []
        reporter.forget(key)
        reporter.say(Statement(key, verdict, None, "", TALLY, pod, fresh=True))
        await asyncio.sleep(10)
    assert [what for _, what, _ in desk.writes] == ["events"]


async def test_a_write_that_meets_another_is_made_again_after_the_interval() -> None:
    desk = Desk()
    desk.conflicts = 1
    async with reporting(desk) as reporter:
        reporter.say(refusal("no room"))
        await asyncio.sleep(60)
    assert desk.times("g") == [5]
