"""The cluster that the controller's tests run on."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from kube.client import Client
from kube.connection import connect_to
from kube.embedded.routes import Routes
from kube.embedded.server import EmbeddedServer
from tests.controller.cluster import Cluster


@pytest.fixture
async def cluster(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Cluster]:
    """The site's Nodes and definitions; nothing is swept yet. Requests are counted where they reach the server."""
    requests: list[tuple[str, str]] = []
    answer = Routes.answer

    async def counted(self: Routes, request: web.Request) -> web.StreamResponse:
        requests.append((request.method, request.path))
        return await answer(self, request)

    monkeypatch.setattr(Routes, "answer", counted)
    async with EmbeddedServer() as server, Client(connect_to(server.url, server.token)) as client:
        cluster = Cluster(server, client, requests)
        await cluster.install()
        await cluster.join()
        yield cluster
