"""When the controller looks, in virtual time."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import msgspec
import pytest

from controller.settings import Debounce
from controller.trigger import Trigger, hyper_node_matters, node_matters, report_matters
from kube.cache import Added, Changed, Deleted
from kube.types import Condition, HyperNode, HyperNodeSpec, HyperNodeStatus, Node, NodeCondition, NodeStatus
from tests.controller.site import Site

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]


async def pull_at(trigger: Trigger, *times: float) -> None:
    """Pull at these seconds from now."""
    start = asyncio.get_running_loop().time()
    for time in times:
        await asyncio.sleep(start + time - asyncio.get_running_loop().time())
        trigger.pull()


async def seconds_until(trigger: Trigger, *times: float, longest: float = 30.0) -> float:
    """How long a wait takes that begins now."""
    loop = asyncio.get_running_loop()
    start = loop.time()
    async with asyncio.TaskGroup() as group:
        pulling = group.create_task(pull_at(trigger, *times))
        await trigger.wait(longest)
        waited = loop.time() - start
        pulling.cancel()
    return round(waited, 3)


async def test_a_look_comes_a_second_after_the_last_of_a_few_changes() -> None:
    assert await seconds_until(Trigger(Debounce()), 2.0, 2.5, 3.0) == 4.0


async def test_under_steady_change_a_look_comes_after_five_seconds() -> None:
    assert await seconds_until(Trigger(Debounce()), *(0.5 * step for step in range(1, 40))) == 5.5


async def test_without_any_change_a_look_comes_all_the_same() -> None:
    assert await seconds_until(Trigger(Debounce())) == 30.0


async def test_a_change_while_nobody_waits_is_not_lost() -> None:
    trigger = Trigger(Debounce(quiet=2.0))
    trigger.pull()
    assert await seconds_until(trigger) == 2.0
    assert await seconds_until(trigger, longest=9.0) == 9.0


async def test_the_end_waits_for_nothing() -> None:
    trigger = Trigger(Debounce())
    trigger.end()
    assert await seconds_until(trigger) == 0.0
    assert await seconds_until(trigger) == 0.0


async def test_a_heartbeat_alone_starts_nothing() -> None:
    report = Site().node_report_objects()[0]
    beat = msgspec.structs.replace(report, spec=replace(report.spec, heartbeat=datetime.now(UTC)))
    rebooted = msgspec.structs.replace(report, spec=replace(report.spec, bootId="another"))
    assert not report_matters(Changed(report, beat))
    assert report_matters(Changed(report, rebooted))
    assert report_matters(Added(report))
    assert report_matters(Deleted(report, through_relist=False))


async def test_a_kubelets_heartbeat_starts_nothing_and_readiness_does() -> None:
    def node(status: str, second: int) -> Node:
        beat = datetime(2026, 1, 1, 0, 0, second, tzinfo=UTC)
        return Node(
            status=NodeStatus(conditions=(NodeCondition(type="Ready", status=status, last_heartbeat_time=beat),))
        )

    assert not node_matters(Changed(node("True", 1), node("True", 2)))
    assert node_matters(Changed(node("True", 1), node("False", 2)))


async def test_volcanos_count_starts_nothing_and_a_condition_or_an_edit_does() -> None:
    plain = HyperNode(spec=HyperNodeSpec(tier=2))
    counted = HyperNode(spec=HyperNodeSpec(tier=2), status=HyperNodeStatus(node_count=7))
    condition = Condition(type="Ready", status="True", reason="AllLinksUp")
    judged = HyperNode(spec=HyperNodeSpec(tier=2), status=HyperNodeStatus(conditions=(condition,)))
    assert not hyper_node_matters(Changed(plain, counted))
    assert hyper_node_matters(Changed(plain, judged))
    assert hyper_node_matters(Changed(plain, HyperNode(spec=HyperNodeSpec(tier=3))))


async def test_what_turns_out_to_be_no_news_starts_no_look() -> None:
    trigger = Trigger(Debounce())
    trigger.pull("ours")
    trigger.forget("ours")
    assert await seconds_until(trigger) == 30.0
    trigger.pull("ours")
    trigger.pull("theirs")
    trigger.forget("ours")
    assert await seconds_until(trigger) == 1.0
