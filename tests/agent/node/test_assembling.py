"""Which interfaces a report tells of, and that no report is larger than it may be."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from agent.node.assembling import MAX_REPORT, Assembled, assemble
from agent.node.evidence import LLDPD, NVLINK, Evidence
from agent.node.watching import Kept, not_yet
from agent.publishing import compact
from discovery.identity import ChassisId
from discovery.lldp import Neighbours
from discovery.netlink import Link
from discovery.netlink.links import Modes
from discovery.probing import Probed, absent, found
from discovery.reports import FOUND, Neighbour, NvLink
from tests.agent.node.node import NOON, Node
from tests.discovery.sysfs.adapters import adapter, ethernet

LIMIT, LIMIT_OF_INTERFACE = 4000, 400
NVL72 = NvLink(
    clusterUuid="7b968a6d-c8aa-45e1-9e07-e1e51be99c31", cliqueId=32766, state="Completed", healthSummary="Healthy",
    gpus=8, unhealthyGpus=0, links=144, unhealthyLinks=0,
)  # fmt: skip


def link(name: str, **values: object) -> Link:
    number = int(name.strip("abcdefghijklmnopqrstuvwxyz") or 0)
    made = Link(
        name=name, ifindex=number + 2, mac=f"02:00:00:00:00:{number:02x}", up=True, carrier=True,
        modes=Modes(speed=400_000, lanes=4),
    )  # fmt: skip
    return replace(made, **values)  # type: ignore[arg-type]  # as the caller names them


def neighbour(number: int, name: str = "leaf-row7-rack12.example.com") -> Neighbour:
    return Neighbour(
        chassisId=ChassisId(f"44:38:39:ff:{number >> 8:02x}:{number & 255:02x}"), chassisIdSubtype="mac",
        portId=f"Ethernet1/{number}/1", portIdSubtype="ifname", systemName=name,
    )  # fmt: skip


def hcas(count: int) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for number in range(count):
        files |= adapter(
            f"mlx5_{number}", node_guid=f"b83f:d203:00ab:{number:04x}",
            ports__1__gids__0=f"fe80:0000:0000:0000:b83f:d203:00ab:{number:04x}",
        )  # fmt: skip
    return files


def roce(count: int) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for number in range(count):
        files |= ethernet(f"mlx5_{number}", f"eth{number}", node_guid=f"b83f:d203:00ac:{number:04x}")
    return files


def report_of(node: Node, nvlink: NvLink | None = None) -> Assembled:
    ports = node.look()
    none: Probed[Neighbours] = absent(LLDPD, "lldpd does not run here (it has no socket)")
    lldpd: Kept[Neighbours] = not_yet(LLDPD)
    evidence = replace(node.evidence(), lldpd=lldpd.then(none, NOON, 0.0), patterns=("*",))
    return assemble(evidence, ports, nvlink)


def size(assembled: Assembled) -> int:
    return len(json.dumps(compact(assembled.report), separators=(",", ":"), default=str))


def interfaces(assembled: Assembled) -> list[str]:
    return [interface.name for interface in assembled.report.interfaces]


def test_eight_adapters_with_two_interfaces_fit_into_four_kilobytes() -> None:
    node = Node(hcas(8), (link("eth0"), link("eth1")), {name: (neighbour(1),) for name in ("eth0", "eth1")})
    assembled = report_of(node, NVL72)
    assert (len(assembled.report.ports), interfaces(assembled), assembled.left_out) == (8, ["eth0", "eth1"], {})
    assert size(assembled) <= LIMIT


def test_each_further_interface_takes_at_most_four_hundred_bytes() -> None:
    names = [f"eth{number}" for number in range(16)]
    crowd = tuple(neighbour(number, "x" * 255) for number in range(8))
    few, many = (
        size(report_of(Node(roce(count), tuple(link(name) for name in names[:count]), dict.fromkeys(names, crowd))))
        - size(report_of(Node(roce(count))))
        for count in (2, 12)
    )
    assert many - few <= 10 * LIMIT_OF_INTERFACE


@pytest.mark.parametrize("name", ["y" * 64, "leaf-02"])
def test_long_names_of_a_second_neighbour_push_nobody_out(name: str) -> None:
    forged = replace(neighbour(0, name), portId="Ethernet1/1" + "x" * 20)
    node = Node(roce(1), (link("eth0"),), {"eth0": (forged, neighbour(1))})
    assert [len(one.neighbours) for one in report_of(node).report.interfaces] == [2]


@pytest.mark.parametrize("count", [2, 3, 7, 8])
def test_of_several_neighbours_that_do_not_fit_none_is_told_and_the_interface_stays(count: int) -> None:
    crowd = tuple(replace(neighbour(number, "y" * 64), portId=f"{number}" + "x" * 63) for number in range(count))
    assembled = report_of(Node(roce(1), (link("eth0", mac="0c:42:a1:00:00:01"),), {"eth0": crowd}))
    assert [(one.name, one.neighbours) for one in assembled.report.interfaces] == [("eth0", ())]
    assert assembled.left_out == {"neighbours": count}


def test_as_many_neighbours_as_are_kept_may_be_some_of_more_and_none_is_told() -> None:
    crowd = tuple(Neighbour(chassisId=ChassisId(f"{number}"), portId="1") for number in range(8))
    node = Node(roce(1), (link("eth0"),), {"eth0": crowd})
    assert [one.neighbours for one in report_of(node).report.interfaces] == [()]


def test_an_interface_is_told_where_it_carries_rdma_or_has_a_neighbour() -> None:
    links = tuple(link(name) for name in ("eth0", "eth1", "eth2"))
    node = Node(roce(1), links, {"eth2": (neighbour(1),), "bond0": (neighbour(1),)})
    report = report_of(node).report
    assert [(one.name, one.rdmaDevice, len(one.neighbours)) for one in report.interfaces] == [
        ("eth0", "mlx5_0", 0), ("eth2", None, 1),
    ]  # fmt: skip
    told = report.interfaces[1]
    assert (told.mac, told.speed, told.carrier, told.bond) == ("02:00:00:00:00:02", 400_000, True, None)


def test_lldpd_is_believed_where_our_own_ears_hear_nobody_and_there_is_a_cable() -> None:
    node = Node(roce(3), (link("eth0"), link("eth1"), link("eth2", carrier=False)), {"eth0": (neighbour(1),)})
    heard: Neighbours = {f"eth{number}": (neighbour(7),) for number in range(3)}
    lldpd: Kept[Neighbours] = not_yet(LLDPD)
    evidence = replace(node.evidence(), lldpd=lldpd.then(found(LLDPD, heard), NOON, 0.0))
    told = {one.name: one.neighbours for one in assemble(evidence, (), None).report.interfaces}
    assert told == {"eth0": (neighbour(1),), "eth1": (neighbour(7),), "eth2": ()}


def test_interfaces_that_an_operator_leaves_out_are_not_told() -> None:
    node = Node(roce(1), (link("eth0"), link("usb1")), {"usb1": (neighbour(1),)})
    evidence = replace(node.evidence(), patterns=("eth*",))
    assert [interface.name for interface in assemble(evidence, (), None).report.interfaces] == ["eth0"]


@pytest.mark.parametrize("count", [100, 200])
def test_a_report_is_never_larger_than_it_may_be_and_says_what_is_left_out(count: int) -> None:
    names = [f"eth{number}" for number in range(count)]
    crowd = tuple(neighbour(number, "x" * 255) for number in range(8))
    node = Node(hcas(count), tuple(link(name) for name in names), dict.fromkeys(names, crowd))
    assembled = report_of(node, NVL72)
    kept = len(assembled.report.ports)
    assert 15_000 < size(assembled) <= MAX_REPORT
    assert assembled.left_out["ports"] == count - kept
    reasons = {probe.name: probe.reason or "" for probe in assembled.report.probes}
    assert f"{count - kept} ports do not fit into the report" in reasons["sysfs"]
    assert f"{count} interfaces do not fit into the report" in reasons["netlink"]
    assert "neighbours do not fit into the report" in reasons["lldp"]


def test_of_a_hanging_probe_the_report_tells_that_it_failed_and_the_rest_as_ever() -> None:
    node = Node(hcas(2), (link("eth0"),), {"eth0": (neighbour(1),)})
    before = report_of(node).report
    node.hangs = True
    after = report_of(node).report
    assert (after.ports, after.interfaces, after.nvlink) == (before.ports, before.interfaces, before.nvlink)
    assert [(probe.name, probe.outcome == FOUND) for probe in after.probes] == [
        ("sysfs", False), ("netlink", True), ("lldp", True), ("lldpd", False),
    ]  # fmt: skip
    assert after.probes[0].reason == "no answer within 5 s; what is reported was seen at 2026-03-01T12:00:20Z"


def test_a_probe_that_was_not_looked_at_yet_is_not_told() -> None:
    evidence = Evidence(at=NOON, gpus=not_yet(NVLINK))
    assert assemble(evidence, (), None).report.probes == ()
