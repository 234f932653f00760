"""Who may read /metrics: nobody is asked on the loopback address; elsewhere the API server is, and not too often."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from prometheus_client import CollectorRegistry

from cli.processes import authentication
from cli.processes.authentication import Gate, Open, Reviewing, gate_for, is_loopback, rights_for
from cli.processes.health import Health
from cli.processes.sections import Http
from cli.processes.serving import served
from kube.client import Client
from kube.connection import connect_to
from kube.embedded.server import EmbeddedServer
from tests.kube.wire import client_of, failure

READERS = {"good": "system:serviceaccount:monitoring:prometheus"}
KNOWN = READERS | {"other": "system:serviceaccount:default:other"}


@dataclass(slots=True)
class Server:
    """Answers reviews: it knows some tokens, and lets the readers among them get /metrics."""

    asked: list[str] = field(default_factory=list)
    reviews: int = 0
    most: int = 0
    failing: int = 0
    """HTTP status of every answer; 0: it answers."""
    wait: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """One review."""
        kind = request.path.rpartition("/")[2]
        self.asked.append(kind)
        self.reviews += 1
        self.most = max(self.most, self.reviews)
        spec: dict[str, Any] = json.loads(await request.read())["spec"]
        await self.wait.wait()
        self.reviews -= 1
        if self.failing:
            return failure(self.failing, message="not now")
        if kind == "tokenreviews":
            name = KNOWN.get(spec["token"], "")
            user = {"username": name, "uid": "1", "groups": ["system:authenticated"], "extra": {"a/b": ["c"]}}
            return web.json_response({"status": {"authenticated": bool(name), "user": user}}, status=201)
        assert spec["nonResourceAttributes"] == {"path": "/metrics", "verb": "get"}
        assert (spec["uid"], spec["groups"], spec["extra"]) == ("1", ["system:authenticated"], {"a/b": ["c"]})
        return web.json_response({"status": {"allowed": spec["user"] in READERS.values()}}, status=201)


@dataclass(slots=True)
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def reviewing(server: Server, clock: Clock) -> AsyncIterator[Reviewing]:
    """The gate that asks the server."""
    server.wait.set()
    async with client_of(server.answer, authentication.LIMITS) as client:
        yield Reviewing(client, clock)


async def status(gate: Gate, token: str) -> int:
    """What the gate answers to this token; 200: it lets it pass."""
    refusal = await gate.refusal("/metrics", f"Bearer {token}")
    return refusal.status if refusal is not None else 200


@pytest.mark.parametrize(
    ("listen", "loopback"),
    [
        ("127.0.0.1:8461", True),
        ("127.8.9.1:8461", True),
        ("[::1]:8461", True),
        ("localhost:8461", True),
        (":8461", False),
        ("0.0.0.0:8461", False),
        ("[::]:8461", False),
        ("10.0.0.7:8461", False),
        ("localhost.example.com:8461", False),
    ],
)
async def test_what_only_this_host_reaches_is_open_and_nothing_else(listen: str, loopback: bool) -> None:
    assert is_loopback(listen) is loopback
    async with gate_for(listen, connect_to("http://127.0.0.1:1")) as gate:
        assert isinstance(gate, Open) is loopback
        assert (await gate.refusal("/metrics", "") is None) is loopback
    asked = [str(right) for right in rights_for(listen)]
    reviews = ["create tokenreviews.authentication.k8s.io", "create subjectaccessreviews.authorization.k8s.io"]
    assert asked == ([] if loopback else reviews)


async def test_who_may_get_the_path_passes_and_others_are_told_why_not() -> None:
    async with reviewing(Server(), Clock()) as gate:
        assert await gate.refusal("/metrics", "Bearer good") is None
        assert await gate.refusal("/metrics", "bearer  good ") is None
        other = await gate.refusal("/metrics", "Bearer other")
        assert other is not None
        assert (other.status, other.sentence) == (
            403,
            "system:serviceaccount:default:other may not get /metrics; "
            "bind the ClusterRole hyperscout-metrics-reader to it",
        )
        unknown = await gate.refusal("/metrics", "Bearer forged")
        assert unknown is not None
        assert (unknown.status, unknown.sentence) == (401, "the API server does not accept this token")


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Bearer ", "Basic good", "good", "Bearer " + "x" * 20_000, "Bearer \udcff\udcfe", "Bearer gööd"],
)
async def test_without_a_bearer_token_the_server_is_not_even_asked(header: str) -> None:
    server = Server()
    async with reviewing(server, Clock()) as gate:
        refusal = await gate.refusal("/metrics", header)
    assert refusal is not None
    assert (refusal.status, server.asked) == (401, [])


async def test_an_answer_is_kept_for_a_short_time() -> None:
    server, clock = Server(), Clock()
    async with reviewing(server, clock) as gate:
        for _ in range(3):
            assert [await status(gate, "good"), await status(gate, "forged")] == [200, 401]
        assert len(server.asked) == 3
        clock.now += authentication.REFUSED_SECONDS
        assert await status(gate, "forged") == 401
        assert len(server.asked) == 4
        clock.now += authentication.ALLOWED_SECONDS
        assert await status(gate, "good") == 200
        assert len(server.asked) == 6


async def test_any_number_of_tokens_takes_a_bounded_room_and_does_not_push_out_those_that_are_good() -> None:
    server = Server()
    async with reviewing(server, Clock()) as gate:
        assert await status(gate, "good") == 200
        asked = len(server.asked)
        for number in range(3 * authentication.KEPT):
            assert await status(gate, f"forged-{number}") == 401
        assert await status(gate, "good") == 200
        assert len(server.asked) == asked + 3 * authentication.KEPT


async def test_a_flood_of_tokens_asks_two_at_a_time_and_lets_few_wait() -> None:
    server = Server()
    async with reviewing(server, Clock()) as gate:
        server.wait.clear()
        flood = [asyncio.create_task(status(gate, f"forged-{number}")) for number in range(100)]
        turned_away = zip(range(100 - authentication.WAITING), asyncio.as_completed(flood), strict=False)
        assert {await answer for _, answer in turned_away} == {503}
        server.wait.set()
        answers = await asyncio.gather(*flood)
    assert (answers.count(503), answers.count(401)) == (100 - authentication.WAITING, authentication.WAITING)
    assert server.most <= authentication.AT_ONCE


@pytest.mark.parametrize("code", [401, 403, 404, 429, 500, 503])
async def test_while_the_server_does_not_answer_nobody_passes_and_nothing_is_kept(code: int) -> None:
    server = Server(failing=code)
    async with reviewing(server, Clock()) as gate:
        refusal = await gate.refusal("/metrics", "Bearer good")
        assert refusal is not None
        assert refusal.status == 503
        assert refusal.sentence.startswith("cannot find out who asks: ")
        assert ("hyperscout-metrics-server" in refusal.sentence) == (code == 403)
        server.failing = 0
        assert await status(gate, "good") == 200


async def test_a_server_that_is_gone_or_knows_no_reviews_lets_nobody_pass() -> None:
    async with Client(connect_to("http://127.0.0.1:1"), authentication.LIMITS) as client:
        assert await status(Reviewing(client), "good") == 503
    async with EmbeddedServer() as server, Client(connect_to(server.url, server.token)) as client:
        assert await status(Reviewing(client), server.token) == 503


async def test_health_stays_open_where_figures_are_not() -> None:
    async with (
        reviewing(Server(), Clock()) as gate,
        served(Http(listen="127.0.0.1:0"), Health(300.0), CollectorRegistry(), gate) as address,
        aiohttp.ClientSession(f"http://{address}") as session,
    ):
        for path, headers, expected in (
            ("/healthz", {}, 200),
            ("/readyz", {}, 503),
            ("/metrics", {}, 401),
            ("/metrics", {"Authorization": "Bearer forged"}, 401),
            ("/metrics", {"Authorization": "Bearer other"}, 403),
            ("/metrics", {"Authorization": "Bearer good"}, 200),
        ):
            async with session.get(path, headers=headers) as answer:
                assert answer.status == expected
                assert (answer.headers.get("WWW-Authenticate") == "Bearer") == (expected == 401)
        async with session.head("/metrics") as answer:
            assert answer.status == 401
