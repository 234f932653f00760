"""Requests against a server that is busy, slow, cut off or unwilling. Time is virtual where it matters."""

from __future__ import annotations

import asyncio
import gc
import socket
import weakref
from collections.abc import Awaitable, Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from aiohttp import web

from kube.client import Client
from kube.connection import Access, Connection, connect_to
from kube.errors import (
    AlreadyExists,
    ApiError,
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    NotFound,
    NotOurs,
    Unauthorized,
    Unavailable,
)
from kube.guard import Permit
from kube.pace import Limits
from kube.types import NODES, PODS, ObjectMeta, Pod
from tests.kube.wire import client_of, drop, failure, node

SECOND = 0.99
"""The virtual clock rounds."""


def clock() -> float:
    return asyncio.get_running_loop().time()


@pytest.mark.looptime
async def test_a_busy_server_is_asked_again_when_it_says_so() -> None:
    asked: list[float] = []

    async def busy(request: web.Request) -> web.StreamResponse:
        asked.append(clock())
        if len(asked) < 3:
            return failure(429, "TooManyRequests", "slow down", Retry_After="7")
        return web.json_response(node("n"))

    async with client_of(busy) as client:
        assert (await client.get(NODES, "n")).metadata.name == "n"
    assert [asked[1] - asked[0] >= 7 * SECOND, asked[2] - asked[1] >= 7 * SECOND] == [True, True]
    assert len(asked) == 3


async def test_a_server_is_told_who_asks() -> None:
    agents: list[str] = []

    async def note(request: web.Request) -> web.StreamResponse:
        agents.append(request.headers["User-Agent"])
        return web.json_response(node("n"))

    async with client_of(note) as client:
        await client.get(NODES, "n")
        async with Client(replace(client.connection, agent="hyperscout-controller/1 (host_1)")) as other:
            await other.get(NODES, "n")
    assert agents == ["hyperscout", "hyperscout-controller/1 (host_1)"]


async def test_a_permission_that_ends_while_the_connection_is_made_stops_a_write() -> None:
    asked: list[str] = []

    async def note(request: web.Request) -> web.StreamResponse:
        asked.append((await request.read()).decode())
        return web.json_response(node("n"))

    answers = [True, False]
    async with client_of(note) as client:
        guarded = client.guarded(Permit(lambda: answers.pop(0)))
        with pytest.raises(NotOurs):
            await guarded.create(NODES, {"metadata": {"name": "n"}})
        assert (answers, asked) == ([], [])
        answers += [True, True]
        await guarded.create(NODES, {"metadata": {"name": "n"}})
    assert len(asked) == 1


@pytest.mark.looptime
async def test_a_broken_server_is_asked_a_few_times_with_growing_pauses() -> None:
    asked: list[float] = []

    async def broken(request: web.Request) -> web.StreamResponse:
        asked.append(clock())
        return web.Response(status=503, text="<html>upstream down</html>")

    async with client_of(broken, Limits(attempts=4)) as client:
        with pytest.raises(Unavailable, match=r"upstream down.*HTTP 503.*try again later"):
            await client.get(NODES, "n")
    pauses = [later - earlier for earlier, later in pairwise(asked)]
    assert len(pauses) == 3
    assert pauses[2] > pauses[0]


async def test_a_lost_answer_to_a_change_is_not_repeated() -> None:
    asked: list[str] = []

    async def cut(request: web.Request) -> web.StreamResponse:
        asked.append(request.path)
        drop(request)
        return web.Response()

    async with client_of(cut) as client:
        with pytest.raises(Unavailable, match="read the object first"):
            await client.bind(Pod(metadata=ObjectMeta(name="w", namespace="ml", uid="u")), "n1")
    assert asked == ["/api/v1/namespaces/ml/pods/w/binding"]


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    async with Client(connect_to("http://127.0.0.1:1"), Limits(attempts=1)) as client:
        with pytest.raises(Unavailable, match="cannot get Node n"):
            await client.get(NODES, "n")


