"""Whose PodGroups are whose, and which changes are worth a pass."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from scheduler.caches import Caches
from scheduler.groups import GroupKey, GroupKind
from scheduler.holdings import Holdings
from scheduler.roster import Roster
from scheduler.wake import Wake
from tests.kube.wire import client_of, event, failure, listing, stream

OURS = frozenset({"hyperscout"})
JOB = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "j"}


@asynccontextmanager
async def following(news: asyncio.Queue[dict[str, Any]], **kinds: list[dict[str, Any]]) -> AsyncIterator[Roster]:
    """A roster over a server that lists these objects; what is put into `news` comes in the watch of pods."""

    async def answer(request: web.Request) -> web.StreamResponse:
        plural = request.path.rpartition("/")[2]
        if plural not in kinds:
            return failure(404, "NotFound")
        if "watch" not in request.query:
            return listing(*kinds[plural])
        response = await stream(request)
        while plural == "pods":
            await response.write(b"%s\n" % _encoded(event("MODIFIED", await news.get())))
        await asyncio.sleep(1000)
        return response

    async with client_of(answer) as client:
        caches = Caches.of(client)
        roster = Roster(OURS, caches, Holdings(), Wake())
        running = [asyncio.create_task(cache.run()) for cache in caches.all()]
        await caches.synced()
        yield roster
        for task in running:
            task.cancel()


def _encoded(line: dict[str, Any]) -> bytes:

    return json.dumps(line).encode()


def pod_group(name: str, **metadata: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    return {"metadata": {"name": name, "namespace": "ml", "uid": name, "resourceVersion": "1", **metadata}, "spec": {}}


def pod(version: int, scheduler: str = "hyperscout", **status: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    annotations = {"scheduling.k8s.io/group-name": "g"}
    metadata = {
        "name": "w-0",
        "namespace": "ml",
        "uid": "w",
        "resourceVersion": str(version),
        "annotations": annotations,
    }
    return {"metadata": metadata, "spec": {"schedulerName": scheduler}, "status": {"phase": "Pending", **status}}


@pytest.mark.parametrize(
    ("group", "mine"),
    [
        (pod_group("x"), False),
        (pod_group("x", annotations={"hyperscout.io/scheduler": "hyperscout"}), True),
        (pod_group("x", annotations={"hyperscout.io/scheduler": "volcano"}), False),
        (pod_group("x", ownerReferences=[JOB | {"uid": "j"}]), True),
        (pod_group("x", ownerReferences=[JOB | {"uid": "another"}]), False),
        (pod_group("g"), True),
    ],
)
async def test_a_pod_group_is_ours_when_somebody_says_so(group: dict[str, Any], mine: bool) -> None:
    job = {"metadata": {"name": "j", "namespace": "ml", "uid": "j"}, "spec": {"schedulerName": "hyperscout"}}
    async with following(asyncio.Queue(), pods=[pod(1)], podgroups=[group], jobs=[job]) as roster:
        found = roster.pod_group(GroupKey(GroupKind.POD_GROUP, "ml", group["metadata"]["name"]))
        assert found is not None
        assert roster.is_ours(found) is mine
        assert (GroupKey(GroupKind.POD_GROUP, "ml", found.metadata.name) in roster.take()) is mine


async def test_a_pod_of_another_scheduler_makes_no_group_ours() -> None:
    async with following(asyncio.Queue(), pods=[pod(1, "volcano")], podgroups=[pod_group("g")]) as roster:
        assert roster.take() == set()


async def test_a_condition_alone_is_not_worth_a_pass_but_is_remembered() -> None:
    news: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    key = GroupKey(GroupKind.POD_GROUP, "ml", "g")
    async with following(news, pods=[pod(1)], podgroups=[pod_group("g")]) as roster:
        roster.touched.clear()
        news.put_nowait(pod(2, conditions=[{"type": "PodScheduled", "status": "False"}]))
        while roster.pods_of(key)[0].metadata.resource_version != "2":  # noqa: ASYNC110 - the roster rings no bell here
            await asyncio.sleep(0)
        assert roster.touched == set()
        news.put_nowait(pod(3, phase="Failed"))
        while not roster.touched:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0)
        assert roster.members_of(key).waiting == ()
