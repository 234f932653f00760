"""Owners, labels, taints and conditions on a real API server, with the rights of the controller's account alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager, suppress
from functools import partial

import msgspec
import pytest

from controller.nodes.editing import write_labels, write_owners, write_taint
from controller.nodes.labels import Labels
from controller.settings import NodeMarks, Times
from controller.statuses import write_node_condition
from kube.errors import ApiError, Conflict, NotFound
from kube.listing import Put, WatchEvent
from kube.requests import Patch
from kube.types import NODE_REPORTS, NODES, Node, ObjectMeta, OwnerReference
from tests.cluster.control_plane import ControlPlane, Settings
from tests.cluster.fixtures import require
from tests.controller.cluster import Watched
from tests.controller.nodes.real import Place, Rival, controller, place, turns, until
from tests.security.installed import install
from topology import health

COLLECTING = Settings(controllers=("garbage-collector-controller",))
A, B, ROOT = "ib-leaf-cf-leaf-001", "ib-leaf-cf-leaf-002", "ib-spine-cf-spine-001"
NODE = "node-00000"
TAINT = "hyperscout.io/fabric-unhealthy"
LEAF, SPINE = "network.topology.nvidia.com/leaf", "network.topology.nvidia.com/spine"
ON = NodeMarks(labels=True, other_labels={LEAF: "leaf", SPINE: "spine"}, taint="NoSchedule")
SLOW = Times(node_hold=3600.0, link_hold=0.0)


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A control plane of this file's own, for a controller looks at all that there is."""
    require(*COLLECTING.programs)
    with ControlPlane(tmp_path_factory.mktemp("nodes"), COLLECTING) as plane:
        install(plane)
        collector = plane["kube-controller-manager"]  # begun anew it knows our kinds, and else half a minute later
        collector.stop()
        collector.start()
        collector.wait_ready()
        yield plane


@pytest.fixture
async def where(plane: ControlPlane) -> AsyncIterator[Place]:
    async with place(plane) as found:
        await found.cluster.join()
        yield found


async def members(where: Place) -> dict[str, int]:
    return {name: len(found.spec.members) for name, found in (await where.cluster.hyper_nodes()).items()}


async def owners(where: Place, name: str) -> tuple[OwnerReference, ...]:
    return (await where.cluster.client.get(NODE_REPORTS, name)).metadata.owner_references


def owner(node: Node) -> OwnerReference:
    name, uid = node.metadata.name, node.metadata.uid
    return OwnerReference(
        api_version="v1", kind="Node", name=name, uid=uid, controller=False, block_owner_deletion=False
    )


async def test_a_report_goes_with_its_node_and_takes_no_member_along_and_a_new_node_owns_the_next(
    where: Place,
) -> None:
    client = where.cluster.client
    async with controller(where, NodeMarks(), SLOW) as watched:
        await where.cluster.sweep()
        await watched.swept(1)
        await watched.settled()
        nodes = await where.cluster.nodes()
        assert [await owners(where, name) for name in nodes] == [(owner(node),) for node in nodes.values()]
        whole = await members(where)
        assert whole == {A: 3, B: 3, ROOT: 2}

        await client.delete(NODES, ObjectMeta(name=NODE))
        await until(lambda: gone(where, NODE))
        await until(lambda: noticed(watched))
        assert await members(where) == whole

        await where.cluster.join()
        await where.cluster.publish()
        anew = (await where.cluster.nodes())[NODE]
        assert anew.metadata.uid != nodes[NODE].metadata.uid
        await until(lambda: owned_by(where, NODE, (owner(anew),)))
        assert await members(where) == whole


async def noticed(watched: Watched) -> bool:
    """That there is neither Node nor report."""
    memory = watched.decisions[-1].memory
    return NODE in memory.held and NODE not in memory.heard


async def gone(where: Place, name: str) -> bool:
    with suppress(NotFound):
        await where.cluster.client.get(NODE_REPORTS, name)
        return False
    return True


async def owned_by(where: Place, name: str, wanted: tuple[OwnerReference, ...]) -> bool:
    return await owners(where, name) == wanted