@pytest.mark.looptime
async def test_no_answer_in_time_is_unavailable() -> None:
    async def silent(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(1000)
        return web.Response()

    async with client_of(silent, Limits(timeout=3, attempts=1)) as client:
        before = clock()
        with pytest.raises(Unavailable, match="no answer in time"):
            await client.get(NODES, "n")
        assert clock() - before < 10


@pytest.mark.parametrize(
    ("code", "reason", "kind"),
    [
        (400, "BadRequest", Invalid),
        (401, "Unauthorized", Unauthorized),
        (403, "Forbidden", Forbidden),
        (404, "NotFound", NotFound),
        (409, "AlreadyExists", AlreadyExists),
        (409, "Conflict", Conflict),
        (410, "Expired", Gone),
        (422, "Invalid", Invalid),
        (500, "InternalError", Unavailable),
    ],
)
async def test_every_refusal_has_its_own_error(code: int, reason: str, kind: type[ApiError]) -> None:
    async def refuse(request: web.Request) -> web.StreamResponse:
        return failure(code, reason, "because")

    async with client_of(refuse, Limits(attempts=1)) as client:
        with pytest.raises(kind, match=rf"cannot create Node n: because \(HTTP {code}\); \w") as caught:
            await client.create(NODES, {"metadata": {"name": "n"}})
    assert type(caught.value) is kind


async def test_an_eviction_that_a_budget_forbids_is_asked_once() -> None:
    asked = 0

    async def forbid(request: web.Request) -> web.StreamResponse:
        nonlocal asked
        asked += 1
        return failure(429, "TooManyRequests", "would violate the budget")

    async with client_of(forbid) as client:
        with pytest.raises(Unavailable) as caught:
            await client.evict(Pod(metadata=ObjectMeta(name="w", namespace="ml", uid="u")))
    assert (asked, caught.value.code) == (1, 429)


class Rotating:
    """Credentials whose first token is out of date."""

    def __init__(self) -> None:
        self.refused: list[bool] = []

    async def read(self, *, refused: bool) -> Access:
        self.refused.append(refused)
        return Access({"Authorization": "Bearer new" if refused else "Bearer old"})


def only(token: str) -> Callable[[web.Request], web.StreamResponse]:
    def answer(request: web.Request) -> web.StreamResponse:
        if request.headers["Authorization"] != f"Bearer {token}":
            return failure(401, "Unauthorized")
        return web.json_response(node("n"))

    return answer


async def test_a_refused_token_is_read_again_once() -> None:
    async def guarded(request: web.Request) -> web.StreamResponse:
        return only("new")(request)

    rotating = Rotating()
    async with (
        client_of(guarded) as first,
        Client(Connection(first.connection.server, rotating)) as client,
    ):
        await client.get(NODES, "n")
        await client.create(NODES, {"metadata": {"name": "n"}})
    assert rotating.refused == [False, True]


async def test_the_rate_of_requests_is_bounded_and_gives_way() -> None:
    async def fine(request: web.Request) -> web.StreamResponse:
        return web.json_response(node("n"))

    async with client_of(fine, Limits(rate=50, burst=1)) as client:
        before = clock()
        await asyncio.gather(*(client.get(NODES, "n") for _ in range(6)))
        assert clock() - before >= 5 / 50 * SECOND


async def test_names_are_escaped_in_paths() -> None:
    seen: list[str] = []

    async def note(request: web.Request) -> web.StreamResponse:
        seen.append(request.raw_path)
        return web.json_response({"metadata": {"name": "x"}})

    async with client_of(note) as client:
        await client.get(PODS, "a/../b", "ml")
    assert seen == ["/api/v1/namespaces/ml/pods/a%2F..%2Fb"]


async def test_a_call_that_waits_while_the_client_is_closed_opens_no_other_session() -> None:
    asked: list[str] = []

    async def note(request: web.Request) -> web.StreamResponse:
        asked.append(request.path)
        return web.json_response(node("n"))

    async with client_of(note, Limits(rate=20, burst=1)) as client:
        await client.get(NODES, "n")
        late = asyncio.create_task(client.get(NODES, "n"))
        await asyncio.sleep(0)
        await client.close()
        with pytest.raises(Unavailable, match="the client is closed"):
            await late
    assert len(asked) == 1


async def test_errors_of_the_connection_hold_no_address_in_memory_and_reads_only_ask_for_patience() -> None:
    """So what is said once is said once: the address is another one each time."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    async with Client(connect_to(f"https://127.0.0.1:{port}", "token"), Limits(attempts=1)) as client:
        with pytest.raises(Unavailable) as caught:
            await client.get(NODES, "n")
    said = str(caught.value)
    assert f"127.0.0.1:{port}" in said
    assert "ssl:" not in said
    assert said.endswith("; try again later")


async def is_freed_at_once(asking: Awaitable[object]) -> bool:
    """Whether the ApiError of this call is gone when it is dealt with, without a search for garbage."""
    left: weakref.ref[ApiError] | None = None
    gc.collect()
    gc.disable()
    try:
        try:
            await asking
        except ApiError as error:
            left = weakref.ref(error)
        assert left is not None
        return left() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("limits", [Limits(attempts=1), Limits(attempts=3, longest_wait=0.0)])
@pytest.mark.parametrize("code", [404, 409, 503])
async def test_an_error_holds_nothing_once_it_is_dealt_with(code: int, limits: Limits) -> None:
    async def refused(request: web.Request) -> web.StreamResponse:
        return failure(code, "Refused")

    async with client_of(refused, limits) as client:
        assert await is_freed_at_once(client.get(NODES, "n"))


async def test_a_cookie_is_not_kept() -> None:
    sent: list[str | None] = []

    async def sweet(request: web.Request) -> web.StreamResponse:
        sent.append(request.headers.get("Cookie"))
        response = web.json_response(node("n"))
        response.set_cookie("route", "a")
        return response

    async with client_of(sweet) as client:
        named = client.connection.server.replace("127.0.0.1", "localhost")  # no jar keeps cookies of a bare address
        async with Client(replace(client.connection, server=named)) as other:
            await other.get(NODES, "n")
            await other.get(NODES, "n")
    assert sent == [None, None]


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("7", 7.0),
        ("86400", 300.0),
        ("9" * 400, 300.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 300.0),
        ("Mon, 01 Jan 2024 00:00:00 GMT", 0.0),
        ("²", None),
        ("soon", None),
        ("-1", None),
        ("Mon, 01 Jan 99999999999 00:00:00 GMT", None),
    ],
)
async def test_a_server_may_ask_for_some_minutes_and_no_more(said: str, seconds: float | None) -> None:
    async def busy(request: web.Request) -> web.StreamResponse:
        return failure(429, "TooManyRequests", "slow down", Retry_After=said)

    async with client_of(busy, Limits(attempts=1)) as client:
        with pytest.raises(Unavailable) as caught:
            await client.get(NODES, "n")
    assert caught.value.retry_after == seconds


async def test_a_watch_that_is_refused_leaves_nothing_behind() -> None:
    async def gone(request: web.Request) -> web.StreamResponse:
        return failure(410, "Expired")

    async with client_of(gone) as client:

        async def watch() -> None:
            async for _ in client.watch(NODES, "1"):
                pass

        assert await is_freed_at_once(watch())
