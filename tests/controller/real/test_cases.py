"""HyperNodes of others, other tier numbers and the journal on a real API server, with the controller's rights alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from controller.hyper_nodes.recreating import KEY, NAME
from controller.journal.changes import NAMES, Entry, read_all
from controller.journal.ring import find_config_map
from controller.running import run_controller
from controller.settings import ControllerSettings, Debounce, Times
from kube.types import HYPER_NODES, NODE_REPORTS, ObjectMeta
from tests.cluster.control_plane import ControlPlane, Settings
from tests.cluster.fixtures import require
from tests.controller.cluster import Watched
from tests.controller.nodes.real import PATIENCE, Place, place, until
from tests.controller.real.onlooker import onlooker
from tests.security.installed import install
from tests.security.manifests import SYSTEM
from topology.conclude import Settings as TreeSettings

A, B, ROOT = "ib-leaf-cf-leaf-001", "ib-leaf-cf-leaf-002", "ib-spine-cf-spine-001"
NODES = [f"node-0000{number}" for number in range(6)]
HIGH = TreeSettings({"leaf": 5, "spine": 6, "core": 7})


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A control plane of this file's own, for a controller looks at all that there is."""
    alone = Settings()
    require(*alone.programs)
    with ControlPlane(tmp_path_factory.mktemp("cases"), alone) as plane:
        install(plane)
        yield plane


@pytest.fixture
async def where(plane: ControlPlane) -> AsyncIterator[Place]:
    """The site's Nodes and reports of one sweep; no HyperNode is there, nor when the test is over."""
    async with place(plane) as found:
        await found.cluster.join()
        await found.cluster.sweep()
        yield found
        for name in await found.cluster.hyper_nodes():
            await found.cluster.client.delete(HYPER_NODES, ObjectMeta(name=name))


@asynccontextmanager
async def controller(where: Place, **settings: Any) -> AsyncIterator[Watched]:  # noqa: ANN401 - those of ControllerSettings
    """Our controller with its own account; killed where it still runs when the context is left."""
    watched, debounce = Watched(), Debounce(quiet=0.05, longest=0.5)
    chosen = ControllerSettings(namespace=SYSTEM, debounce=debounce, times=Times(node_hold=3600.0), **settings)
    run = run_controller(where.ours, chosen, asyncio.Event(), lambda: where.cluster.now, watched.note)
    task = asyncio.create_task(run)
    try:
        yield watched
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def theirs(name: str, tier: int, kind: str, *members: Mapping[str, Any]) -> dict[str, Any]:
    listed = [{"type": kind, "selector": selector} for selector in members]
    return {"metadata": {"name": name}, "spec": {"tier": tier, "tierName": "rack", "members": listed}}


def exact(*names: str) -> list[dict[str, Any]]:
    return [{"exactMatch": {"name": name}} for name in names]


async def tree(where: Place) -> dict[str, list[str]]:
    """All HyperNodes, whoever's, with their exact members."""
    return {
        name: [m.selector.exact_match.name for m in found.spec.members if m.selector.exact_match is not None]
        for name, found in (await where.cluster.hyper_nodes()).items()
    }


async def becomes(where: Place, wanted: Mapping[str, list[str]]) -> None:
    async def so() -> bool:
        return await tree(where) == wanted

    await until(so)


async def told(where: Place, reason: str) -> list[tuple[str, str]]:
    """The HyperNodes that Events of this reason are about, with their sentences."""
    events = await where.cluster.events()
    return [(event.involved_object.name, event.message) for event in events if event.reason == reason]


async def journal(where: Place) -> list[Entry]:
    held = [await find_config_map(where.cluster.client, name, SYSTEM) for name in NAMES]
    return read_all(one for one in held if one is not None)