async def test_owners_that_others_set_are_kept_and_keep_the_report(where: Place) -> None:
    """The report outlives its Node then, and the next Node of the name owns it again."""
    client, name = where.cluster.client, "node-00001"
    theirs = await asyncio.to_thread(where.plane.ask, "GET", "/api/v1/namespaces/kube-system")
    foreign = OwnerReference(
        api_version="v1", kind="Namespace", name="kube-system", uid=theirs.body["metadata"]["uid"], controller=True
    )
    await where.cluster.sweep()
    edit = {"metadata": {"ownerReferences": [msgspec.to_builtins(foreign)]}}
    report = await client.patch(NODE_REPORTS, name, Patch(edit))
    async with controller(where, NodeMarks(), SLOW):
        first = (await where.cluster.nodes())[name]
        await until(lambda: owned_by(where, name, (foreign, owner(first))))
        await client.delete(NODES, ObjectMeta(name=name))
        await until(lambda: owned_by(where, name, (foreign,)))
        await where.cluster.join()
        second = (await where.cluster.nodes())[name]
        await until(lambda: owned_by(where, name, (foreign, owner(second))))
    assert (await client.get(NODE_REPORTS, name)).metadata.uid == report.metadata.uid
    await client.patch(NODE_REPORTS, name, Patch({"metadata": {"ownerReferences": None}}))


async def test_the_report_of_an_unknown_node_says_so_and_has_no_owner(where: Place) -> None:
    client = where.cluster.client
    await client.create(NODE_REPORTS, {"metadata": {"name": "stranger"}, "spec": {}})

    async def told() -> bool:
        found = (await client.get(NODE_REPORTS, "stranger")).status.conditions
        return [(one.type, one.status, one.reason) for one in found] == [("Placed", "False", "UnknownNode")]

    async with controller(where, NodeMarks(), SLOW):
        await where.cluster.sweep()
        await until(told)
        assert await owners(where, "stranger") == ()
    await client.delete(NODE_REPORTS, ObjectMeta(name="stranger"))


def ours(node: Node) -> tuple[str | None, str, dict[str, str]]:
    """Effect of our taint, status of our condition, labels of ours."""
    taint = next((found.effect for found in node.spec.taints if found.key == TAINT), None)
    condition = node.condition("FabricHealthy")
    labels = {
        key: value for key, value in node.metadata.labels.items() if key.startswith(("hyperscout.io/", "network."))
    }
    return taint, condition.status if condition is not None else "", labels


async def test_of_what_others_write_to_the_same_nodes_nothing_is_lost_and_ours_arrives(where: Place) -> None:
    """Somebody changes a taint, a condition and a label of every Node all the time, while ours come and go."""
    cluster, site = where.cluster, where.cluster.site
    await where.allow_edits(allowed=True)
    await cluster.client.patch(NODES, NODE, Patch({"metadata": {"labels": {LEAF: "theirs"}}}))
    labels = {"hyperscout.io/leaf": A, "hyperscout.io/spine": ROOT, LEAF: A, SPINE: ROOT}
    rival = Rival(cluster.client, site.nodes)

    async def shows(taint: str | None, status: str) -> bool:
        found = await cluster.nodes()
        wanted = (taint, status, labels | {LEAF: "theirs"})
        return ours(found[NODE]) == wanted and ours(found["node-00001"]) == (None, "True", labels)

    async with watching(where) as seen, controller(where, ON):
        writing = asyncio.create_task(rival.run())
        await until(lambda: shows(None, "True"), cluster.sweep)
        for cut, (taint, status) in ((1, ("NoSchedule", "False")), (0, (None, "True")), (1, ("NoSchedule", "False"))):
            site.cut = set(site.host_cables(NODE)[:cut])
            await until(partial(shows, taint, status), cluster.sweep)
        rival.ended = True
        await writing
        await until(partial(shows, "NoSchedule", "False"), cluster.sweep)
        found = await cluster.nodes()
    assert {name: turns(found[name])[1] for name in site.nodes} == rival.counts
    assert min(rival.counts.values()) > 5
    for name in site.nodes:
        told = [turns(node) for node in seen if node.metadata.name == name]
        assert told == sorted(told, key=lambda turn: turn[0])
        assert all(taint == label and taint >= condition for taint, condition, label in told)
    times = await cluster.client.get_document(NODES, NODE)
    assert {taint.get("timeAdded") for taint in times["spec"]["taints"] if taint["key"] != TAINT} == {
        "2026-01-01T00:00:00Z"
    }


