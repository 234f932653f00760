"""Client and cache against the embedded API server: what is written comes back, and what must not be, is refused."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kube.cache import Added, Cache, Change, Changed, Deleted
from kube.client import Client
from kube.config import load_connection
from kube.connection import connect_to
from kube.crds import crds
from kube.embedded.server import EmbeddedServer
from kube.errors import AlreadyExists, Conflict, NotFound, Unauthorized
from kube.events import Note, new_event
from kube.hypernodes import pinned, read_document
from kube.requests import FieldManager, Patch, PatchKind, Preconditions, Selection
from kube.resources import Resource
from kube.types import (
    EVENTS,
    HYPER_NODES,
    NODES,
    PODS,
    Body,
    Node,
    ObjectMeta,
    Pod,
)
from topology.documents import Document, to_manifest

NOW = datetime(2026, 5, 1, tzinfo=UTC)
LEAF = Document("leaf-1", 2, "leaf", "Node", ("n1", "n2"), (("hyperscout.io/links", "0/16"),))
US = FieldManager("hyperscout-controller")
DEFINITIONS = Resource(
    "apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition", namespaced=False, type=Node
)


@pytest.fixture
async def server() -> AsyncIterator[EmbeddedServer]:
    async with EmbeddedServer() as one:
        yield one


@pytest.fixture
async def client(server: EmbeddedServer) -> AsyncIterator[Client]:
    async with Client(connect_to(server.url, server.token)) as one:
        yield one


async def with_hyper_nodes(client: Client) -> None:
    wanted = next(body for body in crds(cel=False) if body["spec"]["names"]["plural"] == "hypernodes")
    await client.create(DEFINITIONS, wanted)


def pod(name: str) -> Body:
    return {
        "metadata": {"name": name, "namespace": "default", "labels": {"app": name[:1]}},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    }


async def test_a_list_longer_than_a_page_is_whole(client: Client) -> None:
    await asyncio.gather(*(client.create(NODES, {"metadata": {"name": f"n{index}"}}) for index in range(520)))
    listing = await client.list(NODES)
    assert len({item.metadata.name for item in listing.items}) == 520
    assert listing.resource_version


async def test_names_are_taken_once_and_missing_ones_are_missing(client: Client) -> None:
    await client.create(PODS, pod("a"))
    with pytest.raises(AlreadyExists):
        await client.create(PODS, pod("a"))
    with pytest.raises(NotFound):
        await client.get(PODS, "b", "default")


async def test_a_selection_narrows_a_list(client: Client) -> None:
    for name in ("a1", "a2", "b1"):
        await client.create(PODS, pod(name))
    labelled = await client.list(PODS, Selection("default", labels="app=a"))
    assert {item.metadata.name for item in labelled.items} == {"a1", "a2"}
    named = await client.list(PODS, Selection(fields="metadata.name=b1"))
    assert [item.metadata.name for item in named.items] == ["b1"]


async def test_a_pod_is_bound_once_and_only_itself(client: Client) -> None:
    made = await client.create(PODS, pod("a"))
    stranger = Pod(metadata=ObjectMeta(name="a", namespace="default", uid="another"))
    with pytest.raises(Conflict):
        await client.bind(stranger, "n1")
    await client.bind(made, "n1")
    with pytest.raises(Conflict, match="already assigned"):
        await client.bind(made, "n2")
    assert (await client.get(PODS, "a", "default")).spec.node_name == "n1"
    with pytest.raises(Conflict):
        await client.evict(stranger)
    await client.evict(made)
    with pytest.raises(NotFound):
        await client.get(PODS, "a", "default")


async def test_a_hyper_node_is_applied_only_as_it_was_read(client: Client) -> None:
    await with_hyper_nodes(client)
    made = await client.create(HYPER_NODES, to_manifest(LEAF))
    assert read_document(made, Document) == LEAF
    wider = Document("leaf-1", 2, "leaf", "Node", ("n1", "n2", "n3"))
    applied = await client.apply(HYPER_NODES, pinned(to_manifest(wider), made), FieldManager(US.name, force=True))
    assert read_document(applied, Document).members == ("n1", "n2", "n3")
    with pytest.raises(Conflict):
        await client.apply(HYPER_NODES, pinned(to_manifest(LEAF), made), US)
    with pytest.raises(Conflict):
        await client.delete(
            HYPER_NODES, made.metadata, Preconditions(made.metadata.uid, made.metadata.resource_version)
        )
    await client.delete(HYPER_NODES, made.metadata, Preconditions(made.metadata.uid))
    with pytest.raises(NotFound):
        await client.get(HYPER_NODES, "leaf-1")


async def test_a_status_is_patched_only_in_the_version_that_was_read(client: Client) -> None:
    await with_hyper_nodes(client)
    made = await client.create(HYPER_NODES, to_manifest(LEAF))
    patch = Patch({"status": {"nodeCount": 2}}, PatchKind.MERGE, made.metadata.resource_version, "status")
    assert (await client.patch(HYPER_NODES, "leaf-1", patch)).status.node_count == 2
    with pytest.raises(Conflict):
        await client.patch(HYPER_NODES, "leaf-1", patch)


async def test_a_strategic_patch_merges_node_conditions_by_type(client: Client) -> None:
    ready, sick = {"type": "Ready", "status": "True"}, {"type": "FabricHealthy", "status": "False"}
    await client.create(NODES, {"metadata": {"name": "n1"}, "status": {"conditions": [ready]}})
    patch = Patch({"status": {"conditions": [sick]}}, PatchKind.STRATEGIC, subresource="status")
    node = await client.patch(NODES, "n1", patch)
    assert {condition.type for condition in node.status.conditions} == {"Ready", "FabricHealthy"}


async def test_an_event_is_about_its_object(client: Client) -> None:
    node = await client.create(NODES, {"metadata": {"name": "n1"}})
    await client.create(EVENTS, new_event(NODES, node, Note("LinkDown", "x" * 2000, "Warning"), "hyperscout", NOW))
    [event] = (await client.list(EVENTS, Selection(fields="involvedObject.name=n1"))).items
    assert (event.involved_object.uid, event.reason, event.type) == (node.metadata.uid, "LinkDown", "Warning")
    assert len(event.message) == 1024


async def test_a_normal_event_is_written_with_its_type(client: Client) -> None:
    node = await client.create(NODES, {"metadata": {"name": "n1"}})
    made = await client.create(EVENTS, new_event(NODES, node, Note("LinkUp", "all links up"), "hyperscout", NOW))
    assert (await client.get_document(EVENTS, made.metadata.name, "default"))["type"] == "Normal"


async def test_a_cache_follows_every_change(client: Client) -> None:
    cache = Cache(client, PODS)
    news: asyncio.Queue[Change[Pod]] = asyncio.Queue()
    await client.create(PODS, pod("a"))
    cache.subscribe(news.put_nowait)
    task = asyncio.create_task(cache.run())
    async with asyncio.timeout(10):
        assert isinstance(await news.get(), Added)
        made = await client.create(PODS, pod("b"))
        await news.get()
        await client.bind(made, "n1")
        changed = await news.get()
        assert isinstance(changed, Changed)
        assert changed.new.spec.node_name == "n1"
        await client.delete(PODS, made.metadata)
        assert isinstance(await news.get(), Deleted)
    task.cancel()


async def test_the_kubeconfig_of_the_server_is_enough(server: EmbeddedServer, tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(server.kubeconfig())
    async with Client(load_connection(str(path))) as client:
        assert (await client.list(NODES)).items == ()


async def test_without_a_token_nobody_gets_in(server: EmbeddedServer) -> None:
    async with Client(connect_to(server.url)) as client:
        with pytest.raises(Unauthorized):
            await client.list(NODES)
