"""What the client makes of answers: pages, watches, objects that do not fit."""

from __future__ import annotations

from contextlib import aclosing

import msgspec
import pytest
from aiohttp import web

from kube.client import PAGE, Client
from kube.errors import Gone, Invalid, NotFound, Unavailable
from kube.listing import Bookmark, Garbled, Put, Removed, WatchEvent
from kube.pace import Limits
from kube.requests import FieldManager, Patch, Preconditions, Selection
from kube.types import HYPER_NODES, NODES, PODS, Key, Node, ObjectMeta
from tests.kube.wire import client_of, drop, event, failure, listing, node, stream


async def collect(client: Client, version: str = "1") -> list[WatchEvent[Node]]:
    async with aclosing(client.watch(NODES, version)) as events:
        return [one async for one in events]


async def test_a_long_list_comes_in_pages() -> None:
    asked: list[tuple[str, str, str]] = []

    async def pages(request: web.Request) -> web.StreamResponse:
        query = request.query
        asked.append((query["limit"], query.get("continue", ""), query.get("resourceVersion", "none")))
        if "continue" not in query:
            return listing(node("a"), version=5, rest="next")
        return listing(node("b"), version=5)

    async with client_of(pages) as client:
        found = await client.list(NODES)
    assert [item.metadata.name for item in found.items] == ["a", "b"]
    assert found.resource_version == "5"
    assert asked == [(str(PAGE), "", "none"), (str(PAGE), "next", "none")]


async def test_a_list_that_expires_begins_again_and_ends_in_one_page() -> None:
    asked: list[str] = []

    async def expiring(request: web.Request) -> web.StreamResponse:
        asked.append(request.query.get("limit", "all"))
        if "continue" in request.query:
            return failure(410, "Expired", "the continue token is too old")
        return listing(node("a"), rest="next" if "limit" in request.query else "")

    async with client_of(expiring) as client:
        found = await client.list(NODES, Selection(labels="x=1"))
    assert len(found.items) == 1
    assert asked == ["500", "500", "500", "500", "all"]


async def test_one_object_that_does_not_fit_hides_no_other() -> None:
    async def mixed(request: web.Request) -> web.StreamResponse:
        return listing(node("a"), node("b", spec={"taints": "none"}), node("c"))

    async with client_of(mixed) as client:
        found = await client.list(NODES)
    assert [item.metadata.name for item in found.items] == ["a", "c"]
    assert [(bad.key, "taints" in bad.reason) for bad in found.unreadable] == [(Key("", "b"), True)]


async def test_an_answer_that_is_no_list_is_unavailable() -> None:
    async def page(request: web.Request) -> web.StreamResponse:
        return web.Response(text="<html>login</html>")

    async with client_of(page) as client:
        with pytest.raises(Unavailable, match="no list"):
            await client.list(NODES)
        with pytest.raises(Invalid, match="does not fit Node"):
            await client.get(NODES, "n")


async def test_a_watch_tells_what_happens() -> None:
    async def watched(request: web.Request) -> web.StreamResponse:
        assert request.query["watch"] == "true"
        assert request.query["allowWatchBookmarks"] == "true"
        assert request.query["resourceVersion"] == "7"
        return await stream(
            request,
            event("ADDED", node("a", 8)),
            event("MODIFIED", node("a", 9)),
            event("DELETED", node("a", 10)),
            event("BOOKMARK", {"metadata": {"resourceVersion": "20"}}),
            event("ADDED", node("b", 21, spec=3)),
        )

    async with client_of(watched) as client:
        put, again, removed, bookmark, garbled = await collect(client, "7")
    assert isinstance(put, Put)
    assert isinstance(again, Put)
    assert isinstance(removed, Removed)
    assert bookmark == Bookmark("20")
    assert isinstance(garbled, Garbled)
    assert (garbled.unreadable.key.name, garbled.resource_version, garbled.removed) == ("b", "21", False)


async def test_lines_may_be_cut_anywhere_and_be_very_long() -> None:
    long = node("a", 8, spec={"taints": [{"key": "k" * 300_000, "effect": "NoSchedule"}]})
    raw = msgspec.json.encode(event("ADDED", long)) + b"\n" + msgspec.json.encode(event("ADDED", node("b", 9))) + b"\n"

    async def watched(request: web.Request) -> web.StreamResponse:
        return await stream(request, raw[:10], raw[10:200_000], raw[200_000:-5], raw[-5:])

    async with client_of(watched) as client:
        events = await collect(client)
    assert len(events) == 2


