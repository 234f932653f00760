"""Scans as reports and back: nothing that a switch's sweep says is lost on the way through the API."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings

from discovery.conversion import report_names, sweep_report, switch_reports
from discovery.ibnetdiscover import parse
from discovery.identity import Guid
from discovery.reported import scan_from_reports
from discovery.reports import MAX_MISSING, MAX_REASONS, MissingSwitch, Peer, SwitchPort, SwitchReport
from discovery.scan import NodeKind, Scan
from tests.discovery.fabrics import Fabric, Spelling, fabrics, links_of

DUMPS = Path(__file__).parents[2] / "fixtures" / "ibnetdiscover"
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def dump(name: str) -> Scan:
    return parse((DUMPS / name).read_bytes(), name)


def through_json(reports: list[SwitchReport]) -> list[SwitchReport]:
    return msgspec.json.decode(msgspec.json.encode(reports), type=list[SwitchReport])


def test_a_switch_report_says_what_hangs_on_each_port() -> None:
    leaf, spine = switch_reports(dump("terminal-log.txt"), "compute")
    assert (leaf.guid, leaf.systemImageGuid, leaf.portCount) == ("fc6a1c0300000100", "fc6a1c0300000100", 65)
    assert (leaf.description, leaf.model, leaf.fabric) == ("MF0;leaf-01:MQM9700/U1", "MQM9700", "compute")
    assert [port.number for port in leaf.ports] == [1, 2, 33, 34, 65]
    first, last = leaf.ports[0], leaf.ports[-1]
    assert (first.width, first.speed, first.verdict, first.reason) == (4, "NDR", "Up", None)
    assert first.peer == Peer(
        kind="Host",
        guid=Guid("a088c20300000010"),
        portGuid=Guid("a088c20300000010"),
        systemImageGuid=Guid("a088c20300000010"),
        description="gpu-01 mlx5_0",
        port=1,
        deviceId=0x1021,
    )
    assert last.peer is not None
    assert last.peer.kind == "Aggregation"
    assert [port.peer.kind for port in spine.ports if port.peer] == ["Switch", "Switch"]


def test_unknown_rates_are_unknown_and_not_zero() -> None:
    (leaf,) = switch_reports(dump("odd-names.txt"))
    by_number = {port.number: port for port in leaf.ports}
    assert (by_number[4].width, by_number[4].speed) == (None, None)
    assert (by_number[5].width, by_number[5].speed) == (4, None)


def test_a_cable_that_only_the_far_end_reports_is_said_to_be_so() -> None:
    one, two = b'Switch 41 "S-01" # "one"\n', b'Switch 41 "S-02" # "two"\n[2] "S-01"[1] # "one" lid 1 4xHDR\n'
    first, second = switch_reports(parse(one + two, "dump"))
    assert [(port.number, port.reason) for port in first.ports] == [(1, "ReportedByPeer")]
    assert [(port.number, port.reason) for port in second.ports] == [(2, None)]


def test_a_switch_that_was_only_heard_of_gets_no_report() -> None:
    scan = parse(b'Switch 41 "S-01" # "one"\n[2] "S-02"[1] # "two" lid 1 4xHDR\n', "dump")
    assert [report.guid for report in switch_reports(scan)] == ["0000000000000001"]


def test_a_director_is_one_report_an_asic_under_its_node_guid() -> None:
    reports = switch_reports(dump("chassis.txt"))
    assert report_names(reports) == ["ib-0002c902004a0f01", "ib-0002c902004a0f02"]


def test_a_switch_alone_in_its_box_is_named_by_the_box() -> None:
    head = b"sysimgguid=0xff00\nswitchguid=0x1(1)\n"
    assert report_names(switch_reports(parse(head + b'Switch 41 "S-01" # "one"\n', "dump"))) == ["ib-000000000000ff00"]


def test_a_box_that_bears_the_guid_of_another_switch_clashes_with_nobody() -> None:
    scan = parse(b'sysimgguid=0x2\nSwitch 41 "S-01"\nSwitch 41 "S-02"\nsysimgguid=0x1\nSwitch 41 "S-03"\n', "dump")
    names = report_names(switch_reports(scan))
    assert names == [f"ib-{number:016x}" for number in (1, 2, 3)]


def test_switches_without_a_box_are_not_taken_for_one_box() -> None:
    scan = parse(b'Switch 41 "S-01"\nSwitch 41 "S-02"\n', "dump")
    assert report_names(switch_reports(scan)) == ["ib-0000000000000001", "ib-0000000000000002"]


@given(fabrics())
@settings(max_examples=150, deadline=None)
def test_the_switches_cables_come_back(fabric: Fabric) -> None:
    scan = parse(Spelling().write(fabric), "dump")
    back = scan_from_reports(through_json(switch_reports(scan)))
    switches = {node.guid for node in fabric.nodes if node.kind == NodeKind.SWITCH}
    links = {ends: rate for ends, rate in fabric.links().items() if any(guid in switches for guid, _ in ends)}
    assert links_of(back) == links
    assert back.problems == ()
    seen = {guid for ends in links for guid, _ in ends} | switches
    by_guid = {node.guid: node for node in fabric.nodes}
    rows = back.nodes
    columns = (rows.guid, rows.kind, rows.system_guid, rows.device_id)
    found = zip(*(column.tolist() for column in columns), rows.description, strict=True)
    assert {row[0]: row[1:] for row in found} == {
        guid: (node.kind, node.system_guid, node.device_id, node.description)
        for guid, node in by_guid.items()
        if guid in seen
    }


@pytest.mark.parametrize("name", ["superpod-ndr.txt", "old-3.topo", "qdr-two-spines.topo", "mixed-fdr-hdr.txt"])
def test_a_real_scan_comes_back(shared_data: Path, name: str) -> None:
    scan = parse((shared_data / "ib" / name).read_bytes(), name)
    back = scan_from_reports(through_json(switch_reports(scan)))
    assert links_of(back) == links_of(scan)
    assert sorted(back.nodes.guid.tolist()) == sorted(scan.nodes.guid.tolist())
    assert np.array_equal(np.sort(back.links.a_port_guid | back.links.b_port_guid),
                          np.sort(scan.links.a_port_guid | scan.links.b_port_guid))  # fmt: skip


def test_a_redacted_scan_comes_back_with_its_spellings() -> None:
    scan = dump("redacted.txt")
    back = scan_from_reports(through_json(switch_reports(scan)))
    assert back.spelled == scan.spelled
    assert links_of(back) == links_of(scan)


@pytest.mark.parametrize(
    "port",
    [
        SwitchPort(number=1, peer=Peer(kind="Gateway", guid=Guid("02"), port=1)),
        SwitchPort(number=1, peer=Peer(kind="Host", port=1)),
        SwitchPort(number=-1, peer=Peer(kind="Host", guid=Guid("02"), port=1)),
        SwitchPort(number=1, peer=Peer(kind="Host", guid=Guid("02"), port=1 << 40)),
    ],
)
def test_a_port_that_cannot_be_used_takes_nothing_else_along(port: SwitchPort) -> None:
    good = SwitchPort(number=2, width=10**9, speed="later", peer=Peer(kind="Host", guid=Guid("03"), port=1))
    report = SwitchReport(guid=Guid("01"), portCount=-5, deviceId=1 << 60, ports=(port, good))
    scan = scan_from_reports([report, SwitchReport(description="nobody")])
    assert len(scan.links) == 1
    assert (scan.links.width.tolist(), scan.links.speed.tolist()) == ([0], [0])
    assert [problem.text for problem in scan.problems] == ["nobody", "01"]


def test_a_complete_sweep() -> None:
    report = sweep_report(dump("terminal-log.txt"), 7, NOON, NOON, "ibnetdiscover 44.0")
    assert (report.sequence, report.outcome, report.reasons) == (7, "Complete", ())
    assert (report.switches, report.hosts, report.toolVersion) == (2, 2, "ibnetdiscover 44.0")


def test_a_sweep_with_error_lines_is_partial_and_says_where() -> None:
    report = sweep_report(dump("damaged.txt"), 1, NOON, NOON)
    assert report.outcome == "Partial"
    assert report.reasons[0].startswith("line 1: ")


def test_a_sweep_without_a_switch_has_failed(shared_data: Path) -> None:
    scan = parse((shared_data / "ib" / "ca-only-gb200.txt").read_bytes(), "dump")
    report = sweep_report(scan, 1, NOON, NOON)
    assert (report.outcome, report.switches, report.hosts) == ("Failed", 0, 1)
    assert "no switch was reached" in report.reasons[0]


def test_reasons_and_missing_switches_are_bounded() -> None:
    errors = b"ibwarn: [1] timed out\n" * 100
    missing = [MissingSwitch(guid=Guid(f"{number:016x}"), sinceSequence=1) for number in range(1, 1000)]
    report = sweep_report(parse(errors + b'Switch 41 "S-01"\n', "dump"), 9, NOON, NOON, missing=missing)
    assert len(report.reasons) == MAX_REASONS
    assert len(report.missing) == MAX_MISSING


def test_hosts_are_counted_by_name_and_nameless_adapters_one_by_one() -> None:
    names = ["a HCA-1", "a HCA-2", "b HCA-1", "MT4129 ConnectX7", "MT4129 ConnectX7"]
    text = "".join(f'Ca 1 "H-{number:02x}" # "{name}"\n' for number, name in enumerate(names, start=1))
    assert sweep_report(parse(text.encode(), "dump"), 1, NOON, NOON).hosts == 4
