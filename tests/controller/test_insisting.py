"""Writes on a HyperNode that somebody else writes at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from controller.echo import Echoes
from controller.hyper_nodes.insisting import insist
from kube.cache import Cache
from kube.errors import Conflict
from kube.hypernodes import pinned
from kube.requests import FieldManager, Patch
from kube.types import HYPER_NODES, HyperNode
from tests.controller.cluster import Cluster
from topology.documents import Document, to_manifest

BEFORE = Document("leaf-1", 2, "leaf", "Node", ("node-1",))
AFTER = Document("leaf-1", 2, "leaf", "Node", ("node-1", "node-2"))


@pytest.fixture
async def echoes(cluster: Cluster) -> AsyncIterator[Echoes[HyperNode]]:
    cache = Cache(cluster.client, HYPER_NODES)
    task = asyncio.create_task(cache.run())
    await cache.synced.wait()
    yield Echoes(cache)
    task.cancel()


async def write_after(cluster: Cluster, echoes: Echoes[HyperNode], theirs: dict[str, Any]) -> HyperNode:
    """Somebody changes the object after it was read, before it is written."""
    read = await cluster.client.create(HYPER_NODES, to_manifest(BEFORE))
    await cluster.client.patch(HYPER_NODES, read.metadata.name, Patch(theirs))

    async def write(found: HyperNode) -> HyperNode:
        body = pinned(to_manifest(AFTER), found)
        return await cluster.client.apply(HYPER_NODES, body, FieldManager("hyperscout", force=True))

    return await insist(read, echoes, write)


async def test_what_belongs_to_others_may_change_meanwhile(cluster: Cluster, echoes: Echoes[HyperNode]) -> None:
    written = await write_after(cluster, echoes, {"metadata": {"annotations": {"team": "ml"}}})
    assert (len(written.spec.members), written.metadata.annotations) == (2, {"team": "ml"})


@pytest.mark.parametrize(
    "theirs",
    [
        {"spec": {"tierName": "rack"}},
        {"metadata": {"labels": {"volcano.sh/network-topology-source": "label"}}},
        {"metadata": {"annotations": {"hyperscout.io/links": "9/9"}}},
    ],
)
async def test_what_is_ours_may_not(cluster: Cluster, echoes: Echoes[HyperNode], theirs: dict[str, Any]) -> None:
    with pytest.raises(Conflict):
        await write_after(cluster, echoes, theirs)


async def test_an_object_that_is_another_one_by_now_is_not_written(cluster: Cluster, echoes: Echoes[HyperNode]) -> None:
    read = await cluster.client.create(HYPER_NODES, to_manifest(BEFORE))
    await cluster.client.delete(HYPER_NODES, read.metadata)
    await cluster.client.create(HYPER_NODES, to_manifest(BEFORE))

    async def write(found: HyperNode) -> HyperNode:
        body = pinned(to_manifest(AFTER), found)
        return await cluster.client.apply(HYPER_NODES, body, FieldManager("hyperscout", force=True))

    with pytest.raises(Conflict):
        await insist(read, echoes, write)
