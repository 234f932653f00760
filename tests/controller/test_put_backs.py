"""A status that somebody else overwrites again and again is put back ever more seldom."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import replace

from controller.hyper_nodes.put_backs import FIRST, PutBacks
from kube.requests import Patch
from kube.types import HYPER_NODES
from tests.controller.cluster import QUICK, Cluster, controller

A = "ib-leaf-cf-leaf-001"
HOUR = 3600
WIPES = [f"Time{number}" for number in range(12)]


def put_backs(wiped_every: float, seconds: float) -> list[float]:
    """When a status that is wiped so often is put back; there is a look every second."""
    rule, stands = PutBacks(), True
    times: list[float] = []
    rule.wrote("leaf", "well", 0.0)
    wipes = itertools.count(1)
    due = wiped_every
    for now in range(1, int(seconds)):
        if now >= due:
            stands, due = False, wiped_every * next(wipes) + wiped_every
        if not stands and rule.due("leaf", "well", now):
            assert rule.wrote("leaf", "well", now)
            times.append(now)
            stands = True
    return times


def test_a_war_over_a_status_ends_in_one_write_in_ten_minutes() -> None:
    times = put_backs(wiped_every=1, seconds=2 * HOUR)
    assert times[:3] == [1, 6, 16]
    pauses = [after - before for before, after in itertools.pairwise(times)]
    assert pauses == sorted(pauses)
    assert pauses[-3:] == [600, 600, 600]


def test_one_that_is_wiped_every_hour_is_put_back_at_once_every_time() -> None:
    assert put_backs(wiped_every=HOUR, seconds=5.5 * HOUR) == [HOUR * n for n in range(1, 6)]


def test_what_is_new_is_written_at_once_also_in_a_war() -> None:
    rule = PutBacks()
    assert not rule.wrote("leaf", "well", 0.0)
    for now in (1.0, 6.0, 16.0):
        assert rule.wrote("leaf", "well", now)
    assert not rule.due("leaf", "well", 17.0)
    assert rule.due("leaf", "ill", 17.0)
    assert rule.due("spine", "well", 17.0)
    assert not rule.wrote("leaf", "ill", 17.0)
    assert not rule.due("leaf", "ill", 18.0)


def test_what_was_seen_to_stand_is_put_back_too() -> None:
    rule = PutBacks()
    rule.stands("leaf", "well")
    assert rule.due("leaf", "well", 1.0)
    assert rule.wrote("leaf", "well", 1.0)
    assert not rule.due("leaf", "well", 2.0)


async def test_wiped_conditions_are_put_back_seldom_and_told_no_second_time(cluster: Cluster) -> None:
    async with controller(cluster, replace(QUICK, namespace="default")) as watched:
        cluster.site.cut.add(cluster.site.host_cables("node-00000")[0])
        await cluster.sweep()
        await watched.swept(1)
        await watched.settled()
        told = len(await cluster.events())
        cluster.requests.clear()
        clock = asyncio.get_running_loop().time
        begin = clock()
        for reason in WIPES:
            await wipe(cluster, reason)
            await watched.until(lambda decision: decision.outcome is not None)
        longest = clock() - begin
    path = f"/apis/topology.volcano.sh/v1alpha1/hypernodes/{A}/status"
    put_back = cluster.requests.count(("PATCH", path)) - len(WIPES)
    assert 1 <= put_back <= 1 + longest / FIRST < len(WIPES)
    assert len(await cluster.events()) == told


async def wipe(cluster: Cluster, reason: str) -> None:
    """Somebody puts a condition of their own in the place of all."""
    since = "2026-01-01T00:00:00Z"
    theirs = {"type": "Theirs", "status": "True", "reason": reason, "message": "", "lastTransitionTime": since}
    await cluster.client.patch(HYPER_NODES, A, Patch({"status": {"conditions": [theirs]}}, subresource="status"))
