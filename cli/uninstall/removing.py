"""What is removed, part by part: how many there are, how each of them goes, and what could not be removed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from cli.uninstall.nodes import marks_of, take_off
from cli.uninstall.places import REPORTS, Places
from cli.uninstall.workloads import find_leases
from controller.hyper_nodes.recreating import OWN_CONFIG_MAPS
from kube.client import Client
from kube.errors import ApiError, NotFound
from kube.meta import ObjectMeta
from kube.records import ConfigMap
from kube.requests import Preconditions
from kube.resources import CONFIG_MAPS, LEASES, NODES, Resource

AT_ONCE = 32
"""So many writes side by side."""


@dataclass(frozen=True, slots=True)
class Part:
    """Things of one kind that go. `what` says how many: "3 NodeReports"."""

    verb: str
    what: str
    removals: Sequence[Callable[[Client], Awaitable[None]]]

    async def remove(self, client: Client) -> list[str]:
        """All of them, a bounded number at once; sentences about those that stay. One hinders no other."""
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(removal: Callable[[Client], Awaitable[None]]) -> str | None:
            async with gate:
                try:
                    await removal(client)
                except ApiError as error:
                    return str(error)
            return None

        answers = await asyncio.gather(*(one(removal) for removal in self.removals))
        return [answer for answer in answers if answer is not None]


async def node_marks(client: Client) -> Part:
    """Our marks on all Nodes."""
    listing = await client.list(NODES)
    marked = [marks for marks in map(marks_of, listing.items) if marks]
    found = {
        "taint": sum(marks.taints for marks in marked),
        "condition": sum(marks.conditions for marks in marked),
        "label": sum(marks.labels for marks in marked),
        "annotation": sum(marks.annotations for marks in marked),
    }
    # What is on a Node that cannot be read here is not known; it is looked at whole.
    names = [*(marks.node for marks in marked), *(one.key.name for one in listing.unreadable)]
    kinds = ", ".join(counted(count, kind) for kind, count in found.items() if count)
    return Part("take", f"{kinds or 'nothing'} off {counted(len(names), 'Node')}", [_unmarking(name) for name in names])


def _unmarking(name: str) -> Callable[[Client], Awaitable[None]]:
    return lambda client: take_off(client, name)


async def evidence(client: Client) -> list[Part]:
    """The reports, a part a kind; a kind that the cluster does not know has none."""
    parts: list[Part] = []
    for kind in REPORTS:
        listing = await client.list(kind) if await client.serves(kind) else None
        found = [one.metadata for one in listing.items] if listing else []
        # What cannot be read goes too: its name is known.
        found += [ObjectMeta(name=one.key.name) for one in listing.unreadable] if listing else []
        parts.append(_deleted(kind, found))
    return parts


async def records(client: Client, places: Places) -> list[Part]:
    """The Leases, and the ConfigMaps of the journal."""
    leases = [lease.metadata for lease in await find_leases(client, places)]
    maps = [found.metadata for name in OWN_CONFIG_MAPS if (found := await _find_map(client, name, places.system))]
    return [_deleted(LEASES, leases), _deleted(CONFIG_MAPS, maps)]


async def _find_map(client: Client, name: str, namespace: str) -> ConfigMap | None:
    try:
        return await client.get(CONFIG_MAPS, name, namespace)
    except NotFound:
        return None


def _deleted(resource: Resource[Any], found: Iterable[ObjectMeta]) -> Part:
    removals = [_deletion(resource, metadata) for metadata in found]
    return Part("delete", counted(len(removals), resource.kind), removals)


def _deletion(resource: Resource[Any], metadata: ObjectMeta) -> Callable[[Client], Awaitable[None]]:
    async def delete(client: Client) -> None:
        try:
            await client.delete(resource, metadata, Preconditions(metadata.uid))
        except NotFound:
            return

    return delete


def counted(count: int, noun: str) -> str:
    """`1 Node`, `2 Nodes`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
