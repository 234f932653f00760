"""From reports in the API to HyperNodes, conditions, Node conditions, placements and Events in the API."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from controller.settings import Times
from kube.requests import FieldManager, Patch
from kube.types import HYPER_NODES, NODE_REPORTS, NODES, ObjectMeta
from tests.controller.cluster import NOON, QUICK, Cluster, Watched, controller

A, B, ROOT = "ib-leaf-cf-leaf-001", "ib-leaf-cf-leaf-002", "ib-spine-cf-spine-001"
NODE_NAMES = [f"node-0000{number}" for number in range(6)]


async def begin(cluster: Cluster, watched: Watched) -> None:
    """The first sweep, written, and a look that found nothing more to do."""
    await cluster.sweep()
    await watched.swept(1)
    await watched.settled()


async def test_reports_become_a_tree_with_conditions_and_placements(cluster: Cluster) -> None:
    async with controller(cluster) as watched:
        await begin(cluster, watched)
    found = await cluster.hyper_nodes()
    assert {name: (h.spec.tier, h.spec.tier_name, h.status.node_count) for name, h in found.items()} == {
        A: (2, "leaf", 3),
        B: (2, "leaf", 3),
        ROOT: (3, "spine", 6),
    }
    for hyper_node in found.values():
        assert {c.type: c.status for c in hyper_node.status.conditions} == {
            "Ready": "True",
            "LinksHealthy": "True",
            "CablingConsistent": "True",
            "EvidenceFresh": "Unknown",
        }
        assert {c.last_transition_time for c in hyper_node.status.conditions} == {NOON}
    assert found[A].metadata.annotations == {"hyperscout.io/links": "0/10"}
    healthy = [node.condition("FabricHealthy") for node in (await cluster.nodes()).values()]
    assert [found is not None and found.status for found in healthy] == ["True"] * 6
    report = await cluster.client.get(NODE_REPORTS, NODE_NAMES[0])
    assert report.status.hyperNode == A
    assert [(c.type, c.status, c.reason) for c in report.status.conditions] == [("Placed", "True", "InHyperNode")]
    assert await cluster.events() == []


async def test_nothing_is_written_before_the_first_complete_view(cluster: Cluster) -> None:
    cluster.site.outcome = "Partial"
    await cluster.sweep()
    async with controller(cluster) as watched:
        await watched.until(lambda decision: decision.outcome is None)
    assert not [path for _, path in cluster.writes() if "hypernodes" in path]


async def test_a_cut_cable_turns_conditions_and_is_told_and_mending_turns_them_back(cluster: Cluster) -> None:
    async with controller(cluster) as watched:
        await begin(cluster, watched)
        cluster.now = NOON + timedelta(minutes=1)
        cluster.site.cut.add(cluster.site.host_cables(NODE_NAMES[0])[1])
        await cluster.sweep()
        await watched.swept(2)
        await watched.settled()
        cut = (await cluster.hyper_nodes())[A]
        lost = {event.involved_object.name: event for event in await cluster.events()}
        node = (await cluster.nodes())[NODE_NAMES[0]]
        cluster.now = NOON + timedelta(minutes=2)
        cluster.site.cut.clear()
        await cluster.sweep()
        await watched.swept(3)
        await watched.settled()
        mended = (await cluster.hyper_nodes())[A]
    healthy, ready = cut.condition("LinksHealthy"), cut.condition("Ready")
    assert healthy is not None
    assert ready is not None
    assert (healthy.status, healthy.reason) == ("False", "LinksDown")
    assert healthy.last_transition_time == NOON + timedelta(minutes=1)
    assert (ready.status, ready.last_transition_time) == ("True", NOON)
    assert cut.metadata.annotations["hyperscout.io/links"] == "1/10"
    assert {name: (event.type, event.reason) for name, event in lost.items()} == {
        A: ("Warning", "LinksDown"),
        NODE_NAMES[0]: ("Warning", "LinksDown"),
    }
    fabric = node.condition("FabricHealthy")
    assert fabric is not None
    assert fabric.status == "False"
    healthy = mended.condition("LinksHealthy")
    assert healthy is not None
    assert (healthy.status, healthy.last_transition_time) == ("True", NOON + timedelta(minutes=2))
    assert mended.spec == cut.spec
    assert [event.type for event in await cluster.events()].count("Normal") == 2


async def test_another_sweep_and_a_restart_write_nothing(cluster: Cluster) -> None:
    async with controller(cluster) as watched:
        cluster.site.cut.add(cluster.site.host_cables(NODE_NAMES[4])[0])
        await begin(cluster, watched)
        cluster.requests.clear()
        await cluster.sweep()
        before = cluster.writes()
        await watched.swept(2)
        assert cluster.writes() == before
    cluster.requests.clear()
    async with controller(cluster) as watched:
        await watched.until(lambda decision: decision.outcome is not None)
    assert cluster.writes() == []
    assert {method for method, _ in cluster.requests} == {"GET"}


async def test_a_node_that_is_deleted_and_returns_changes_nothing(cluster: Cluster) -> None:
    async with controller(cluster) as watched:
        await begin(cluster, watched)
        before = {name: found.metadata.resource_version for name, found in (await cluster.hyper_nodes()).items()}
        await cluster.client.delete(NODES, ObjectMeta(name=NODE_NAMES[2]))
        await watched.until(lambda decision: NODE_NAMES[2] in decision.memory.held)
        await cluster.join()
        await watched.until(lambda decision: not decision.memory.held)
        after = {name: found.metadata.resource_version for name, found in (await cluster.hyper_nodes()).items()}
    assert after == before


async def test_a_node_that_stays_away_is_removed_when_its_hold_is_over(cluster: Cluster) -> None:
    async with controller(cluster, replace(QUICK, times=Times(node_hold=0.0))) as watched:
        await begin(cluster, watched)
        cluster.site.nodes.remove(NODE_NAMES[2])
        await cluster.client.delete(NODES, ObjectMeta(name=NODE_NAMES[2]))
        await watched.until(lambda decision: NODE_NAMES[2] in decision.memory.held)
        await watched.settled()
        found = await cluster.hyper_nodes()
    names = [member.selector.exact_match.name for member in found[A].spec.members if member.selector.exact_match]
    assert names == NODE_NAMES[:2]
    assert [found[name].status.node_count for name in (A, B, ROOT)] == [2, 3, 5]


async def test_what_others_edit_is_put_right_and_what_they_add_is_left(cluster: Cluster) -> None:
    member = {"type": "Node", "selector": {"exactMatch": {"name": "elsewhere"}}}
    theirs = {
        "type": "Theirs", "status": "True", "reason": "Because", "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    async with controller(cluster) as watched:
        await begin(cluster, watched)
        conditions = [*(await cluster.client.get_document(HYPER_NODES, A))["status"]["conditions"], theirs]
        await cluster.client.patch(HYPER_NODES, A, Patch({"status": {"conditions": conditions}}, subresource="status"))
        edit = {"spec": {"tier": 2, "members": [member]}, "metadata": {"name": A, "annotations": {"team": "ml"}}}
        await cluster.client.apply(HYPER_NODES, edit, FieldManager("somebody", force=True))
        await watched.until(lambda d: d.outcome is not None and set(d.outcome.standing) != set(d.outcome.desired))
        await watched.settled()
        found = (await cluster.hyper_nodes())[A]
    assert [m.selector.exact_match.name for m in found.spec.members if m.selector.exact_match] == NODE_NAMES[:3]
    assert found.metadata.annotations["team"] == "ml"
    assert found.condition("Theirs") is not None


@pytest.mark.parametrize("count", [99])
async def test_volcanos_count_of_members_starts_nothing(cluster: Cluster, count: int) -> None:
    async with controller(cluster) as watched:
        await begin(cluster, watched)
        await cluster.client.patch(HYPER_NODES, A, Patch({"status": {"nodeCount": count}}, subresource="status"))
        cluster.requests.clear()
        await cluster.sweep()
        before = cluster.writes()
        await watched.swept(2)
        assert cluster.writes() == before
        assert (await cluster.hyper_nodes())[A].status.node_count == count


async def test_a_controller_that_starts_puts_a_count_right_that_another_left_behind(cluster: Cluster) -> None:
    async with controller(cluster) as watched:
        await begin(cluster, watched)
    await cluster.client.patch(HYPER_NODES, ROOT, Patch({"status": {"nodeCount": 5}}, subresource="status"))
    async with controller(cluster) as watched:
        await watched.settled()
        assert (await cluster.hyper_nodes())[ROOT].status.node_count == 6


async def test_a_dead_spine_is_told_once_at_the_switch(cluster: Cluster) -> None:
    async with controller(cluster) as watched:
        await begin(cluster, watched)
        cluster.site.kill(cluster.site.spines()[0])
        await cluster.sweep()
        await watched.swept(2)
        await watched.settled()
        events = await cluster.events()
    about = [(event.involved_object.kind, event.reason) for event in events]
    assert about.count(("SwitchReport", "SwitchLost")) == 1
    assert "lost 4 links" in next(event.message for event in events if event.reason == "SwitchLost")
    assert not [event for event in events if event.message.startswith("LinksHealthy")]


async def test_a_dead_leaf_is_told_at_the_switch_and_not_by_every_node_below(cluster: Cluster) -> None:
    site = cluster.site
    leaf = site.switches_of(NODE_NAMES[0])[0]
    async with controller(cluster) as watched:
        await begin(cluster, watched)
        upper, lower = site.drawing.cables.upper.tolist(), site.drawing.cables.lower.tolist()
        site.cut |= {row for row in range(len(upper)) if leaf in (upper[row], lower[row])}
        await cluster.sweep()
        await watched.swept(2)
        await watched.settled()
        nodes = await cluster.nodes()
        site.cut.clear()
        await cluster.sweep()
        await watched.swept(3)
        await watched.settled()
    conditions = [nodes[name].condition("FabricHealthy") for name in NODE_NAMES[:3]]
    assert [found.status for found in conditions if found is not None] == ["False"] * 3
    about = [(event.involved_object.kind, event.reason) for event in await cluster.events()]
    assert about.count(("SwitchReport", "SwitchLost")) == 1
    assert "Node" not in {kind for kind, _ in about}
