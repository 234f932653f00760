"""A second fabric that appears changes nothing of the first; one that vanishes keeps its HyperNodes while its Nodes are
there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import msgspec
import pytest

from controller.conclusion.memory import Memory
from controller.decide import Outcome, decide
from controller.settings import ControllerSettings
from controller.snapshot import Snapshot
from discovery.reports import SWEEPER_LABEL, NvLink
from kube.types import HyperNode, NodeReportObject
from tests.controller.looking import as_objects, chains, members
from tests.controller.site import TREE, Site, meta
from topology.synth.spec import HDR, XDR, Unit
from topology.synth.tree import draw_tree

FIRST, SECOND = "sweeper-a", "sweeper-b"
RACK = "0a0b0c0d-0000-4000-8000-000000000001"
NODES = tuple(f"node-0000{number}" for number in range(6))
GPUS = tuple(f"gpu-0000{number}" for number in range(6))


def apart() -> Site:
    """Another fabric with other hosts."""
    return Site(drawing=draw_tree(replace(TREE, name="df", host_prefix="gpu-", number=1)))


def beside(*, faster: bool) -> Site:
    """Another fabric of the same hosts: one slower adapter each, or four faster ones."""
    hardware, adapters = (XDR, 4) if faster else (HDR, 1)
    units = (Unit(hosts=6, adapters=adapters),)
    spec = replace(TREE, name="st", units=units, hardware=hardware, first_device=2, number=1, spines=1)
    return Site(drawing=draw_tree(spec))


@dataclass(slots=True)
class Fabrics:
    """Several fabrics of one cluster, each with a sweeper of its own; a sweeper that is gone has left no report."""

    sites: dict[str, Site] = field(default_factory=lambda: {FIRST: Site()})
    without_sweep: set[str] = field(default_factory=set)
    without_switches: set[str] = field(default_factory=set)
    memory: Memory = field(default_factory=lambda: Memory(started=0.0))
    objects: tuple[HyperNode, ...] = ()

    def snapshot(self) -> Snapshot:
        parts = {name: site.snapshot() for name, site in self.sites.items()}
        swept = {name: part for name, part in parts.items() if name not in self.without_sweep}
        told = {name: part for name, part in parts.items() if name not in self.without_switches}
        return Snapshot(
            nodes=tuple({node.metadata.name: node for part in parts.values() for node in part.nodes}.values()),
            node_reports=merged(report for part in parts.values() for report in part.node_reports),
            switch_reports=tuple(
                msgspec.structs.replace(report, metadata=meta(report.metadata.name, {SWEEPER_LABEL: name}))
                for name, part in told.items()
                for report in part.switch_reports
            ),
            sweeps=tuple(
                msgspec.structs.replace(sweep, metadata=meta(name))
                for name, part in swept.items()
                for sweep in part.sweeps
            ),
            hyper_nodes=self.objects,
        )

    def sweep_and_write(self, now: float = 1.0) -> Outcome:
        for site in self.sites.values():
            site.sweep()
        decision = decide(self.memory, self.snapshot(), now, ControllerSettings())
        self.memory = decision.memory
        assert decision.outcome is not None
        self.objects = as_objects(decision.outcome.desired)
        return decision.outcome


def merged(reports: Iterable[NodeReportObject]) -> tuple[NodeReportObject, ...]:
    """One report a node, with the ports of all fabrics."""
    found: dict[str, NodeReportObject] = {}
    for report in reports:
        known = found.get(report.metadata.name)
        ports = (*known.spec.ports, *report.spec.ports) if known is not None else report.spec.ports
        found[report.metadata.name] = msgspec.structs.replace(report, spec=replace(report.spec, ports=ports))
    return tuple(found.values())


def test_a_second_fabric_with_other_hosts_gets_a_root_of_its_own() -> None:
    fabrics = Fabrics()
    alone = chains(fabrics.sweep_and_write())
    fabrics.sites[SECOND] = apart()
    both = chains(fabrics.sweep_and_write())
    assert {node: both[node] for node in NODES} == alone
    assert {both[node][-1] for node in NODES}.isdisjoint({both[node][-1] for node in GPUS})
    assert {len(both[node]) for node in GPUS} == {2}


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("faster", [False, True])
def test_a_second_fabric_of_the_same_hosts_moves_none_of_them(faster: bool, restarted: bool) -> None:
    fabrics = Fabrics()
    alone = chains(fabrics.sweep_and_write())
    fabrics.sites[SECOND] = beside(faster=faster)
    for _ in range(5):
        if restarted:
            fabrics.memory = Memory(started=0.0)
        assert chains(fabrics.sweep_and_write()) == alone


def test_of_two_fabrics_that_are_new_the_faster_one_makes_the_tree() -> None:
    fabrics = Fabrics({FIRST: Site(), SECOND: beside(faster=True)})
    roots = {chain[-1] for chain in chains(fabrics.sweep_and_write()).values()}
    assert ["-st-" in root for root in roots] == [True]


@pytest.mark.parametrize("restarted", [False, True])
def test_a_rack_that_draws_nodes_out_of_the_faster_fabric_takes_no_others_along(restarted: bool) -> None:
    """Three of six nodes have faster ports too; the NVLink domain of five draws two of the three to the slower ones."""
    slow, fast = Site(), beside(faster=True)
    slow.nvlink = fast.nvlink = {node: NvLink(clusterUuid=RACK, cliqueId=1, state="Completed") for node in NODES[1:]}
    fast.nodes = list(NODES[:3])
    fast.cut = {row for node in NODES[3:] for row in fast.host_cables(node)}
    fabrics = Fabrics({FIRST: slow, SECOND: fast})
    first = fabrics.sweep_and_write().desired
    assert len({document.name.partition("-")[0] for document in first}) == 2
    for _ in range(5):
        if restarted:
            fabrics.memory = Memory(started=0.0)
        assert fabrics.sweep_and_write().desired == first


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("reports_too", [False, True])
def test_a_fabric_whose_sweeper_is_gone_for_good_keeps_its_hyper_nodes(restarted: bool, reports_too: bool) -> None:
    fabrics = Fabrics({FIRST: Site(), SECOND: apart()})
    both = members(fabrics.sweep_and_write())
    fabrics.without_sweep.add(SECOND)
    if reports_too:
        fabrics.without_switches.add(SECOND)
    for turn in range(6):
        if restarted:
            fabrics.memory = Memory(started=float(turn))
        assert members(fabrics.sweep_and_write(now=turn + 601.0)) == both


def test_a_fabric_whose_switches_are_all_missing_stays_until_its_nodes_are_deleted() -> None:
    fabrics = Fabrics({FIRST: Site(), SECOND: apart()})
    both = members(fabrics.sweep_and_write())
    gone = fabrics.sites[SECOND]
    for switch in [*gone.named("leaf"), *gone.named("spine")]:
        gone.kill(switch)
    for _ in range(7):
        assert members(fabrics.sweep_and_write()) == both
    gone.nodes = gone.nodes[:1]
    assert members(fabrics.sweep_and_write(now=10.0)) == both
    left = members(fabrics.sweep_and_write(now=611.0))
    assert {node for listed in left.values() for node in listed if node.startswith("gpu-")} == {GPUS[0]}
    assert left == {name: listed for name, listed in both.items() if name in left and not set(listed) & set(GPUS)} | {
        name: left[name] for name in left if "df" in name
    }
