"""More nodes are unhealthy than may be tainted: one Event says so, and the taints stay within the limits."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from controller.settings import NodeMarks, Times
from tests.controller.cluster import QUICK, Cluster, controller

A = "ib-leaf-cf-leaf-001"
TAINT = "hyperscout.io/fabric-unhealthy"
SETTINGS = replace(
    QUICK,
    times=Times(report_period=0.5, sweep_period=0.5, node_hold=3600.0, link_hold=0.0),
    nodes=NodeMarks(taint="NoSchedule"),
)


async def tainted(cluster: Cluster) -> list[str]:
    nodes = await cluster.nodes()
    return [name for name, node in nodes.items() if any(taint.key == TAINT for taint in node.spec.taints)]


async def test_a_tenth_is_tainted_and_one_event_tells_of_the_rest(cluster: Cluster) -> None:
    """Three nodes a leaf, six in the cluster: one may be tainted in all, and the others wait for their turn."""
    site = cluster.site
    async with controller(cluster, SETTINGS) as watched:
        await cluster.sweep()
        await watched.swept(1)
        for name in ("node-00001", "node-00002", "node-00004"):
            site.cut.add(site.host_cables(name)[0])
        async with asyncio.timeout(15):
            while len(await tainted(cluster)) < 1 or not await limits(cluster):
                await cluster.sweep()
        assert await tainted(cluster) == ["node-00001"]
        assert await limits(cluster) == [
            ("Node", "node-00002", "the cluster has 1 of 6 nodes tainted, and no more may be: "
            "node-00002, node-00004 are unhealthy and not tainted")
        ]  # fmt: skip
        site.cut -= set(site.host_cables("node-00001"))
        async with asyncio.timeout(15):
            while await tainted(cluster) != ["node-00002"]:
                await cluster.sweep()
        await cluster.sweep()
        await watched.swept(site.sequence)
        assert len(await limits(cluster)) == 1


async def limits(cluster: Cluster) -> list[tuple[str, str, str]]:
    """Events about it: kind and name of the object, and the message."""
    found = [event for event in await cluster.events() if event.reason == "TaintLimitReached"]
    return [(event.involved_object.kind, event.involved_object.name, event.message) for event in found]
