"""Ethernet fabrics from reports in the API to HyperNodes, conditions, placements and Events in the API."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.conclusion.standing import ASSUMED
from kube.types import NODE_REPORTS
from tests.controller.cluster import QUICK, Cluster, controller
from tests.controller.ethernet.sites import HOSTS_ONLY, SWEPT
from topology.synth.ethernet import Voices

A, B = "eth-leaf-cf-leaf-001", "eth-leaf-cf-leaf-002"
AT_ONCE = replace(QUICK, times=replace(QUICK.times, cold_start=0.1, look_again=0.2))
"""Where nobody sweeps, the time for a first complete view is waited for."""


@pytest.mark.parametrize(
    ("voices", "root", "links"),
    [(SWEPT, "eth-spine-cf-spine-001", "0/10"), (HOSTS_ONLY, "eth-spine-root", "0/6"),
     (Voices(bonds=True, switches_told=False), "eth-spine-root", "0/6")],
)  # fmt: skip
async def test_reports_become_a_tree(cluster: Cluster, voices: Voices, root: str, links: str) -> None:
    cluster.site.voices = voices
    await cluster.sweep()
    async with controller(cluster, AT_ONCE) as watched:
        await watched.until(lambda decision: decision.outcome is not None and len(decision.outcome.desired) == 3)
        await watched.settled()
        found = await cluster.hyper_nodes()
        assert {name: (h.spec.tier, h.spec.tier_name, h.status.node_count) for name, h in found.items()} == {
            A: (2, "leaf", 3),
            B: (2, "leaf", 3),
            root: (3, "spine", 6),
        }
        assert found[root].metadata.annotations.get(ASSUMED) == (None if voices.switches_told else "true")
        assert found[A].metadata.annotations["hyperscout.io/links"] == links
        report = await cluster.client.get(NODE_REPORTS, cluster.site.nodes[0])
        assert report.status.hyperNode == A


async def test_a_cut_cable_is_told_and_a_host_that_nobody_hears_stays(cluster: Cluster) -> None:
    cluster.site.voices = SWEPT
    first = cluster.site.nodes[0]
    await cluster.sweep()
    async with controller(cluster, AT_ONCE) as watched:
        await watched.swept(1)
        await watched.settled()
        cluster.site.cut = set(cluster.site.host_cables(first))
        await cluster.sweep()
        decision = await watched.until(
            lambda decision: decision.outcome is not None and decision.outcome.health.nodes[first].reason == "LinksDown"
        )
        assert decision.outcome is not None
        assert {found.name for found in decision.outcome.desired} == {A, B, "eth-spine-cf-spine-001"}
    node = (await cluster.nodes())[first].condition("FabricHealthy")
    assert node is not None
    assert (node.status, node.reason) == ("False", "LinksDown")
    members = {member.selector.exact_match.name for member in (await cluster.hyper_nodes())[A].spec.members
               if member.selector.exact_match}  # fmt: skip
    assert members == set(cluster.site.nodes[:3])
