"""A server with small limits, and requests to it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest

from kube.embedded.routes import Limits
from kube.embedded.server import EmbeddedServer
from kube.embedded.store import History
from tests.contract.api import Api


@pytest.fixture
async def server() -> AsyncIterator[EmbeddedServer]:
    """A server that keeps 20 changes a resource, takes bodies of 100 kB and sends a bookmark every 50 ms."""
    limits = Limits(history=History(changes=20), body_bytes=100_000, bookmark_seconds=0.05)
    async with EmbeddedServer(run_bound_pods=True, limits=limits) as server:
        yield server


@pytest.fixture
async def api(server: EmbeddedServer) -> AsyncIterator[Api]:
    """Requests with the server's token."""
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {server.token}"}) as session:
        yield Api(session, server.url)
