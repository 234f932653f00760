"""Watches: every change once and in order, from a revision on; and how they end."""

from __future__ import annotations

import asyncio

import pytest

from tests.contract.api import Api, Json, Stream
from tests.contract.conftest import widget


async def revision_of(api: Api, path: str) -> str:
    """The revision of a list of this path, to watch on from."""
    return str((await api.get(path)).body["metadata"]["resourceVersion"])


async def told(stream: Stream, count: int) -> list[tuple[str, str]]:
    """The next events as (type, name)."""
    events = [await stream.next() for _ in range(count)]
    return [(event["type"], event["object"]["metadata"].get("name", "")) for event in events]


async def test_changes_after_a_list_are_told_in_order(api: Api, widgets: str) -> None:
    start = await revision_of(api, widgets)
    async with api.watch(widgets, resourceVersion=start) as stream:
        made = await api.created(widgets, widget("one"))
        await api.put(f"{widgets}/one", made | {"spec": {"size": 2}})
        await api.delete(f"{widgets}/one")
        assert await told(stream, 3) == [("ADDED", "one"), ("MODIFIED", "one"), ("DELETED", "one")]
        revisions = [int(event["object"]["metadata"]["resourceVersion"]) for event in stream.seen]
        assert revisions == sorted(set(revisions))
        assert stream.seen[2]["object"]["spec"]["size"] == 2, "a deletion shows the last state"


async def test_a_watch_resumes_where_another_stopped(api: Api, widgets: str) -> None:
    start = await revision_of(api, widgets)
    for name in ("one", "two", "three"):
        await api.created(widgets, widget(name))
    async with api.watch(widgets, resourceVersion=start) as stream:
        await told(stream, 2)
        seen = stream.seen[-1]["object"]["metadata"]["resourceVersion"]
    async with api.watch(widgets, resourceVersion=seen) as stream:
        assert await told(stream, 1) == [("ADDED", "three")]


async def test_a_watch_without_a_revision_begins_with_what_is_there(api: Api, widgets: str) -> None:
    await api.created(widgets, widget("one"))
    async with api.watch(widgets) as stream:
        assert await told(stream, 1) == [("ADDED", "one")]
        await api.delete(f"{widgets}/one")
        assert await told(stream, 1) == [("DELETED", "one")]


async def test_what_enters_a_selection_is_added_and_what_leaves_it_is_deleted(api: Api, widgets: str) -> None:
    start = await revision_of(api, widgets)
    async with api.watch(widgets, resourceVersion=start, labelSelector="on=yes") as stream:
        await api.created(widgets, widget("one"))
        await api.patch(f"{widgets}/one", {"metadata": {"labels": {"on": "yes"}}})
        await api.patch(f"{widgets}/one", {"spec": {"size": 5}})
        await api.patch(f"{widgets}/one", {"metadata": {"labels": {"on": "no"}}})
        assert await told(stream, 3) == [("ADDED", "one"), ("MODIFIED", "one"), ("DELETED", "one")]


async def test_one_object_is_watched_by_its_name(api: Api, widgets: str) -> None:
    start = await revision_of(api, widgets)
    async with api.watch(widgets, resourceVersion=start, fieldSelector="metadata.name=two") as stream:
        await api.created(widgets, widget("one"))
        await api.created(widgets, widget("two"))
        assert await told(stream, 1) == [("ADDED", "two")]


async def test_one_namespace_is_watched_without_the_others(api: Api, widgets: str) -> None:
    other = (await api.created("/api/v1/namespaces", {"metadata": {"generateName": "contract-"}}))["metadata"]["name"]
    start = await revision_of(api, widgets)
    async with api.watch(widgets, resourceVersion=start) as stream:
        await api.created("/".join((*widgets.split("/")[:5], other, "widgets")), widget("elsewhere"))
        await api.created(widgets, widget("here"))
        assert await told(stream, 1) == [("ADDED", "here")]


async def test_a_revision_that_is_no_longer_kept_ends_the_watch_with_410(api: Api, widgets: str) -> None:
    async with api.watch(widgets, resourceVersion="1") as stream:
        event = await stream.next()
        assert event["type"] == "ERROR"
        assert (event["object"]["code"], event["object"]["reason"]) == (410, "Expired")
        with pytest.raises(StopAsyncIteration):
            await stream.next()


async def test_streamed_initial_events_end_with_a_marked_bookmark(api: Api, widgets: str) -> None:
    for name in ("one", "two"):
        await api.created(widgets, widget(name))
    query = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}
    async with api.watch(widgets, **query) as stream:
        assert sorted(await told(stream, 2)) == [("ADDED", "one"), ("ADDED", "two")]
        mark = await stream.next()
        assert mark["type"] == "BOOKMARK"
        assert mark["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
        assert mark["object"]["kind"] == "Widget"
    async with api.watch(widgets, resourceVersion=mark["object"]["metadata"]["resourceVersion"]) as stream:
        await api.created(widgets, widget("three"))
        assert await told(stream, 1) == [("ADDED", "three")]


async def test_initial_events_without_a_match_are_refused(api: Api, widgets: str) -> None:
    answer = await api.get(widgets, watch="true", sendInitialEvents="true")
    assert (answer.status, answer.body["details"]["causes"][0]["field"]) == (422, "resourceVersionMatch")


async def test_a_watch_ends_after_its_time(api: Api, widgets: str) -> None:
    start = await revision_of(api, widgets)
    async with api.watch(widgets, resourceVersion=start, timeoutSeconds="1") as stream:
        with pytest.raises(StopAsyncIteration):
            await stream.next()


async def test_many_watches_see_the_same(api: Api, widgets: str) -> None:
    start = await revision_of(api, widgets)

    async def collect() -> list[Json]:
        async with api.watch(widgets, resourceVersion=start) as stream:
            return [await stream.next() for _ in range(20)]

    watches = [asyncio.create_task(collect()) for _ in range(40)]
    for index in range(20):
        await api.created(widgets, widget(f"w{index:02}"))
    seen = await asyncio.gather(*watches)
    assert all(events == seen[0] for events in seen)
    assert [event["object"]["metadata"]["name"] for event in seen[0]] == [f"w{index:02}" for index in range(20)]


async def test_a_watched_table_has_one_row_an_event(api: Api, widgets: str) -> None:
    start = await revision_of(api, widgets)
    accept = "application/json;as=Table;v=v1;g=meta.k8s.io"
    api.session.headers["Accept"] = accept
    async with api.watch(widgets, resourceVersion=start) as stream:
        await api.created(widgets, widget("one"))
        event = await stream.next()
        assert event["object"]["kind"] == "Table"
        assert [row["cells"][0] for row in event["object"]["rows"]] == ["one"]
