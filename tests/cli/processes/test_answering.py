"""An API server that takes no connection is told of once; one that takes them, or stands behind a proxy, is not."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from cli.processes.answering import silence_told
from kube.connection import Connection, connect_to


async def lines(connection: Connection) -> list[str]:
    with capture_logs() as logs:
        async with silence_told(connection, spread=0.0) as asking:
            await asking
    return [str(line["why"]) for line in logs]


async def test_a_server_that_listens_is_not_told_of() -> None:
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        assert await lines(connect_to(f"http://127.0.0.1:{port}")) == []


async def test_a_port_where_nobody_listens_is_told_of_once() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        away = connect_to(f"https://127.0.0.1:{bound.getsockname()[1]}")
        (why,) = await lines(away)
        assert "Connect call failed" in why
        assert await lines(replace(away, proxy="http://proxy.test:3128")) == []


async def test_the_environment_may_name_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.test:3128")
    assert await lines(connect_to("https://no-such-host.invalid")) == []
