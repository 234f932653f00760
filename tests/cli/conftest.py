"""A live cluster for the commands: the embedded API server on a thread of its own, and KUBECONFIG that names it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest

from kube.client import Client
from kube.connection import connect_to
from kube.crds import crds
from kube.embedded.server import EmbeddedServer
from kube.meta import Body, ObjectMeta, Wire
from kube.resources import Resource

T = TypeVar("T")


class Definition(Wire, frozen=True, kw_only=True):
    """A custom resource definition, as far as its creator looks at the answer."""

    metadata: ObjectMeta = ObjectMeta()


DEFINITIONS = Resource(
    "apiextensions.k8s.io",
    "v1",
    "customresourcedefinitions",
    "CustomResourceDefinition",
    namespaced=False,
    type=Definition,
)


@dataclass(frozen=True, slots=True)
class Live:
    """The server, and a way to call it from the test's own thread."""

    server: EmbeddedServer
    loop: asyncio.AbstractEventLoop

    def call(self, work: Callable[[Client], Awaitable[T]]) -> T:
        """Do something with a client of the server and give back its result."""

        async def with_client() -> T:
            async with Client(connect_to(self.server.url, self.server.token)) as client:
                return await work(client)

        future: Future[T] = asyncio.run_coroutine_threadsafe(with_client(), self.loop)
        return future.result(timeout=30)


@pytest.fixture(scope="session")
def definitions() -> tuple[Body, ...]:
    """Our kinds, in the variant for a server without CEL."""
    return crds(cel=False)


@pytest.fixture
def live(definitions: tuple[Body, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Live]:
    """A cluster that knows our kinds and holds nothing yet."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="embedded API server")
    thread.start()
    server = EmbeddedServer()
    asyncio.run_coroutine_threadsafe(server.start(), loop).result(timeout=30)
    try:
        cluster = Live(server, loop)
        cluster.call(lambda client: _define(client, definitions))
        kubeconfig = tmp_path / "kubeconfig"
        kubeconfig.write_text(server.kubeconfig())
        monkeypatch.setenv("KUBECONFIG", str(kubeconfig))
        yield cluster
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result(timeout=30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=30)
        loop.close()


async def _define(client: Client, definitions: tuple[Body, ...]) -> None:
    for definition in definitions:
        await client.create(DEFINITIONS, definition)
