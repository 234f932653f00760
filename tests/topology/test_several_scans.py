"""One fabric in several scans: overlapping views are one, and where they contradict each other that is said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from discovery.identity import Guid
from discovery.reported import scan_from_reports
from discovery.reports import Peer, SwitchPort, SwitchReport
from discovery.scan import LinkColumns, Scan
from tests.topology.wiring import fat_tree, guid_of, scan_of
from topology.anomaly import Anomaly
from topology.conclude import Conclusion, conclude
from topology.joining import join_scans

CABLES = fat_tree(leaves=3, spines=2, hosts=4, cables=1)


def disagreements(conclusion: Conclusion) -> list[Anomaly]:
    return [found for found in conclusion.anomalies if found.kind == "sources-disagree"]


def told_by(scan: Scan, bits: int) -> Scan:
    """The scan with every cable told of by these ends alone."""
    count = len(scan.links)
    return replace(scan, links=replace(scan.links, reported_by=np.full(count, bits, np.uint8)))


def reversed_nodes(scan: Scan) -> Scan:
    """The same scan with its nodes in the opposite order; `a` and `b` of every cable change places."""
    nodes, links, last = scan.nodes, scan.links, len(scan.nodes) - 1
    columns = {name: getattr(nodes, name)[::-1] for name in nodes.__slots__ if name != "description"}
    turned = LinkColumns(
        a_node=last - links.b_node,
        a_port=links.b_port,
        b_node=last - links.a_node,
        b_port=links.a_port,
        a_port_guid=links.b_port_guid,
        b_port_guid=links.a_port_guid,
        width=links.width,
        speed=links.speed,
        reported_by=((links.reported_by >> 1 | links.reported_by << 1) & 3).astype(np.uint8),
    )
    return replace(scan, nodes=type(nodes)(**columns, description=nodes.description[::-1]), links=turned)


def test_a_cable_that_two_scans_saw_from_either_end_is_one_that_both_ends_tell_of() -> None:
    scan = scan_of(CABLES)
    nodes, _, links, _ = join_scans([told_by(scan, 1), reversed_nodes(told_by(scan, 2))])
    assert len(nodes) == len(scan.nodes)
    assert len(links) == len(scan.links)
    assert set(links.reported_by.tolist()) == {3}


def test_a_rate_that_one_scan_does_not_know_is_that_of_the_other_and_of_two_the_slower() -> None:
    scan = scan_of(CABLES)
    count = len(scan.links)
    blind = replace(scan, links=replace(scan.links, speed=np.zeros(count, np.uint8), width=np.ones(count, np.uint8)))
    for scans in ([blind, scan], [scan, blind]):
        _, _, links, _ = join_scans(scans)
        assert links.speed.tolist() == scan.links.speed.tolist()
        assert set(links.width.tolist()) == {1}


def test_scans_that_saw_the_same_disagree_about_nothing() -> None:
    scan = scan_of(CABLES)
    conclusion = conclude([scan, reversed_nodes(scan), told_by(scan, 1), told_by(scan, 2)])
    assert conclusion.anomalies == conclude([scan]).anomalies == ()


def test_a_cable_that_moved_between_two_scans_is_in_dispute_with_all_its_ends() -> None:
    conclusion = conclude([scan_of([*CABLES, f"{leaf} host:h/HCA-1"]) for leaf in ("leaf0", "leaf1")])
    [found] = disagreements(conclusion)
    ends = sorted([("leaf0", 7), ("leaf1", 7)], key=lambda end: guid_of(end[0]))
    assert [(end.name, end.port) for end in found.where] == [("h", 1), *ends]
    assert found.fabric == "ib"
    assert found.detail.startswith("Where h HCA-1 port 1 leads is disputed: by the word of both ends to ")
    assert not [one for one in conclusion.anomalies if one.kind == "duplicate-guid"]


def report(name: str, ports: dict[int, tuple[str, int]]) -> SwitchReport:
    """What a sweeper says of a switch: by port the switch and port at the far end."""
    return SwitchReport(
        guid=Guid(f"{guid_of(name):016x}"),
        description=name,
        ports=tuple(
            SwitchPort(number=number, peer=Peer(kind="Switch", guid=Guid(f"{guid_of(far):016x}"), port=port))
            for number, (far, port) in ports.items()
        ),
    )


def test_reports_that_name_different_far_ends_for_a_port_disagree_and_both_cables_stand() -> None:
    reports = [
        report("leaf", {31: ("spine", 1), 32: ("spine", 2)}),
        report("spine", {1: ("leaf", 31), 2: ("other", 31)}),
        report("other", {31: ("spine", 2)}),
    ]
    conclusion = conclude([scan_from_reports(reports)])
    assert len(conclusion.graph.trunks) == 3
    [found] = disagreements(conclusion)
    assert found.severity == "warning"
    ends = [("leaf", 32), ("other", 31)]
    assert [(end.name, end.port) for end in found.where] == [
        ("spine", 2), *sorted(ends, key=lambda end: guid_of(end[0])),
    ]  # fmt: skip
    assert "by the word of the far end to leaf port 32" in found.detail
    assert "by the word of both ends to other port 31" in found.detail


def test_the_reports_of_two_sweepers_disagree_as_those_of_one() -> None:
    near, far = report("leaf", {32: ("spine", 2)}), report("spine", {2: ("other", 31)})
    for scans in ([scan_from_reports([near, far])], [scan_from_reports([near]), scan_from_reports([far])]):
        [found] = disagreements(conclude(scans))
        assert (found.where[0].name, found.where[0].port) == ("spine", 2)


def test_two_switches_that_claim_one_port_of_a_silent_third_disagree() -> None:
    reports = [report("leaf", {32: ("spine", 2)}), report("other", {31: ("spine", 2)})]
    [found] = disagreements(conclude([scan_from_reports(reports)]))
    assert {(end.name, end.port) for end in found.where[1:]} == {("leaf", 32), ("other", 31)}


def test_a_port_of_which_only_the_far_end_tells_and_one_that_is_unknown_are_in_no_dispute() -> None:
    reports = [
        report("leaf", {31: ("spine", 1), 32: ("spine", 0), 33: ("spine", 0)}),
        report("spine", {7: ("leaf", 0), 8: ("leaf", 0)}),
    ]
    assert disagreements(conclude([scan_from_reports(reports)])) == []


def test_adapters_whose_ports_all_have_several_cables_are_planes_and_no_dispute() -> None:
    planes = [scan_of([f"plane{plane} host:h{host}/HCA-1" for host in range(4)]) for plane in range(4)]
    assert disagreements(conclude(planes)) == []
