"""A site behind the embedded API server, and the kubeconfig by which processes reach it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from kube.client import Client
from kube.connection import connect_to
from kube.embedded.server import EmbeddedServer
from kube.resources import LEASES
from tests.controller.cluster import Cluster


@dataclass(slots=True)
class Raised:
    """A cluster whose first sweep is published."""

    cluster: Cluster
    kubeconfig: Path

    async def holder(self, name: str) -> str:
        """Who holds the Lease."""
        return (await self.cluster.client.get(LEASES, name, "default")).spec.holder_identity


@asynccontextmanager
async def raise_kinds(folder: Path) -> AsyncIterator[tuple[Client, Path]]:
    """A server that knows our kinds and holds nothing, and a kubeconfig of it."""
    async with EmbeddedServer() as server, Client(connect_to(server.url, server.token)) as client:
        await Cluster(server, client, []).install()
        kubeconfig = folder / "kubeconfig"
        kubeconfig.write_text(server.kubeconfig())
        yield client, kubeconfig


@asynccontextmanager
async def raise_cluster(folder: Path) -> AsyncIterator[Raised]:
    """Start the server, and publish what the site is."""
    async with EmbeddedServer(run_bound_pods=True) as server, Client(connect_to(server.url, server.token)) as client:
        cluster = Cluster(server, client, [])
        await cluster.install()
        await cluster.join()
        await cluster.sweep()
        kubeconfig = folder / "kubeconfig"
        kubeconfig.write_text(server.kubeconfig())
        yield Raised(cluster, kubeconfig)


@pytest.fixture
async def raised(tmp_path: Path) -> AsyncIterator[Raised]:
    async with raise_cluster(tmp_path) as one:
        yield one