async def test_an_edit_that_comes_too_late_is_made_afresh_on_what_stands_by_then(where: Place) -> None:
    """Just before each of our writes somebody else's arrives, as long as there are any."""
    client, name = where.cluster.client, "node-00005"
    labelling = where.before_each_write([lambda node: node["metadata"]["labels"].update({LEAF: "theirs"})], name)
    tainting = where.before_each_write(
        [
            lambda node: node["spec"].update({"taints": [{"key": "one", "effect": "NoSchedule"}]}),
            lambda node: node["spec"]["taints"].append({"key": "two", "effect": "NoExecute"}),
        ],
        name,
    )
    await client.patch(NODES, name, Patch({"metadata": {"labels": {"mine": "1", "hyperscout.io/core": "old"}}}))
    node = (await where.cluster.nodes())[name]
    wanted = Labels({"hyperscout.io/leaf": A}, {LEAF: A})
    labelled = await write_labels(labelling, node, wanted)
    tainted = await write_taint(tainting, node, "PreferNoSchedule")
    assert labelled is not None
    assert tainted is not None
    assert {"mine": "1", "hyperscout.io/leaf": A, LEAF: "theirs"}.items() <= labelled.metadata.labels.items()
    assert "hyperscout.io/core" not in labelled.metadata.labels
    assert [(found.key, found.effect) for found in tainted.spec.taints] == [
        ("one", "NoSchedule"),
        ("two", "NoExecute"),
        (TAINT, "PreferNoSchedule"),
    ]
    assert await write_taint(client, node, "PreferNoSchedule") is None
    await client.patch(NODES, name, Patch({"spec": {"taints": None}}))


async def test_what_was_decided_for_a_node_is_not_written_to_the_next_of_its_name(where: Place) -> None:
    client, name = where.cluster.client, "node-00005"
    before = (await where.cluster.nodes())[name]
    report = await client.get(NODE_REPORTS, name)
    await client.delete(NODES, ObjectMeta(name=name))
    await where.cluster.join()
    unhealthy = health.Condition("FabricHealthy", "False", "LinksDown", "")
    with pytest.raises(Conflict, match="another Node"):
        await write_taint(client, before, "NoSchedule")
    with pytest.raises(Conflict, match="another Node"):
        await write_labels(client, before, Labels({"hyperscout.io/leaf": B}))
    with pytest.raises(ApiError):
        await write_node_condition(client, before, unhealthy, where.cluster.now)
    with pytest.raises(ApiError):
        await write_owners(client, report, before)
    assert ours((await where.cluster.nodes())[name]) == (None, "", {})


async def test_what_is_turned_off_is_taken_off_and_where_that_is_forbidden_all_else_goes_on(where: Place) -> None:
    """It begins with the labels and the taint that the test before left."""
    cluster, site = where.cluster, where.cluster.site
    assert ours((await cluster.nodes())[NODE])[0] == "NoSchedule"
    await where.allow_edits(allowed=False)

    async def sick(name: str) -> bool:
        return ours((await cluster.nodes())[name])[1] == "False"

    async def clean() -> bool:
        kept = {NODE: {LEAF: "theirs"}}
        return all(ours(node)[::2] == (None, kept.get(name, {})) for name, node in (await cluster.nodes()).items())

    async with controller(where, NodeMarks()) as watched:
        await cluster.sweep()
        await watched.swept(1)
        site.cut = set(site.host_cables("node-00004")[:1])
        await until(lambda: sick("node-00004"), cluster.sweep)
        assert not await clean()
        await where.allow_edits(allowed=True)
        await until(clean, cluster.sweep)
        await watched.settled()
        before = where.plane.audit.size()
        watched.seen = len(watched.decisions)
        await cluster.sweep()
        await watched.until(lambda _: True)
        assert where.writes(before) == []


@asynccontextmanager
async def watching(where: Place) -> AsyncIterator[list[Node]]:
    """Every form that any Node took, in order."""
    seen: list[Node] = []
    version = (await where.cluster.client.list(NODES)).resource_version

    def note(event: WatchEvent[Node]) -> None:
        if isinstance(event, Put):
            seen.append(event.item)

    async def watch() -> None:
        async with aclosing(where.cluster.client.watch(NODES, version)) as events:
            async for event in events:
                note(event)

    task = asyncio.create_task(watch())
    try:
        yield seen
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
