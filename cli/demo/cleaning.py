"""After the story: everything that the demo made on a real cluster is removed again, and nothing else.

Also what an earlier demo left that could not end in order.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from cli.demo.cluster import NAMESPACE
from cli.demo.definitions import DEFINITIONS, Definition
from cli.demo.kinds import NAMESPACES, REPORTS
from cli.demo.marks import SELECTOR
from cli.demo.publishing import delete_all
from cli.uninstall.hyper_nodes import find_ours, remove_all
from kube.client import Client
from kube.errors import NotFound
from kube.meta import ObjectMeta
from kube.requests import Selection
from kube.resources import EVENTS, HYPER_NODES, NODES, POD_GROUPS, PODS, Resource

MARKED = Selection(labels=SELECTOR)
GONE_SECONDS = 30.0
"""For kwok to end the pods, and for the namespace to go."""


async def clean(client: Client) -> list[str]:
    """Remove all of it; what there was of each kind, in words. Nothing may write HyperNodes meanwhile.

    Every HyperNode with our label goes: where hyperscout is at home no demo plays. Definitions stay (`undefine`).
    """
    gangs = Selection(NAMESPACE, SELECTOR)
    removed = [await _remove(client, PODS, gangs), await _remove(client, POD_GROUPS, gangs)]
    await _wait_until_gone(client, PODS, gangs)
    subjects = set(await find_ours(client)) | {one.metadata.name for one in (await client.list(NODES, MARKED)).items}
    removed.append((HYPER_NODES, await remove_all(client)))
    removed += [await _remove(client, kind, MARKED) for kind in (*REPORTS, NODES)]
    events = (await client.list(EVENTS)).items
    about = [one.metadata for one in events if one.involved_object.name in subjects]
    await delete_all(client, EVENTS, about)
    removed.append(await _remove(client, NAMESPACES, MARKED))
    await _wait_until_gone(client, NAMESPACES, MARKED)
    return [f"{count} {kind.kind}{'s' if count > 1 else ''}" for kind, count in removed if count]


async def undefine(client: Client) -> None:
    """Remove the definitions that a demo made and of whose kinds there is nothing; wait until they are gone.

    Each is deleted until it is: kube-apiserver forgets a deletion now and then while its own parts write the object.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(GONE_SECONDS):
            while unused := await _unused_definitions(client):
                await delete_all(client, DEFINITIONS, [one for one in unused if not one.deleting])
                await asyncio.sleep(0.1)


async def _unused_definitions(client: Client) -> list[ObjectMeta]:
    """Those that a demo made, also while they go."""
    made = (await client.list(DEFINITIONS, MARKED)).items
    return [one.metadata for one in made if one.metadata.deleting or not await _may_have_any(client, one)]


async def _may_have_any(client: Client, definition: Definition) -> bool:
    """Whether there is an object of its kind, or this server cannot tell: it may serve an established one later."""
    try:
        return bool((await client.list(definition.kind())).items)
    except NotFound:
        return definition.is_established


async def _remove(client: Client, resource: Resource[Any], chosen: Selection) -> tuple[Resource[Any], int]:
    if not await client.serves(resource):
        return resource, 0
    found = [one.metadata for one in (await client.list(resource, chosen)).items]
    await delete_all(client, resource, [one for one in found if not one.deleting])
    return resource, len(found)


async def _wait_until_gone(client: Client, resource: Resource[Any], chosen: Selection) -> None:
    """For so long as they take, but not for ever: who removes them may not run here."""
    with suppress(TimeoutError):
        async with asyncio.timeout(GONE_SECONDS):
            while (await client.list(resource, chosen)).items:  # noqa: ASYNC110 - no cache of these runs any more
                await asyncio.sleep(0.1)
