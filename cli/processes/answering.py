"""Whether the API server takes connections, asked once at the start: the first write may come much later."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

import structlog

from kube.connection import Connection

log = structlog.get_logger(__name__)

WITHIN = 5.0
"""Seconds to wait for a connection."""
SPREAD = 3.0
"""Seconds in which ten thousand agents begin to ask."""
_PROXIES = ("http_proxy", "https_proxy", "all_proxy")


@asynccontextmanager
async def silence_told(connection: Connection, spread: float = SPREAD) -> AsyncIterator[asyncio.Task[None]]:
    """While the block runs: one line in the log where the server takes no connection. Nothing is sent on it."""
    asking = asyncio.create_task(_ask(connection, spread))
    try:
        yield asking
    finally:
        asking.cancel()
        with suppress(asyncio.CancelledError):
            await asking


async def _ask(connection: Connection, spread: float) -> None:
    url = urlsplit(connection.server)
    if url.hostname is None or _by_proxy(connection):
        return
    await asyncio.sleep(random.uniform(0.0, spread))
    try:
        async with asyncio.timeout(WITHIN):
            _, writer = await asyncio.open_connection(url.hostname, url.port or (443 if url.scheme == "https" else 80))
    except TimeoutError:
        _tell(connection, f"it takes no connection within {WITHIN:g} s")
    except (OSError, UnicodeError) as error:
        _tell(connection, str(error))
    else:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


def _by_proxy(connection: Connection) -> bool:
    """Then nobody can tell from here."""
    if connection.proxy:
        return True
    return not connection.is_local and any(name.lower() in _PROXIES for name, value in os.environ.items() if value)


def _tell(connection: Connection, why: str) -> None:
    log.warning("the API server does not answer; it is asked again", server=connection.address, why=why)
