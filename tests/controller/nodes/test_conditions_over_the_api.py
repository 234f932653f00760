"""FabricHealthy on Nodes, beside the conditions that others write, and when nobody knows its links any more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from discovery.reports import NvLink
from kube.requests import Patch, PatchKind
from kube.types import HYPER_NODES, NODE_REPORTS, NODES, NodeCondition, ObjectMeta
from tests.controller.cluster import Cluster, controller
from tests.controller.nodes.real import until

NODE = "node-00000"
RACK = "0a0b0c0d-0000-4000-8000-000000000001"


async def condition(cluster: Cluster, name: str) -> NodeCondition | None:
    return (await cluster.nodes())[name].condition("FabricHealthy")


async def says(cluster: Cluster, status: str, reason: str) -> bool:
    found = await condition(cluster, NODE)
    return found is not None and (found.status, found.reason) == (status, reason)


async def healthy(cluster: Cluster) -> bool:
    return await says(cluster, "True", "AllLinksUp")


async def say(cluster: Cluster, name: str, **condition: str) -> None:
    """A condition of a Node, as its kubelet or a detector of problems writes them."""
    body = {"status": {"conditions": [condition]}}
    await cluster.client.patch(NODES, name, Patch(body, PatchKind.STRATEGIC, "", "status"))


async def test_a_node_without_any_known_link_is_not_called_healthy_or_unhealthy_for_ever(cluster: Cluster) -> None:
    """A node that never had one gets no condition at all."""
    await cluster.client.create(NODES, {"metadata": {"name": "plain"}})
    await cluster.client.create(NODES, {"metadata": {"name": "stripped"}})
    await say(cluster, "stripped", type="FabricHealthy", status="False", reason="LinksDown", message="2 of 2")
    async with controller(cluster) as watched:
        await cluster.sweep()
        await watched.swept(1)
        await watched.settled()
        found = await condition(cluster, "stripped")
        assert found is not None
        assert (found.status, found.reason) == ("Unknown", "NoLinks")
        assert await condition(cluster, "plain") is None
        cluster.requests.clear()
        await cluster.sweep()
        before = cluster.writes()
        await watched.swept(2)
        assert cluster.writes() == before


@pytest.mark.parametrize("reports", [True, False])
async def test_a_node_that_others_hold_is_not_judged_until_they_let_it_go(cluster: Cluster, reports: bool) -> None:
    """Also one that only sweeps know of."""
    member = {"type": "Node", "selector": {"exactMatch": {"name": NODE}}}
    async with controller(cluster) as watched:
        await cluster.sweep()
        if not reports:
            await cluster.client.delete(NODE_REPORTS, ObjectMeta(name=NODE))
        await watched.swept(1)
        await until(lambda: healthy(cluster))
        theirs = {"metadata": {"name": "theirs"}, "spec": {"tier": 1, "members": [member]}}
        await cluster.client.create(HYPER_NODES, theirs)
        await until(lambda: says(cluster, "Unknown", "ForeignHyperNode"))
        found = await condition(cluster, NODE)
        assert found is not None
        assert found.message == "HyperNode theirs, which is not ours, holds it"
        await cluster.client.delete(HYPER_NODES, ObjectMeta(name="theirs"))
        await until(lambda: healthy(cluster))


async def test_what_others_make_of_our_condition_is_put_right_and_theirs_stay(cluster: Cluster) -> None:
    async with controller(cluster) as watched:
        await cluster.sweep()
        await watched.swept(1)
        await watched.settled()
        await say(cluster, NODE, type="Ready", status="True", reason="KubeletReady", message="it is")
        await say(cluster, NODE, type="FabricHealthy", status="False", reason="Because", message="somebody said so")
        await until(lambda: healthy(cluster))
        node = (await cluster.nodes())[NODE]
        assert sorted(one.type for one in node.status.conditions) == ["FabricHealthy", "Ready"]


async def test_an_unhealthy_gpu_is_told_once_at_its_node_and_once_when_it_is_well_again(cluster: Cluster) -> None:
    """And the node stays where it is."""
    well = NvLink(clusterUuid=RACK, cliqueId=1, state="Completed", healthSummary="Healthy", gpus=4, unhealthyGpus=0)
    sick = replace(well, healthSummary="Unhealthy", unhealthyGpus=1, reason="GPU 2: unhealthy route")

    async def events() -> list[tuple[str, str]]:
        found = [one for one in await cluster.events() if one.involved_object.name == NODE]
        return sorted((one.type, one.reason) for one in found)

    cluster.site.nvlink = {NODE: well}
    async with controller(cluster) as watched:
        await cluster.sweep()
        await watched.swept(1)
        await until(lambda: healthy(cluster))
        members = {name: found.spec.members for name, found in (await cluster.hyper_nodes()).items()}
        for nvlink in (sick, replace(sick, unhealthyGpus=2), NvLink(state="InProgress"), sick):
            cluster.site.nvlink = {NODE: nvlink}
            await cluster.publish()
        await until(lambda: says(cluster, "False", "NvLinkUnhealthy"))
        await watched.settled()
        assert await events() == [("Warning", "NvLinkUnhealthy")]
        cluster.site.nvlink = {NODE: well}
        await cluster.publish()
        await until(lambda: healthy(cluster))
        await watched.settled()
        assert await events() == [("Normal", "AllLinksUp"), ("Warning", "NvLinkUnhealthy")]
        assert {name: found.spec.members for name, found in (await cluster.hyper_nodes()).items()} == members
