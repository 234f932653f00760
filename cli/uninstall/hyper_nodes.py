"""Our HyperNodes, removed parents first, each only as it was read: after any step the rest is a legal tree."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import suppress

from kube.client import Client
from kube.errors import Conflict, NotFound
from kube.hypernodes import read_document
from kube.requests import Preconditions, Selection
from kube.resources import HYPER_NODES
from kube.types import HyperNode
from topology.documents import SOURCE, SOURCE_LABEL, Document
from topology.plan import Delete, plan

SELECTOR = f"{SOURCE_LABEL}={SOURCE}"
PASSES = 5
"""Others write annotations and statuses of them; what changed meanwhile is read again."""


async def find_ours(client: Client) -> dict[str, HyperNode]:
    """Those with our label, by name; none where the cluster does not know HyperNodes."""
    if not await client.serves(HYPER_NODES):
        return {}
    return {one.metadata.name: one for one in (await client.list(HYPER_NODES, Selection(labels=SELECTOR))).items}


async def count_ours(client: Client) -> int:
    """How many there are, those included that cannot be read here."""
    if not await client.serves(HYPER_NODES):
        return 0
    listing = await client.list(HYPER_NODES, Selection(labels=SELECTOR))
    return len(listing.items) + len(listing.unreadable)


async def find_parents(client: Client) -> dict[str, list[str]]:
    """HyperNodes of others with those of ours that they list: they will list missing ones."""
    ours = await find_ours(client)
    found: dict[str, list[str]] = {}
    for one in (await client.list(HYPER_NODES)).items if ours else ():
        children = (member.selector.exact_match for member in one.spec.members if member.type == "HyperNode")
        listed = {child.name for child in children if child is not None} & ours.keys()
        if listed and one.metadata.name not in ours:
            found[one.metadata.name] = sorted(listed)
    return found


async def remove_all(client: Client) -> int:
    """Remove every one of them; how many there were."""
    removed = 0
    for left in range(PASSES, 0, -1):
        try:
            async for _ in _remove(client, await find_ours(client)):
                removed += 1
            return removed
        except Conflict:
            if left == 1:
                raise
    return removed


async def _remove(client: Client, ours: Mapping[str, HyperNode]) -> AsyncIterator[str]:
    """The names of those that are gone, one by one."""
    for step in plan([read_document(found, Document) for found in ours.values()], ()):
        match step:
            case Delete(before):
                metadata = ours[before.name].metadata
                with suppress(NotFound):
                    await client.delete(HYPER_NODES, metadata, Preconditions(metadata.uid, metadata.resource_version))
                yield before.name
            case _:
                raise AssertionError("a plan that leaves nothing only deletes")
