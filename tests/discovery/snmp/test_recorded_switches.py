"""The four recorded switches, as those who recorded them say that they are."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from discovery.health import Verdict
from discovery.reports import UP, SwitchPort, SwitchReport
from discovery.snmp import Surroundings, ports_of, switch_report
from discovery.snmp.tables import SwitchTables, read_tables
from tests.discovery.snmp.recordings import recorded

STATES = {1: "up", 2: "down", 3: "testing", 4: "unknown", 5: "dormant", 6: "notPresent", 7: "lowerLayerDown"}
SWITCHES = ("arista_eos", "arubaos-cx_10.07", "dell-os10", "junos_qfx5100")


@cache
def tables_of(file: Path) -> SwitchTables:
    return read_tables(recorded(file))


@pytest.fixture(params=SWITCHES)
def name(request: pytest.FixtureRequest) -> str:
    chosen: str = request.param
    return chosen


def report_of(name: str, shared_data: Path) -> SwitchReport:
    tables = tables_of(shared_data / "snmp" / f"{name}.snmprec")
    ports = ports_of(tables)
    return switch_report(tables, ports, {port.number: Verdict(UP) for port in ports if port.link == UP}, Surroundings())


def expected(name: str, shared_data: Path) -> dict[int, dict[str, object]]:
    """The interfaces as another program read them, by ifIndex."""
    content = json.loads((shared_data / "snmp" / f"{name}.json").read_text())
    return {row["ifIndex"]: row for row in content["ports"]["poller"]["ports"]}


def test_names_states_and_speeds_of_all_interfaces_are_those_that_another_program_read(
    name: str, shared_data: Path
) -> None:
    tables = tables_of(shared_data / "snmp" / f"{name}.snmprec")
    truth = expected(name, shared_data)
    assert len(truth) > 10
    assert truth.keys() <= tables.interfaces.keys()
    for index, row in truth.items():
        interface = tables.interfaces[index]
        called = interface.name or interface.description
        assert (called, STATES.get(interface.oper or 0), STATES.get(interface.admin or 0)) == (
            row["ifName"], row["ifOperStatus"], row["ifAdminStatus"],
        )  # fmt: skip
        assert (interface.mac or "").replace(":", "") in {row["ifPhysAddress"], ""}
        assert (interface.megabits or 0) * 1_000_000 == (row["ifSpeed"] or 0)


def neighbours(report: SwitchReport) -> list[tuple[str | None, str | None, str | None]]:
    return [(port.name, port.peer.description, port.peer.portId) for port in report.ports if port.peer]


def test_junos_ports_are_joined_by_the_interface_number_that_is_their_local_id(shared_data: Path) -> None:
    report = report_of("junos_qfx5100", shared_data)
    links = json.loads((shared_data / "snmp/junos_qfx5100.json").read_text())["discovery-protocols"]["discovery"][
        "links"
    ]
    truth = [(link["ifName"], link["remote_hostname"], link["remote_port"].split()[0]) for link in links]
    assert neighbours(report) == truth == [("xe-0/0/0", "devicea", "2150"), ("xe-0/0/1", "deviceb", "2447")]
    assert [port.speed for port in report.ports if port.peer] == ["10G", "10G"]


def test_dell_ports_are_joined_by_name_for_their_local_numbers_are_no_interfaces(shared_data: Path) -> None:
    tables = tables_of(shared_data / "snmp/dell-os10.snmprec")
    assert not {remote.port for remote in tables.remotes} & tables.interfaces.keys()
    report = report_of("dell-os10", shared_data)
    assert (report.model, report.portCount) == ("S4128F-ON", 31)
    assert neighbours(report) == [
        ("mgmt1/1/1", "1007-mnt-1", "Gi1/0/6"),
        ("ethernet1/1/25", "1007-lan-2", "ethernet1/1/25"),
        ("ethernet1/1/26", "1007-lan-2", "ethernet1/1/26"),
        ("ethernet1/1/29", "core-1", "517"),
        ("ethernet1/1/30", None, "TenGigabitEthernet 1/43"),
    ]
    two = [port for port in report.ports if port.peer and port.peer.description == "1007-lan-2"]
    assert [port.speed for port in two] == ["100G", "100G"]  # two cables to one neighbour stay two


def test_arista_hears_adapters_that_speak_for_themselves_and_two_switches(shared_data: Path) -> None:
    report = report_of("arista_eos", shared_data)
    found = {port.name: port.peer for port in report.ports if port.peer}
    assert {name: (peer.kind, peer.mac) for name, peer in found.items()} == {
        "Ethernet1": ("Host", "00:1b:21:bb:e6:f0"),
        "Ethernet3": ("Host", "00:1b:21:bb:e6:ea"),
        "Ethernet5": ("Host", "00:1b:21:bb:e6:f6"),
        "Ethernet6": ("Host", "00:1b:21:bb:e6:f5"),
        "Ethernet47": ("Switch", None),
        "Ethernet48": ("Switch", None),
    }


def test_aruba_tells_every_neighbour_twice_and_a_mac_of_zeros_is_no_identity(shared_data: Path) -> None:
    tables = tables_of(shared_data / "snmp/arubaos-cx_10.07.snmprec")
    remotes = Counter(remote.port for remote in tables.remotes)
    assert (len(remotes), set(remotes.values())) == (34, {2})
    report = report_of("arubaos-cx_10.07", shared_data)
    cabled: list[SwitchPort] = [port for port in report.ports if port.peer or port.peers]
    assert len(cabled) == 34  # of 35; the neighbour on 1/1/38 has neither an id nor a name
    assert [flaw.kind for flaw in tables.flaws] == ["incomplete"]
    assert not any(port.peers for port in cabled)
    assert {port.peer.chassisId for port in cabled if port.peer} == {None}
    assert [port.peer.portId for port in cabled if port.peer and port.name == "1/1/51"] == ["1/1/17"]


def test_every_recorded_switch_has_an_identity_that_its_own_interfaces_bear_out(name: str, shared_data: Path) -> None:
    tables = tables_of(shared_data / "snmp" / f"{name}.snmprec")
    report = report_of(name, shared_data)
    assert report.chassisId in {tables.bridge_address, *(one.mac for one in tables.interfaces.values())}
