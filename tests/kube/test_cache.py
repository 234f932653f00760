"""The cache over a server whose watches break, expire and come back. Time is virtual."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest
from aiohttp import web

from kube.cache import Added, Cache, Change, Changed, Deleted
from kube.pace import Limits
from kube.types import NODES, Key, Node
from tests.kube.wire import client_of, drop, event, failure, listing, node, stream

pytestmark = pytest.mark.looptime

Step = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Story:
    """Lists and watches that are answered in the order of the script; after it watches stay open in silence."""

    def __init__(self, lists: list[web.Response], watches: list[Step]) -> None:
        self.lists = lists
        self.watches = watches
        self.versions: list[str] = []
        """The resourceVersion of each watch that was asked for."""
        self.told = asyncio.Event()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if "watch" not in request.query:
            return self.lists.pop(0)
        self.versions.append(request.query["resourceVersion"])
        if self.watches:
            return await self.watches.pop(0)(request)
        response = await stream(request)
        self.told.set()
        await asyncio.sleep(1_000_000)
        return response


def says(*lines: dict[str, object] | bytes, cut: bool = False) -> Step:
    async def step(request: web.Request) -> web.StreamResponse:
        response = await stream(request, *lines)
        if cut:
            drop(request)
        return response

    return step


def answers(code: int) -> Step:
    async def step(request: web.Request) -> web.StreamResponse:
        return failure(code, message="no")

    return step


@asynccontextmanager
async def following(story: Story) -> AsyncIterator[tuple[Cache[Node], list[Change[Node]]]]:
    async with client_of(story.answer, Limits(attempts=1)) as client:
        cache = Cache(client, NODES)
        news: list[Change[Node]] = []
        cache.subscribe(news.append)
        task = asyncio.create_task(cache.run())
        try:
            await cache.synced.wait()
            await story.told.wait()
            yield cache, news
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


def words(news: list[Change[Node]]) -> list[str]:
    told = []
    for change in news:
        match change:
            case Added(new):
                told.append(f"added {new.metadata.name}@{new.metadata.resource_version}")
            case Changed(old, new):
                told.append(f"{new.metadata.name}@{old.metadata.resource_version}->{new.metadata.resource_version}")
            case Deleted(old, relist):
                told.append(f"{'missed' if relist else 'deleted'} {old.metadata.name}")
    return told


async def test_a_watch_continues_the_list() -> None:
    watch = says(event("ADDED", node("b", 6)), event("MODIFIED", node("a", 7)), event("DELETED", node("b", 8)))
    async with following(Story([listing(node("a", 1), version=5)], [watch])) as (cache, news):
        assert words(news) == ["added a@1", "added b@6", "a@1->7", "deleted b"]
        assert [item.metadata.name for item in cache.values()] == ["a"]


async def test_every_kind_of_break_is_resumed_from_the_last_version() -> None:
    story = Story(
        [listing(version=5)],
        [
            says(event("ADDED", node("a", 6)), cut=True),
            says(event("BOOKMARK", {"metadata": {"resourceVersion": "30"}})),
            says(event("ADDED", node("b", 31)), b'{"type":"ADD'),
            answers(500),
            answers(429),
            says(event("ADDED", node("c", 40))),
        ],
    )
    async with following(story) as (_, news):
        assert words(news) == ["added a@6", "added b@31", "added c@40"]
        assert story.versions == ["5", "6", "30", "31", "31", "31", "40"]


async def test_a_forgotten_version_loses_nothing() -> None:
    again = listing(node("a", 1), node("b", 9), node("d", 8), version=20)
    story = Story([listing(node("a", 1), node("b", 2), node("c", 3), version=5), again], [answers(410)])
    async with following(story) as (cache, news):
        assert words(news) == ["added a@1", "added b@2", "added c@3", "missed c", "b@2->9", "added d@8"]
        assert len(cache) == 3
        assert story.versions == ["5", "20"]


async def test_a_list_that_fails_changes_nothing() -> None:
    lists = [listing(node("a", 1), version=5), failure(500), failure(403), listing(node("a", 1), version=9)]
    async with following(Story(lists, [answers(410)])) as (cache, news):
        assert words(news) == ["added a@1"]
        assert cache.get(Key("", "a")) is not None


async def test_an_object_made_anew_behind_our_back_is_another_one() -> None:
    fresh = node("a", 9)
    fresh["metadata"]["uid"] = "another"
    story = Story([listing(node("a", 1), version=5), listing(fresh, version=20)], [answers(410)])
    async with following(story) as (_, news):
        assert words(news) == ["added a@1", "missed a", "added a@9"]


async def test_an_unreadable_object_is_not_gone() -> None:
    bad = node("a", 9, spec={"taints": 1})
    story = Story([listing(node("a", 1), version=5), listing(bad, version=20)], [answers(410)])
    async with following(story) as (cache, news):
        assert words(news) == ["added a@1"]
        assert "taints" in cache.unreadable[Key("", "a")]


async def test_an_unreadable_object_in_a_watch_keeps_its_last_form() -> None:
    bad = event("MODIFIED", node("a", 9, spec={"taints": 1}))
    story = Story([listing(node("a", 1), version=5)], [says(bad), says(event("MODIFIED", node("a", 10)))])
    async with following(story) as (cache, news):
        assert words(news) == ["added a@1", "a@1->10"]
        assert cache.unreadable == {}
        assert story.versions == ["5", "9", "10"]


async def test_a_kind_that_is_not_served_has_no_objects_until_it_is() -> None:
    async def served_later(request: web.Request) -> web.StreamResponse:
        if asyncio.get_running_loop().time() < 100:
            return failure(404, "NotFound")
        if "watch" in request.query:
            response = await stream(request)
            await asyncio.sleep(1_000_000)
            return response
        return listing(node("a", 1))

    async with client_of(served_later) as client:
        cache = Cache(client, NODES)
        task = asyncio.create_task(cache.run())
        await cache.synced.wait()
        assert (cache.absent, len(cache)) == (True, 0)
        await asyncio.sleep(200)
        assert (cache.absent, len(cache)) == (False, 1)
        task.cancel()


async def test_a_late_follower_hears_what_is_there() -> None:
    async with following(Story([listing(node("a", 1), version=5)], [])) as (cache, _):
        late: list[Change[Node]] = []
        cache.subscribe(late.append)
        assert words(late) == ["added a@1"]
