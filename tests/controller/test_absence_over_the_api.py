"""In the API too: what vanishes there, or is lost on the fabric, takes nothing out of a HyperNode."""

from __future__ import annotations

from kube.hypernode import HyperNodeSpec
from kube.types import SWITCH_REPORTS, ObjectMeta
from tests.controller.cluster import Cluster, Watched, controller

A, B, ROOT = "ib-leaf-cf-leaf-001", "ib-leaf-cf-leaf-002", "ib-spine-cf-spine-001"


async def begin(cluster: Cluster, watched: Watched) -> dict[str, HyperNodeSpec]:
    """The first sweep, written, and a look that found nothing more to do."""
    await cluster.sweep()
    await watched.swept(1)
    await watched.settled()
    return await specs(cluster)


async def specs(cluster: Cluster) -> dict[str, HyperNodeSpec]:
    return {name: found.spec for name, found in (await cluster.hyper_nodes()).items()}


def hyper_node_writes(cluster: Cluster) -> list[tuple[str, str]]:
    """Those of the objects themselves, not of their statuses."""
    return [request for request in cluster.writes() if "/hypernodes" in request[1] and "/status" not in request[1]]


async def test_deleted_switch_reports_change_no_hyper_node_and_neither_do_those_that_come_back(
    cluster: Cluster,
) -> None:
    async with controller(cluster) as watched:
        before = await begin(cluster, watched)
        cluster.requests.clear()
        for name in sorted(cluster.site.reported)[:-1]:
            watched.seen = len(watched.decisions)
            await cluster.client.delete(SWITCH_REPORTS, ObjectMeta(name=name))
            await watched.until(lambda _: True)
        assert await specs(cluster) == before
        await cluster.sweep()
        await watched.swept(2)
        await watched.settled()
        assert await specs(cluster) == before
        assert hyper_node_writes(cluster) == []


async def test_a_unit_without_uplinks_stays_below_its_spines_and_is_not_ready(cluster: Cluster) -> None:
    async with controller(cluster) as watched:
        before = await begin(cluster, watched)
        site = cluster.site
        site.cut.update(row for switch in site.named("leaf-002") for row in site.uplinks(switch))
        await cluster.sweep()
        await watched.swept(2)
        await watched.settled()
        found = await cluster.hyper_nodes()
    ready = found[B].condition("Ready")
    assert ready is not None
    assert (ready.status, found[B].metadata.annotations["hyperscout.io/links"]) == ("False", "4/10")
    assert {name: one.spec for name, one in found.items()} == before
    cluster.requests.clear()
    async with controller(cluster) as watched:
        await watched.until(lambda decision: decision.outcome is not None)
        await cluster.sweep()
        await watched.swept(3)
        await watched.settled()
        assert await specs(cluster) == before
    assert hyper_node_writes(cluster) == []


async def test_a_recabled_host_moves_with_the_third_whole_sweep(cluster: Cluster) -> None:
    async with controller(cluster) as watched:
        before = await begin(cluster, watched)
        cluster.site.exchange("node-00000", "node-00003")
        for number, outcome in enumerate(["Partial", "Complete", "Complete"], start=2):
            cluster.site.outcome = outcome
            await cluster.sweep()
            await watched.swept(number)
            assert await specs(cluster) == before
        await cluster.sweep()
        await watched.swept(5)
        await watched.settled()
        after = await cluster.hyper_nodes()
    members = {
        name: [found.selector.exact_match.name for found in after[name].spec.members if found.selector.exact_match]
        for name in (A, B, ROOT)
    }
    assert members == {
        A: ["node-00001", "node-00002", "node-00003"],
        B: ["node-00000", "node-00004", "node-00005"],
        ROOT: [A, B],
    }