@pytest.mark.parametrize("tail", [b'{"type":"ADDED","obj', b"not json\n", b'{"type":"ADDED"}\n'])
async def test_a_line_that_is_no_event_breaks_the_watch(tail: bytes) -> None:
    async def watched(request: web.Request) -> web.StreamResponse:
        return await stream(request, tail)

    async with client_of(watched) as client:
        with pytest.raises(Unavailable, match="cannot watch nodes"):
            await collect(client)


async def test_a_cut_connection_breaks_the_watch() -> None:
    async def watched(request: web.Request) -> web.StreamResponse:
        response = await stream(request, event("ADDED", node("a", 8)))
        drop(request)
        return response

    async with client_of(watched) as client:
        with pytest.raises(Unavailable):
            await collect(client)


@pytest.mark.looptime
async def test_a_silent_watch_counts_as_dead() -> None:
    import asyncio

    async def watched(request: web.Request) -> web.StreamResponse:
        response = await stream(request, event("ADDED", node("a", 8)))
        await asyncio.sleep(10_000)
        return response

    async with client_of(watched, Limits(idle=60)) as client:
        with pytest.raises(Unavailable):
            await collect(client)
        assert asyncio.get_running_loop().time() < 1000


async def test_a_version_that_is_too_old_is_gone() -> None:
    async def early(request: web.Request) -> web.StreamResponse:
        return failure(410, "Expired", "too old resource version")

    async def late(request: web.Request) -> web.StreamResponse:
        return await stream(request, {"type": "ERROR", "object": {"kind": "Status", "code": 410, "reason": "Expired"}})

    for handler in (early, late):
        async with client_of(handler) as client:
            with pytest.raises(Gone, match="list again"):
                await collect(client)


async def test_writes_carry_what_the_server_checks() -> None:
    seen: list[tuple[str, str, str, object]] = []

    async def note(request: web.Request) -> web.StreamResponse:
        kind = request.headers.get("Content-Type", "").partition(";")[0]
        seen.append((request.method, request.path_qs, kind, await request.json()))
        return web.json_response(node("n"))

    async with client_of(note) as client:
        body = {"metadata": {"name": "h", "uid": "u", "resourceVersion": "3"}, "spec": {"tier": 1}}
        await client.apply(HYPER_NODES, body, FieldManager("hyperscout-controller"))
        await client.patch(HYPER_NODES, "h", Patch({"status": {}}, resource_version="4", subresource="status"))
        await client.delete(HYPER_NODES, ObjectMeta(name="h"), Preconditions("u", "3"))
    base = "/apis/topology.volcano.sh/v1alpha1/hypernodes/h"
    head = {"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode"}
    options = {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": {"uid": "u", "resourceVersion": "3"}}
    applied = f"{base}?fieldManager=hyperscout-controller&force=false"
    assert seen == [
        ("PATCH", applied, "application/apply-patch+yaml", {**body, **head}),
        (
            "PATCH",
            f"{base}/status",
            "application/merge-patch+json",
            {"status": {}, "metadata": {"resourceVersion": "4"}},
        ),
        ("DELETE", base, "application/json", options),
    ]


async def test_discovery_tells_whether_a_kind_is_served() -> None:
    async def discovery(request: web.Request) -> web.StreamResponse:
        if request.path != "/api/v1":
            return failure(404, "NotFound")
        return web.json_response({"resources": [{"name": "pods"}, {"name": "pods/binding"}]})

    async with client_of(discovery) as client:
        assert await client.serves(PODS)
        assert not await client.serves(NODES)
        assert not await client.serves(HYPER_NODES)


async def test_a_missing_object_says_so() -> None:
    async def missing(request: web.Request) -> web.StreamResponse:
        return failure(404, "NotFound", 'nodes "n" not found')

    async with client_of(missing) as client:
        with pytest.raises(NotFound, match=r'cannot get Node n: nodes "n" not found \(HTTP 404\); check the name'):
            await client.get(NODES, "n")


async def test_a_read_of_the_cache_asks_for_any_version() -> None:
    asked: list[str] = []

    async def tell(request: web.Request) -> web.StreamResponse:
        asked.append(request.query.get("resourceVersion", "none"))
        return web.json_response(node("a"))

    async with client_of(tell) as client:
        assert (await client.get_cached(NODES, "a")).metadata.name == "a"
        assert (await client.get(NODES, "a")).metadata.name == "a"
    assert asked == ["0", "none"]
