"""A client that is closed leaves no socket open, whatever its calls were doing and however slowly the server parts."""

from __future__ import annotations

import asyncio
import gc
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from functools import partial
from pathlib import Path

from kube.client import Client
from kube.connection import Access, Connection, FixedCredentials
from kube.types import NODES
from tests.cluster.credentials import Credentials

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
BOOKMARK = b'{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1"}}}\n'
PARTING = 0.2
"""Seconds that the server needs to notice that its client has gone."""


async def begin(asked: asyncio.Event, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """An answer that begins and goes on for ever; for single objects not even that."""
    if b"watch=true" in await reader.readuntil(b"\r\n\r\n"):
        writer.write(HEAD + b"%x\r\n%s\r\n" % (len(BOOKMARK), BOOKMARK))
    asked.set()
    await reader.read()
    await asyncio.sleep(PARTING)
    writer.close()


@asynccontextmanager
async def tls_server(folder: Path) -> AsyncIterator[tuple[int, asyncio.Event, Client]]:
    """Its port, what it sets when it is asked, and a client of it."""
    asked = asyncio.Event()
    credentials = Credentials(folder)
    credentials.write()
    own = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    own.load_cert_chain(folder / "server.crt", folder / "server.key")
    trusted = ssl.create_default_context(cafile=str(credentials.authority))
    server = await asyncio.start_server(partial(begin, asked), "127.0.0.1", 0, ssl=own)
    port = server.sockets[0].getsockname()[1]
    try:
        yield port, asked, Client(Connection(f"https://127.0.0.1:{port}", FixedCredentials(Access({}, trusted))))
    finally:
        server.close()
        await asyncio.sleep(2 * PARTING)


def open_to(port: int) -> list[socket.socket]:
    """Sockets of this process that are connected to the port."""
    found = [one for one in gc.get_objects() if isinstance(one, socket.socket) and one.fileno() != -1]
    return [one for one in found if one.type == socket.SOCK_STREAM and _peer(one) == port]


def _peer(one: socket.socket) -> int | None:
    try:
        return int(one.getpeername()[1])
    except (OSError, IndexError):
        return None


async def test_watches_in_the_middle_of_an_answer(tmp_path: Path) -> None:
    async with tls_server(tmp_path) as (port, _, client):
        begun = asyncio.Event()

        async def watch() -> None:
            async with aclosing(client.watch(NODES, "1")) as events:
                async for _ in events:
                    begun.set()

        watching = asyncio.create_task(watch())
        await begun.wait()
        assert len(open_to(port)) == 1
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        await client.close()
        assert open_to(port) == []


async def test_calls_without_an_answer(tmp_path: Path) -> None:
    async with tls_server(tmp_path) as (port, asked, client):
        asking = asyncio.create_task(client.get(NODES, "n"))
        await asked.wait()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await client.close()
        assert open_to(port) == []
