"""Ports that never were up and ports that wait, by the reports of many nodes; counted by hand."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from controller.conclusion.ports import Ports, Waiting, never_up, note_waiting, read_ports, recalled
from discovery.identity import guid
from discovery.reports import DOWN, UNKNOWN, UNPROVISIONED, UP, NodeReport, Port
from kube.types import NodeReportObject
from tests.controller.site import meta
from topology.hierarchy import Hierarchy, HyperNode

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
UNIT = ("n0", "n1", "n2", "n3", "n4")


def report(node: str, *ports: Port) -> NodeReportObject:
    return NodeReportObject(metadata=meta(node), spec=NodeReport(ports=ports))


def port(verdict: str, device: str = "mlx5_3", *, ever: bool = False, number: int = 0) -> Port:
    last = NOON if ever or verdict == UP else None
    return Port(device=device, port=1, verdict=verdict, lastUp=last, portGuid=guid(number) if number else None)


def missed(reports: list[NodeReportObject], units: tuple[tuple[str, ...], ...] = (UNIT,)) -> dict[str, tuple[str, ...]]:
    ports = read_ports(None, reports, frozenset())
    return never_up(ports.unused, ports.used, units)


@pytest.mark.parametrize(("used", "told"), [(4, True), (3, True), (2, True), (1, False), (0, False)])
def test_a_port_is_missed_where_at_least_half_of_its_four_peers_use_theirs(used: int, told: bool) -> None:
    reports = [report("n0", port(UNPROVISIONED))]
    reports += [report(f"n{number}", port(UP if number <= used else UNPROVISIONED)) for number in range(1, 5)]
    assert ("n0" in missed(reports)) is told
    assert missed(reports).get("n0", ("mlx5_3/1",)) == ("mlx5_3/1",)


def test_a_peer_whose_port_was_lost_uses_it_all_the_same() -> None:
    reports = [report("n0", port(UNPROVISIONED)), *(report(f"n{number}", port(DOWN, ever=True)) for number in (1, 2))]
    assert missed(reports) == {"n0": ("mlx5_3/1",)}


def test_peers_of_other_units_and_other_devices_do_not_count() -> None:
    reports = [report("n0", port(UNPROVISIONED)), report("n1", port(UP, "mlx5_4")), report("n2", port(UP))]
    assert missed(reports, (("n0", "n1"), ("n2",))) == {}


def test_an_agent_that_says_down_and_remembers_nothing_says_the_same() -> None:
    assert missed([report("n0", port(DOWN)), report("n1", port(UP))]) == {"n0": ("mlx5_3/1",)}


def test_what_was_once_up_by_its_guid_is_lost_and_no_new_port() -> None:
    first = read_ports(None, [report("n0", port(UP, number=7))], frozenset())
    again = [report("n0", port(UNPROVISIONED, number=7))]
    second = read_ports(first, again, first.was_up)
    assert (second.was_up, second.unused) == (frozenset({7}), {})
    (found,) = recalled(again[0].spec, second.was_up).ports
    assert (found.verdict, found.lastUp is None) == (DOWN, False)
    assert recalled(again[0].spec, frozenset({8})) is again[0].spec


def test_only_reports_that_changed_are_read_and_what_is_the_same_stays_the_same_object() -> None:
    reports = [report(node, port(UP), port(UNPROVISIONED, "mlx5_9")) for node in UNIT]
    first = read_ports(None, reports, frozenset())
    heartbeat = [report("n0", *reports[0].spec.ports), *reports[1:]]
    second = read_ports(first, heartbeat, first.was_up)
    assert (second.used is first.used, second.unused is first.unused) == (True, True)
    third = read_ports(second, [report("n0", port(UP), port(UP, "mlx5_9")), *reports[1:]], second.was_up)
    anew = read_ports(None, third.reports, frozenset())
    assert (third.used, third.unused, third.waiting) == (anew.used, anew.unused, anew.waiting)
    assert third.unused.keys() == {"n1", "n2", "n3", "n4"}


def waiting(*nodes: str) -> Ports:
    wait = Port(device="mlx5_0", port=1, verdict=UNKNOWN, reason="WaitingForSubnetManager", lastUp=NOON)
    return read_ports(None, [report(node, wait if node in nodes else port(UP)) for node in UNIT], frozenset())


def test_a_fabric_waits_until_no_port_of_it_has_for_ten_minutes() -> None:
    root = HyperNode("root", "ib", 3, "spine", None, (), UNIT, (), ())
    tree = Hierarchy((root,))
    first = note_waiting({}, waiting("n1"), tree, 0.0)
    assert first == {"root": Waiting(0.0, first["root"].sentence)}
    assert "1 port with a working cable waits for the subnet manager (n1)" in first["root"].sentence
    more = note_waiting(first, waiting(*UNIT), tree, 60.0)
    assert more == {"root": Waiting(60.0, first["root"].sentence)}
    assert note_waiting(more, waiting(), tree, 660.0) == more
    assert note_waiting(more, waiting(), tree, 661.0) == {}
    assert "5 ports with a working cable wait" in note_waiting({}, waiting(*UNIT), tree, 0.0)["root"].sentence
