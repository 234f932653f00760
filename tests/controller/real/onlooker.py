"""Watches all HyperNodes of a real API server, and holds each state against the rules of a tree."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field

from kube.client import Client
from kube.listing import Put, Removed, WatchEvent
from kube.types import HYPER_NODES, HyperNode
from tests.controller.carrying import as_documents
from tests.topology.trees import broken_invariants


@dataclass(slots=True)
class Onlooker:
    """`broken`: what should never have been seen; `gone` is set when a HyperNode was deleted."""

    objects: dict[str, HyperNode]
    broken: list[str] = field(default_factory=list)
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    def see(self, event: WatchEvent[HyperNode]) -> None:
        """One event."""
        match event:
            case Put(found):
                self.objects[found.metadata.name] = found
            case Removed(found):
                self.objects.pop(found.metadata.name, None)
                self.gone.set()
            case _:
                return
        self.broken += broken_invariants(as_documents(tuple(self.objects.values())))


@asynccontextmanager
async def onlooker(client: Client) -> AsyncIterator[Onlooker]:
    """One that sees every event until the context is left."""
    listing = await client.list(HYPER_NODES)
    seen = Onlooker({found.metadata.name: found for found in listing.items})
    task = asyncio.create_task(_watch(client, listing.resource_version, seen))
    try:
        yield seen
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _watch(client: Client, version: str, seen: Onlooker) -> None:
    async with aclosing(client.watch(HYPER_NODES, version)) as events:
        async for event in events:
            seen.see(event)
