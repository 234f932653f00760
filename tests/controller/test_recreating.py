"""What is deleted to be created again is kept outside of the process before anything is deleted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from controller.hyper_nodes.recreating import KEY, NAME, Kept, stand_in, to_recreate
from kube.client import Client
from kube.connection import connect_to
from kube.embedded.server import EmbeddedServer
from kube.errors import ApiError
from kube.requests import Patch
from kube.resources import CONFIG_MAPS
from tests.controller.cluster import QUICK, Cluster, controller
from topology.conclude import Settings as TreeSettings
from topology.documents import Document
from topology.hierarchy import DEFAULT_TIERS

HERE = "default"
LEAF = Document("a", 2, "leaf", "Node", ("n1", "n2"), (("hyperscout.io/links", "0/4"),))
ROOT = Document("r", 3, "spine", "HyperNode", ("a",))


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    """A server of its own."""
    async with EmbeddedServer() as server, Client(connect_to(server.url, server.token)) as client:
        yield client


async def test_another_process_finds_what_was_kept_and_nothing_once_it_stands_again(client: Client) -> None:
    kept = Kept(HERE)
    assert await kept.load(client) == ()
    await kept.save(client, (LEAF, ROOT))
    assert await Kept(HERE).load(client) == (LEAF, ROOT)
    await Kept(HERE).save(client, ())
    assert await Kept(HERE).load(client) == ()
    with pytest.raises(ApiError):  # somebody else wrote meanwhile
        await kept.save(client, (LEAF,))
    await kept.save(client, (LEAF,))
    assert await Kept(HERE).load(client) == (LEAF,)


async def test_ten_thousand_nodes_fit_into_one_config_map(client: Client) -> None:
    nodes = [f"node-{number:05d}.hall-1.example.test" for number in range(10_000)]
    lost = " ".join(f"{number * 2654435761:016x}/1-{number * 40503:016x}/{number}" for number in range(100))
    leaves = tuple(
        Document(
            f"ib-leaf-{at:04d}", 2, "leaf", "Node", tuple(nodes[at : at + 16]), (("hyperscout.io/lost-links", lost),)
        )
        for at in range(0, 10_000, 16)
    )
    await Kept(HERE).save(client, leaves)
    held = await client.get(CONFIG_MAPS, NAME, HERE)
    assert len(held.data[KEY]) < 1 << 19
    assert await Kept(HERE).load(client) == leaves


async def test_what_cannot_be_read_is_taken_for_nothing(client: Client) -> None:
    await Kept(HERE).save(client, (LEAF,))
    for text in ("?", "e30=", "eJyrrgUAAXUA+Q=="):
        await client.patch(CONFIG_MAPS, NAME, Patch({"data": {KEY: text}}), HERE)
        assert await Kept(HERE).load(client) == ()


async def test_nothing_is_deleted_to_be_created_again_while_it_cannot_be_kept(cluster: Cluster) -> None:
    high = TreeSettings({"leaf": 5, "spine": 6, "core": 7})
    async with controller(cluster) as watched:
        await cluster.sweep()
        await watched.swept(1)
        await watched.settled()
    before = await cluster.hyper_nodes()
    settings = replace(QUICK, namespace="nowhere", tree=high, migrate_tiers=True)
    async with controller(cluster, settings) as watched:
        for _ in range(2):
            await watched.until(lambda decision: bool(decision.outcome and decision.outcome.recreating))
    assert {name: found.spec for name, found in (await cluster.hyper_nodes()).items()} == {
        name: found.spec for name, found in before.items()
    }


def test_one_that_stands_or_whose_name_is_others_by_now_is_not_put_in_its_place() -> None:
    tiers = {**DEFAULT_TIERS, "leaf": 2, "spine": 5, "core": 6}
    assert stand_in((LEAF, ROOT), (LEAF,), (), tiers) == (LEAF, replace(ROOT, tier=5))
    assert stand_in((LEAF, ROOT), (LEAF,), ("r",), tiers) == (LEAF,)


def test_only_what_is_deleted_and_wanted_again_is_kept_and_until_it_stands() -> None:
    raised = (replace(LEAF, tier=4), replace(ROOT, tier=5))
    assert set(to_recreate((), (LEAF, ROOT), raised)) == {LEAF, ROOT}
    assert to_recreate((LEAF, ROOT), (), raised) == (LEAF, ROOT)
    assert to_recreate((LEAF, ROOT), (raised[0],), raised) == (ROOT,)
    assert to_recreate((ROOT,), (LEAF,), (raised[0],)) == (LEAF,)
    assert to_recreate((LEAF, ROOT), raised, raised) == ()
    assert to_recreate((), (LEAF,), (replace(LEAF, annotations=()),)) == ()
