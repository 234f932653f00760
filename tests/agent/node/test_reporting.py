"""Reports reach the API server on change, seldom, and without a crowd of connections."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

from agent.node.reporting import WRITES_AT_ONCE, Reporter, Spreads
from discovery.identity import NodeName
from discovery.reports import UP, NodeReport, Port
from kube.connection import connect_to
from kube.errors import ApiError

PATIENCE = 20.0
SPEC = NodeReport(ports=(Port(device="mlx5_0", port=1, verdict=UP),), bootId="0")
AT_ONCE = Spreads(start=0.0, change=0.0)


@dataclass(slots=True)
class Api:
    """An API server that holds one report or none, and answers as it is told: a status for each write, then 200."""

    held: dict[str, Any] | None = None
    statuses: list[int] = field(default_factory=list)
    written: list[dict[str, Any]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    connections: set[int] = field(default_factory=set)

    async def answer(self, request: web.Request) -> web.Response:
        self.asked.append(request.method)
        self.connections.add(id(request.transport))
        if request.method == "GET":
            return web.json_response(self.held or {"kind": "Status", "code": 404}, status=200 if self.held else 404)
        status = self.statuses.pop(0) if self.statuses else 200
        if status == 200:
            self.written.append((await request.json())["spec"])
            self.held = {"metadata": {"name": "n"}, "spec": self.written[-1]}
        return web.json_response({"kind": "Status", "code": status, "message": "busy"}, status=status)


@dataclass(slots=True)
class Writer:
    """An author, and who is told of the writes."""

    report: NodeReport | None = SPEC
    remembered: list[NodeReport] = field(default_factory=list)
    done: int = 0
    failed: list[str] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def remember(self, report: NodeReport) -> None:
        self.remembered.append(report)
        self.report = replace(self.report or SPEC, bootId="remembered")

    def wrote(self, verb: str, error: ApiError | None, size: int) -> None:
        assert (size > 0) == (error is None)
        self.done += error is None
        self.failed += [] if error is None else [verb]
        self.news.set()

    async def until(self, done: int) -> None:
        async with asyncio.timeout(PATIENCE):
            while self.done < done:
                self.news.clear()
                await self.news.wait()


@asynccontextmanager
async def reporting(api: Api, writer: Writer, spreads: Spreads = AT_ONCE) -> AsyncIterator[Reporter]:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", api.answer)
    stop = asyncio.Event()
    async with TestServer(app) as server:
        reporter = Reporter(connect_to(str(server.make_url("/"))), NodeName("n"), writer, spreads, stop, writer)
        task = asyncio.create_task(reporter.run())
        try:
            yield reporter
        finally:
            stop.set()
            await task


async def test_the_first_write_knows_what_the_last_process_wrote() -> None:
    api, writer = Api(held={"metadata": {"name": "n"}, "spec": {"bootId": "before"}}), Writer()
    async with reporting(api, writer) as reporter:
        reporter.offer()
        await writer.until(1)
        assert [report.bootId for report in writer.remembered] == ["before"]
        assert [spec["bootId"] for spec in api.written] == ["remembered"]
        writer.report = replace(SPEC, bootId="2")
        reporter.offer()
        await writer.until(2)
    assert api.asked == ["GET", "PATCH", "PATCH"]


async def test_what_does_not_change_is_not_written_again() -> None:
    api, writer = Api(), Writer()
    async with reporting(api, writer) as reporter:
        reporter.offer()
        await writer.until(1)
        for _ in range(20):
            writer.report = replace(SPEC)
            reporter.offer()
            await asyncio.sleep(0)
        writer.report = replace(SPEC, bootId="1")
        reporter.offer()
        await writer.until(2)
    assert [spec["bootId"] for spec in api.written] == ["0", "1"]


async def test_a_port_that_goes_up_and_down_all_day_is_written_a_few_times_and_then_seldom() -> None:
    api, writer = Api(), Writer()
    async with reporting(api, writer) as reporter:
        for number in range(WRITES_AT_ONCE):
            writer.report = replace(SPEC, bootId=str(number))
            reporter.offer()
            await writer.until(number + 1)
        for number in range(50):
            writer.report = replace(SPEC, bootId=f"late {number}")
            reporter.offer()
            await asyncio.sleep(0.005)
    assert len(api.written) == WRITES_AT_ONCE


async def test_a_busy_server_is_asked_again_over_the_same_connection() -> None:
    api, writer = Api(statuses=[429]), Writer()
    async with reporting(api, writer) as reporter:
        reporter.offer()
        await writer.until(1)
    assert (api.asked, len(api.connections), writer.failed) == (["GET", "PATCH", "PATCH"], 1, ["apply"])


async def test_after_another_failure_the_newest_report_is_written_over_a_new_connection() -> None:
    api, writer = Api(statuses=[503]), Writer()
    async with reporting(api, writer) as reporter:
        reporter.offer()
        async with asyncio.timeout(PATIENCE):
            await writer.news.wait()
        writer.report = replace(SPEC, bootId="newest")
        reporter.offer()
        await writer.until(1)
    assert [spec["bootId"] for spec in api.written] == ["newest"]
    assert (api.asked, len(api.connections)) == (["GET", "PATCH", "PATCH"], 2)


async def test_nothing_is_written_before_the_random_moment_of_the_start() -> None:
    api, writer = Api(), Writer()
    async with reporting(api, writer, Spreads(start=3600.0)) as reporter:
        reporter.offer()
        await asyncio.sleep(0.05)
    assert api.asked == []
