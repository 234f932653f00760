"""What is served to anybody holds against anybody: requests that are no HTTP, and connections that never ask."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from prometheus_client import CollectorRegistry

from cli.processes import serving
from cli.processes.authentication import Open
from cli.processes.health import Health
from cli.processes.sections import Http, split_address
from cli.processes.serving import served

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
ASKING = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
HALF = ASKING[:30]


@asynccontextmanager
async def connecting() -> AsyncIterator[tuple[str, int]]:
    """Where health is served."""
    async with served(Http(listen="127.0.0.1:0"), Health(300.0), CollectorRegistry(), Open()) as address:
        yield split_address(address)


async def said(where: tuple[str, int], request: bytes) -> Connection:
    """A new connection that has sent so much."""
    reader, writer = await asyncio.open_connection(*where)
    writer.write(request)
    return reader, writer


async def heard(connection: Connection) -> bytes:
    """All that comes until the server ends the connection."""
    reader, writer = connection
    async with asyncio.timeout(20):
        try:
            return await reader.read()
        except ConnectionError:
            return b""
        finally:
            writer.close()


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"\x16\x03\x01\x02\x00\r\n", 400),
        (b"GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET / HTTP/9.9\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\nHost x\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\nHost: " + b"x" * 20_000 + b"\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", 200),
        (b"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\nabc", 200),
    ],
)
async def test_whatever_is_sent_is_answered_and_leaves_nothing_in_the_log(
    request_: bytes, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with connecting() as where:
        answer = await heard(await said(where, request_))
    assert answer.split()[1] == str(status).encode()
    assert caplog.records == []


async def test_a_fault_of_ours_is_in_the_log(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def fails(health: Health) -> str:
        raise RuntimeError(f"a fault of {type(health).__name__}")

    monkeypatch.setattr(Health, "trouble", fails)
    async with connecting() as where:
        answer = await heard(await said(where, ASKING.replace(b"Host: x", b"Host: x\r\nConnection: close")))
    assert answer.split()[1] == b"500"
    assert "a fault of Health" in caplog.text


async def test_the_oldest_connections_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "MOST", 5)
    async with connecting() as where:
        waiting = [await said(where, HALF) for _ in range(20)]
        assert b"200 OK" in await heard(await said(where, ASKING))
        assert [await heard(connection) for connection in waiting[:15]] == [b""] * 15
        waiting[-1][1].write(ASKING[30:])
        assert b"200 OK" in await heard(waiting[-1])
        for _, writer in waiting:
            writer.close()


@pytest.mark.parametrize("sent", [b"", HALF])
async def test_who_never_asks_is_not_waited_for(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "LONGEST", 0.1)
    async with connecting() as where:
        assert await heard(await said(where, sent)) == b""
