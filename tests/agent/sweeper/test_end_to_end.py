"""From cables that ibsim plays to HyperNodes: real ibnetdiscover and perfquery, the real sweeper and controller."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace

import pytest

from controller.settings import Times
from kube.types import NODES, HyperNode
from tests.agent.sweeper.ibsim import Fabric, simulated
from tests.agent.sweeper.played import Reported, draw, drawn_net, infiniband, raised, sweeping
from tests.controller.cluster import QUICK, SITE, Cluster, Watched, controller

LEAF = "S-2c5eab0ff46f9759"
UPLINK = f'"{LEAF}"[17]'
HOSTS = draw().hosts
SILENT = "H-2c5eab0ffa28a577"
"""The adapter of the fourth host, on port 4 of that leaf."""
DOMAIN = "ib-leaf-cf-leaf-001"
"""The HyperNode of that leaf: 16 links of hosts and 2 uplinks are its own."""

HOLD = 1.0
"""Seconds that a link has to be up again before it is well."""


@pytest.fixture(scope="module")
def fabric(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fabric]:
    """One for all tests of the file; each leaves it mended."""
    folder = tmp_path_factory.mktemp("ibsim")
    with simulated(drawn_net(folder), folder) as fabric:
        fabric.route()
        yield fabric


@dataclass(slots=True)
class Site:
    """The fabric as it is reported and concluded."""

    cluster: Cluster
    watched: Watched
    reported: Reported

    async def domain(self) -> HyperNode:
        return (await self.cluster.hyper_nodes())[DOMAIN]

    async def two_sweeps(self) -> None:
        """Until the controller knows the second sweep from now on; the first may have been under way."""
        await self.watched.swept((await self.reported.sweep()).sequence + 2)

    async def told(self, reason: str, node: str | None = None) -> None:
        """Until the domain, or a node, is not well for this reason; none: until it is well."""
        async with asyncio.timeout(60):
            while True:
                if await self.unwell(node) == reason:
                    return
                await asyncio.sleep(0.05)

    async def unwell(self, node: str | None = None) -> str:
        """The reason for which the domain, or a node, is not well; none: it is."""
        found = (await self.cluster.nodes())[node].condition("FabricHealthy") if node else None
        condition = found if node else (await self.domain()).condition("LinksHealthy")
        return condition.reason if condition is not None and condition.status != "True" else ""

    async def events(self) -> set[tuple[str, str, str]]:
        """What is told of whom."""
        return {(event.involved_object.name, event.type, event.reason) for event in await self.cluster.events()}


@asynccontextmanager
async def site(fabric: Fabric, *, counters: bool = False, hold: float = 0.0) -> AsyncIterator[Site]:
    """Nodes without agents, the sweeper and the controller; the tree stands."""
    settings = replace(QUICK, times=Times(node_hold=3600.0, link_hold=hold, look_again=0.2))
    async with raised() as cluster:
        for name in HOSTS:
            await cluster.client.apply(NODES, {"metadata": {"name": name}}, SITE)
        async with (
            sweeping(cluster.client, fabric, infiniband(fabric, counters=counters)),
            controller(cluster, settings) as watched,
        ):
            await watched.until(lambda decision: decision.outcome is not None)
            await watched.settled()
            yield Site(cluster, watched, Reported(cluster.client))


async def test_64_hosts_under_three_tiers_of_switches_become_hyper_nodes(fabric: Fabric) -> None:
    async with site(fabric) as one:
        found = await one.cluster.hyper_nodes()
        tiers = Counter((hyper_node.spec.tier_name, hyper_node.status.node_count) for hyper_node in found.values())
        assert tiers == {("leaf", 16): 4, ("spine", 32): 2, ("core", 64): 1}
        sweep = await one.reported.sweep()
        assert (sweep.outcome, sweep.switches, sweep.hosts, sweep.reasons) == ("Complete", 12, 64, ())
        assert {name: await one.unwell() for name in found} == dict.fromkeys(found, "")


async def test_a_cut_uplink_and_a_cut_host_are_told_within_two_sweeps_and_mending_clears_them(fabric: Fabric) -> None:
    clock = asyncio.get_running_loop().time
    async with site(fabric, hold=HOLD) as one:
        before = await one.cluster.hyper_nodes()
        fabric.tell(f"Unlink {UPLINK}")
        fabric.tell(f'Unlink "{LEAF}"[1]')
        try:
            await one.two_sweeps()
            assert await one.unwell() == "LinksDown"
            assert (await one.domain()).metadata.annotations["hyperscout.io/links"] == "2/18"
            assert await one.unwell(HOSTS[0]) == "LinksDown"
            assert {(DOMAIN, "Warning", "LinksDown"), (HOSTS[0], "Warning", "LinksDown")} <= await one.events()
            after = await one.cluster.hyper_nodes()
            assert {name: found.spec for name, found in after.items()} == {
                name: found.spec for name, found in before.items()
            }
        finally:
            mended = clock()
            fabric.tell(f"ReLink {UPLINK}")
            fabric.tell(f'ReLink "{LEAF}"[1]')
            fabric.route()
        await one.told("")
        await one.told("", HOSTS[0])
        assert clock() - mended >= HOLD
        assert (DOMAIN, "Normal", "AllLinksUp") in await one.events()


async def test_symbol_errors_on_an_uplink_degrade_its_domain_until_they_end(fabric: Fabric) -> None:
    async with site(fabric, counters=True) as one:
        errors = 1

        async def rising() -> None:
            nonlocal errors
            while True:
                errors += 50
                fabric.tell(f"PerformanceSet {UPLINK} PortCounters.SymbolErrorCounter={errors}")
                await asyncio.sleep(0.1)

        task = asyncio.create_task(rising())
        await one.told("LinksDegraded")
        assert (await one.domain()).metadata.annotations["hyperscout.io/links"] == "1/18"
        reports = await one.reported.switches()
        ports = {(report.guid, port.number, port.verdict, port.reason) for report in reports.values()
                 for port in report.ports if port.verdict != "Up"}  # fmt: skip
        assert ports == {(LEAF.removeprefix("S-"), 17, "Degraded", "SymbolErrors")}
        assert (DOMAIN, "Warning", "LinksDegraded") in await one.events()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        await one.told("")


async def test_lost_datagrams_and_a_silent_adapter_hide_nothing_and_take_nothing_away(fabric: Fabric) -> None:
    silent, host = f'"{SILENT}"[1]', f'"{LEAF}"[1]'
    async with site(fabric) as one:
        specs = {name: found.spec for name, found in (await one.cluster.hyper_nodes()).items()}
        before = await one.reported.switches()
        fabric.tell(f"Error {silent} 100")
        fabric.tell(f'Error "{LEAF}"[18] 30')
        try:
            told = await one.reported.sweep(lambda report: bool(report.reasons))
            assert "no answer behind port 4 of MF0;cf-leaf-001" in " ".join(told.reasons)
            for _ in range(4):
                await one.two_sweeps()
                assert await one.reported.switches() == before
            fabric.tell(f"Unlink {host}")
            await one.two_sweeps()
            await one.told("LinksDown", HOSTS[0])
            assert (await one.domain()).metadata.annotations["hyperscout.io/links"] == "1/18"
            assert await one.unwell(HOSTS[3]) == ""
            after = {name: found.spec for name, found in (await one.cluster.hyper_nodes()).items()}
            assert after == specs
        finally:
            for command in (f"Error {silent} 0", f'Error "{LEAF}"[18] 0', f"ReLink {host}"):
                fabric.tell(command)
            fabric.route()