async def test_others_come_and_go_and_what_is_theirs_is_left_and_told_once(where: Place) -> None:
    client = where.cluster.client
    await client.create(HYPER_NODES, theirs("rack-1", 1, "Node", *exact(*NODES[:3])))
    first = (await where.cluster.hyper_nodes())["rack-1"]
    async with controller(where) as watched:
        await becomes(where, {"rack-1": NODES[:3], B: NODES[3:], ROOT: [B]})
        await watched.settled()
        report = await client.get(NODE_REPORTS, NODES[0])
        assert [found.reason for found in report.status.conditions if found.type == "Placed"] == ["ForeignHyperNode"]

        await client.create(HYPER_NODES, theirs("row", 9, "HyperNode", *exact(B)))
        await client.create(HYPER_NODES, theirs("odd", 1, "Node", {"regexMatch": {"pattern": "node-(0"}}))
        await client.create(HYPER_NODES, theirs("rack-2", 1, "Node", *exact(NODES[5])))
        await becomes(where, {**await tree(where), B: NODES[3:5]})
        await watched.settled()
        await where.cluster.sweep()
        await watched.swept(where.cluster.site.sequence)
        about = sorted(await told(where, "ForeignHyperNode"))
        assert [name for name, _ in about] == ["odd", "rack-2", "row"]
        assert f"it lists {B}, which is ours" in about[2][1]
        assert sorted(e.hyper_nodes for e in await journal(where) if e.reason == "ForeignHyperNode") == [
            ("odd",),
            ("rack-2",),
            ("row",),
        ]
        left = next(e.what for e in await journal(where) if e.reason == "NodesMoved" and NODES[5] in e.nodes)
        assert left == f"node {NODES[5]} left {B}: rack-2, which is not ours, holds it"
        assert (await where.cluster.hyper_nodes())["rack-1"] == first

        for name in ("rack-1", "rack-2", "row", "odd"):
            await client.delete(HYPER_NODES, ObjectMeta(name=name))
        await becomes(where, {A: NODES[:3], B: NODES[3:], ROOT: [A, B]})


async def test_a_name_that_others_have_is_not_taken_and_the_one_in_its_place_stays(where: Place) -> None:
    client, fallback = where.cluster.client, f"{A}-hyperscout"
    await client.create(HYPER_NODES, theirs(A, 1, "Node", *exact("elsewhere")))
    wanted = {fallback: NODES[:3], B: NODES[3:], ROOT: sorted([fallback, B])}
    async with controller(where) as watched:
        await becomes(where, {**wanted, A: ["elsewhere"]})
        await client.delete(HYPER_NODES, ObjectMeta(name=A))
        await watched.settled()
        await where.cluster.sweep()
        await watched.swept(where.cluster.site.sequence)
        assert await tree(where) == wanted


async def test_one_that_is_named_is_taken_over_and_becomes_the_domain_of_its_members(where: Place) -> None:
    client = where.cluster.client
    pattern = {"regexMatch": {"pattern": "node-0000[0-2]"}}
    await client.create(HYPER_NODES, theirs("rack-1", 1, "Node", pattern))
    await client.create(HYPER_NODES, theirs("pair", 1, "Node", *exact(NODES[3], "elsewhere")))
    async with onlooker(client) as seen, controller(where, adopt=("rack-1", "pair", "ghost")) as watched:
        await becomes(where, {"rack-1": NODES[:3], B: NODES[3:], ROOT: [B, "rack-1"]})
        await watched.settled()
        found = (await where.cluster.hyper_nodes())["rack-1"]
        assert (found.spec.tier, found.spec.tier_name) == (2, "leaf")
        assert found.metadata.labels["volcano.sh/network-topology-source"] == "hyperscout"
        assert sorted(name for name, _ in await told(where, "Adopted")) == ["pair", "rack-1"]
        assert {e.hyper_nodes for e in await journal(where) if e.reason == "Adopted"} == {("pair",), ("rack-1",)}
    assert seen.broken == []


async def test_other_numbers_wait_until_they_are_asked_for_and_an_interrupted_migration_is_ended(where: Place) -> None:
    client = where.cluster.client
    whole = {A: NODES[:3], B: NODES[3:], ROOT: [A, B]}
    async with controller(where) as watched:
        await becomes(where, whole)
        await watched.settled()
    async with controller(where, tree=HIGH) as watched:
        await watched.until(lambda decision: decision.outcome is not None)
        assert await tiers(where) == {A: 2, B: 2, ROOT: 3}
        ((name, sentence),) = await told(where, "TierTableDiffers")
        assert name == ROOT
        assert "says leaf 5, spine 6, but HyperNodes stand with leaf 2, spine 3" in sentence
    async with onlooker(client) as seen:
        async with controller(where, tree=HIGH, migrate_tiers=True):
            async with asyncio.timeout(PATIENCE):
                await seen.gone.wait()
        kept = await find_config_map(client, NAME, SYSTEM)
        assert kept is not None
        async with controller(where, tree=HIGH, migrate_tiers=True) as watched:
            await becomes(where, whole)
            await watched.settled()
            await until(lambda: emptied(where))
        assert await tiers(where) == {A: 5, B: 5, ROOT: 6}
    assert seen.broken == []


async def tiers(where: Place) -> dict[str, int]:
    return {name: found.spec.tier for name, found in (await where.cluster.hyper_nodes()).items()}


async def emptied(where: Place) -> bool:
    """That nothing is kept any more of what was to be created again."""
    kept = await find_config_map(where.cluster.client, NAME, SYSTEM)
    return kept is not None and kept.data[KEY] == ""
