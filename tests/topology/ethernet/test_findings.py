"""What is found about the cabling of Ethernet fabrics, and what is no finding there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from discovery.reports import Peer, SwitchPort, SwitchReport
from discovery.scan import NodeKind
from tests.topology.ethernet.concluding import (
    concluded,
    conclusion_of,
    kinds,
    leaf_domains,
    put_together,
    told,
)
from topology.synth.drawing import Drawing
from topology.synth.ethernet import NodePorts, Voices, node_ports, switch_reports_of
from topology.synth.spec import Tree, Unit
from topology.synth.tree import draw_tree

RAILS = draw_tree(Tree(units=(Unit(8, 4),) * 2, wiring="rails", tiers=2, spines=4, aggregation=False))
PAIRS = draw_tree(Tree(units=(Unit(8, 2),) * 3, wiring="rails", tiers=2, spines=4, aggregation=False))
SWEPT, HOSTS_ONLY = Voices(), Voices(switches_told=False)
BOTH = {"swept": SWEPT, "hosts only": HOSTS_ONLY}


def exchanged(drawing: Drawing, one: int, other: int) -> Drawing:
    """Two cables change their upper ends."""
    cables = drawing.cables
    upper, ports = cables.upper.copy(), cables.upper_port.copy()
    upper[[one, other]], ports[[one, other]] = upper[[other, one]], ports[[other, one]]
    return replace(drawing, cables=replace(cables, upper=upper, upper_port=ports))


def rows_of(drawing: Drawing, host: int) -> list[int]:
    lower = drawing.cables.lower
    return [
        row
        for row in range(len(lower))
        if drawing.nodes.kind[lower[row]] == NodeKind.HOST and drawing.places.host[lower[row]] == host
    ]


@pytest.mark.parametrize("way", BOTH)
def test_a_clean_fabric_has_no_findings(way: str) -> None:
    assert concluded(RAILS, BOTH[way]).anomalies == ()


@pytest.mark.parametrize("way", BOTH)
def test_two_cables_of_a_host_on_each_others_rail_are_found(way: str) -> None:
    first, second = rows_of(RAILS, 3)[:2]
    found = concluded(exchanged(RAILS, first, second), BOTH[way]).anomalies
    assert kinds(found) == {"swapped-rails"}
    assert {end.name for end in found[0].where if end.name} >= {RAILS.hosts[3]}


@pytest.mark.parametrize("way", BOTH)
def test_cables_of_two_hosts_of_two_units_that_are_exchanged_are_found(way: str) -> None:
    found = concluded(exchanged(RAILS, rows_of(RAILS, 3)[0], rows_of(RAILS, 12)[0]), BOTH[way]).anomalies
    assert kinds(found) == {"swapped-cables"}


@pytest.mark.parametrize("told_by", [Voices(bonds=True), Voices(bonds=True, switches_told=False)])
def test_which_member_of_a_bond_leads_to_which_leaf_is_nobodys_mistake(told_by: Voices) -> None:
    turned = exchanged(PAIRS, *rows_of(PAIRS, 3))
    assert concluded(turned, told_by).anomalies == ()
    assert len(set(leaf_domains(concluded(turned, told_by)).values())) == 3


def test_a_peer_link_between_the_two_leaves_of_bonds_is_no_finding() -> None:
    """As MLAG and VLT have: two cables, whose ports are called otherwise."""
    reports = switch_reports_of(PAIRS, Voices(bonds=True))
    leaves = sorted((report for report in reports if "leaf" in (report.description or "")), key=_name)
    a, b = leaves[:2]
    joined = [_with_peer(report, b if report is a else a) if report in (a, b) else report for report in reports]
    found = conclusion_of(put_together(node_ports(PAIRS, Voices(bonds=True)), joined))
    assert found.anomalies == ()
    assert len(found.graph.trunks) == len(concluded(PAIRS, Voices(bonds=True)).graph.trunks) + 2
    assert leaf_domains(found) == leaf_domains(concluded(PAIRS, Voices(bonds=True)))


def _name(report: SwitchReport) -> str:
    return report.description or ""


def _with_peer(report: SwitchReport, other: SwitchReport) -> SwitchReport:
    peer = Peer(kind="Switch", chassisId=other.chassisId, description=other.description)
    ports = tuple(
        replace(report.ports[0], number=2000 + one, name=f"Vlt{one}", portId=f"Vlt{one}",
                peer=replace(peer, portId=f"Vlt{one}"))
        for one in (1, 2)
    )  # fmt: skip
    return replace(report, ports=(*report.ports, *ports))


def test_leaves_that_nobody_sweeps_are_no_islands_and_lack_nothing() -> None:
    """Rails of one unit that most hosts do not hear on, too: that a host hears nobody there is no missing cable."""
    words = node_ports(RAILS, HOSTS_ONLY)
    deaf = {
        name: replace(found, interfaces=(replace(found.interfaces[0], neighbours=()), *found.interfaces[1:]))
        for name, found in list(words.items())[:5]
    }
    found = conclusion_of(put_together({**words, **deaf}, []))
    assert found.anomalies == ()
    assert [fabric.assumed for fabric in found.structure.fabrics] == [True]


def test_a_swept_leaf_without_uplinks_is_an_island_all_the_same() -> None:
    reports = switch_reports_of(RAILS, SWEPT)
    spines = {report.chassisId for report in reports if "spine" in (report.description or "")}
    cut = reports[0]
    gone = tuple(port for port in cut.ports if port.peer is None or port.peer.chassisId not in spines)
    rest = [replace(report, ports=_without(report, cut.chassisId)) for report in reports[1:]]
    found = conclusion_of(put_together(node_ports(RAILS, SWEPT), [replace(cut, ports=gone), *rest]))
    assert "island" in kinds(found.anomalies)


def _without(report: SwitchReport, chassis: str | None) -> tuple[SwitchPort, ...]:
    return tuple(port for port in report.ports if not port.peer or port.peer.chassisId != chassis)


def test_ends_that_disagree_are_told() -> None:
    """The first leaf takes one node for another, whose own word is otherwise."""
    reports = switch_reports_of(RAILS, SWEPT)
    hosts = [place for place, port in enumerate(reports[0].ports) if port.peer and port.peer.kind == "Host"]
    ports = list(reports[0].ports)
    ports[hosts[0]] = replace(ports[hosts[0]], peer=ports[hosts[1]].peer)
    found = conclusion_of(
        put_together(node_ports(RAILS, SWEPT), [replace(reports[0], ports=tuple(ports)), *reports[1:]])
    )
    assert kinds(found.anomalies) == {"sources-disagree"}
    assert leaf_domains(found) == leaf_domains(concluded(RAILS, SWEPT))


def test_a_cable_slower_than_its_like_is_degraded() -> None:
    reports = switch_reports_of(RAILS, SWEPT)
    ports = list(reports[0].ports)
    uplink = next(place for place, port in enumerate(ports) if port.peer and port.peer.kind == "Switch")
    for slow in (0, uplink):
        ports[slow] = replace(ports[slow], speed="100G")
    changed = [replace(reports[0], ports=tuple(ports)), *reports[1:]]
    found = conclusion_of(put_together(node_ports(RAILS, SWEPT), changed)).anomalies
    assert kinds(found) == {"degraded-link"}
    assert len(found) == 2
    assert all("100G where others of its kind run at 400G" in one.detail for one in found)


def test_ports_of_other_speeds_are_another_fabric_and_not_degraded() -> None:
    storage = draw_tree(
        Tree(units=(Unit(8, 1),) * 2, wiring="classic", tiers=2, spines=1, name="st", first_device=4, number=1,
             aggregation=False)
    )  # fmt: skip
    for way in (SWEPT, HOSTS_ONLY):
        slow = replace(way, megabits=100_000)
        words, more = node_ports(RAILS, way), node_ports(storage, slow)
        nodes = {
            name: NodePorts((*words[name].ports, *more[name].ports), (*words[name].interfaces, *more[name].interfaces))
            for name in words
        }
        switches = [*switch_reports_of(RAILS, way), *switch_reports_of(storage, slow)] if way is SWEPT else []
        found = conclusion_of(put_together(nodes, switches))
        assert [(fabric.name, fabric.role) for fabric in found.structure.fabrics] == [
            ("eth", "compute"),
            ("eth2", "storage"),
        ]
        assert found.anomalies == ()


def test_every_word_is_the_same_whichever_way_round_it_comes() -> None:
    words = told(RAILS, SWEPT)
    turned = put_together(node_ports(RAILS, SWEPT), switch_reports_of(RAILS, SWEPT)[::-1])
    assert {report.chassisId: report for report in words.reports.values()} == {
        report.chassisId: report for report in turned.reports.values()
    }
