"""A host that announces itself by LLDP as another node, or as a switch: nobody else moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

import msgspec
import pytest

from controller.snapshot import Snapshot
from discovery.identity import ChassisId
from discovery.reports import HOST, SWITCH, Interface, Peer, SwitchPort
from kube.types import HyperNode
from tests.controller.ethernet.sites import SWEPT, SWITCHES_ONLY, Days
from tests.controller.looking import chains
from tests.controller.site import Site
from topology.synth.ethernet import Voices
from topology.synth.spec import Tree, Unit
from topology.synth.tree import draw_tree

Frame = Callable[[Interface], Peer]
"""What the liar says at an interface, where its victim has the given one."""
FIRST, LAST = "node-00000", "node-00005"
"""In the order of names; of different leaves."""
PODS = draw_tree(
    Tree(units=(Unit(2, 2),) * 4, wiring="classic", tiers=3, pod_units=2, spines=2, cores=2, aggregation=False)
)


@dataclass(slots=True)
class Forged:
    """A site where switches hear from one node what it likes, once it is told to; `deaf`: it reports no neighbours."""

    site: Site
    liar: str
    victim: str
    frame: Frame | None = None
    deaf: bool = False

    def sweep(self) -> None:
        self.site.sweep()

    def snapshot(self, hyper_nodes: tuple[HyperNode, ...] = ()) -> Snapshot:
        found = self.site.snapshot(hyper_nodes)
        if self.frame is None:
            return found
        interfaces = {report.metadata.name: report.spec.interfaces for report in found.node_reports}
        pairs = zip(interfaces[self.liar], interfaces[self.victim], strict=True)
        frames = {own.mac: self.frame(victims) for own, victims in pairs}
        switches = tuple(
            msgspec.structs.replace(
                report, spec=replace(report.spec, ports=tuple(_said(port, frames) for port in report.spec.ports))
            )
            for report in found.switch_reports
        )
        deaf = tuple(replace(interface, neighbours=()) for interface in interfaces[self.liar])
        nodes = tuple(
            msgspec.structs.replace(report, spec=replace(report.spec, interfaces=deaf))
            if self.deaf and report.metadata.name == self.liar
            else report
            for report in found.node_reports
        )
        return replace(found, switch_reports=switches, node_reports=nodes)


def _said(port: SwitchPort, frames: dict[str | None, Peer]) -> SwitchPort:
    forged = frames.get(port.peer.mac) if port.peer is not None else None
    return replace(port, peer=forged) if forged is not None else port


def as_its_ports(victims: Interface) -> Peer:
    return Peer(kind=HOST, chassisId=ChassisId(victims.mac or ""), portId=victims.mac, mac=victims.mac)


def as_its_box(victims: Interface) -> Peer:
    return Peer(kind=HOST, chassisId=ChassisId(victims.mac or ""), portId="x", portIdSubtype="local")


def by_its_name(victim: str) -> Frame:
    return lambda victims: Peer(
        kind=HOST,
        chassisId=ChassisId("de:ad:be:ef:00:01"),
        portId=victims.name,
        portIdSubtype="ifname",
        description=victim,
    )


def frame_of(kind: str, victim: str) -> Frame:
    return {"ports": as_its_ports, "box": as_its_box, "name": by_its_name(victim)}[kind]


@pytest.mark.parametrize("way", [SWEPT, SWITCHES_ONLY], ids=["swept", "switches only"])
@pytest.mark.parametrize(("liar", "victim"), [(FIRST, LAST), (LAST, FIRST)])
@pytest.mark.parametrize("kind", ["ports", "box", "name"])
def test_a_node_stays_where_it_is_heard_still_whoever_says_to_be_it(
    way: Voices, liar: str, victim: str, kind: str
) -> None:
    forged = Forged(Site(voices=way), liar, victim)
    days = Days(site=cast("Site", forged))
    before = days.go_on()
    forged.frame = frame_of(kind, victim)
    outcomes = [days.go_on() for _ in range(5)]
    assert all(chains(outcome) == chains(before) for outcome in outcomes)
    if way is SWITCHES_ONLY:  # else the victim itself says which of the two it is
        assert "duplicate-guid" in {anomaly.kind for anomaly in outcomes[-1].anomalies}


@pytest.mark.parametrize(("liar", "victim"), [(FIRST, LAST), (LAST, FIRST)])
@pytest.mark.parametrize("kind", ["ports", "box", "name"])
def test_a_node_stands_where_it_hears_the_switch_that_hears_it_from_the_first_look_on(
    liar: str, victim: str, kind: str
) -> None:
    forged = Forged(Site(voices=SWEPT), liar, victim, frame_of(kind, victim))
    days = Days(site=cast("Site", forged))
    expected = chains(Days(site=Site(voices=SWEPT)).go_on())
    assert [chains(days.go_on()) for _ in range(4)] == [expected] * 4


@pytest.mark.parametrize("deaf", [False, True])
@pytest.mark.parametrize("port", ["Ethernet99", "Ethernet1"])
@pytest.mark.parametrize("spine", [0, 1])
@pytest.mark.parametrize("cold", [False, True])
def test_a_host_that_says_to_be_a_spine_gives_its_leaf_no_other_parent(
    deaf: bool, port: str, spine: int, cold: bool
) -> None:
    """Of the other pod: it was swept, and hears another leaf at the first port and has no port 99."""
    site = Site(drawing=PODS, voices=SWEPT)
    site.sweep()
    known = {found.spec.description or "": found.spec for found in site.switch_objects()}
    claimed = sorted(name for name in known if "spine-002" in name)[spine]
    forged = Forged(site, FIRST, FIRST, deaf=deaf)
    days = Days(site=cast("Site", forged))
    honest = Days(site=Site(drawing=PODS, voices=SWEPT)).go_on()
    if not cold:
        days.go_on()
    forged.frame = lambda _: Peer(kind=SWITCH, chassisId=known[claimed].chassisId, portId=port, description=claimed)
    for _ in range(5):
        outcome = days.go_on()
        others = {node: chain for node, chain in chains(outcome).items() if node != FIRST}
        assert others == {node: chain for node, chain in chains(honest).items() if node != FIRST}
