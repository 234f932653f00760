"""From tables to a report: ports joined by what they are called, neighbours as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from discovery.health import Verdict
from discovery.identity import ChassisId
from discovery.reports import DOWN, HOST, SWITCH, UNPROVISIONED, UP, SwitchPort, SwitchReport, switch_report_name
from discovery.snmp import Surroundings, SwitchTables, identity, ports_of, switch_report
from discovery.snmp.oids import ENTITY_MODEL, LLDP, LLDP_V2
from discovery.snmp.switch import speed_name
from discovery.snmp.tables import Answers, read_tables
from tests.discovery.snmp.agent import INTEGER, Row, row
from tests.discovery.snmp.recordings import BASES
from tests.discovery.snmp.switches import BRIDGE, ROUTER, Heard, Jack, Switch, host, mac, spine

LEAF = Switch(mac(1, 1), "leaf-1")
ROUTES_AND_BRIDGES = bytes([BRIDGE[0] | ROUTER[0]])


def answers(rows: Sequence[Row]) -> Answers:
    """As a walk gives them."""
    found = Answers(columns={base: [] for base in BASES})
    for name, tag, content in sorted(rows):
        text = ".".join(map(str, name))
        value = int.from_bytes(content, "big") if tag == INTEGER else content
        found.scalars[text.removesuffix(".1") if text == f"{ENTITY_MODEL}.1" else text] = value
        for base in BASES:
            if text.startswith(base + "."):
                found.columns[base].append((tuple(map(int, text[len(base) + 1 :].split("."))), value))
    return found


def tables_of(switch: Switch) -> SwitchTables:
    return read_tables(answers(switch.rows()))


def report_of(tables: SwitchTables, *switches: bytes) -> SwitchReport:
    ports = ports_of(tables)
    verdicts = {port.number: Verdict(UP) if port.link == UP else Verdict(UNPROVISIONED) for port in ports}
    known = frozenset(ChassisId(one.hex(":")) for one in switches)
    return switch_report(tables, ports, verdicts, Surroundings("fabric", known))


def ports(*jacks: Jack, **changes: int) -> tuple[SwitchPort, ...]:
    return report_of(tables_of(replace(LEAF, jacks=jacks, **changes))).ports  # type: ignore[arg-type]  # ints alone


def only(*neighbours: Heard) -> SwitchPort:
    (port,) = ports(Jack(1, "swp1", neighbours))
    return port


def test_a_switch_is_named_by_its_chassis_and_called_by_its_name() -> None:
    report = report_of(tables_of(replace(LEAF, jacks=(Jack(1, "swp1", (host(7),)), Jack(2, "swp2", up=False)))))
    assert switch_report_name(report) == "eth-020000010001"
    assert (report.fabric, report.chassisId, report.description) == ("fabric", "02:00:00:01:00:01", "leaf-1")
    assert (report.model, report.portCount) == ("SN5600", 2)
    assert [(port.number, port.name, port.portId, port.speed) for port in report.ports] == [(1, "swp1", "swp1", "400G")]


@pytest.mark.parametrize("local_kind", [1, 3, 5, 7], ids=["ifalias", "mac", "ifname", "local"])
def test_ports_are_joined_by_their_own_id_whatever_it_is_and_however_lldp_numbers_them(local_kind: int) -> None:
    found = ports(Jack(1, "swp1", (host(1),)), Jack(2, "swp2", (host(2),)), local_kind=local_kind, offset=1)
    assert [(port.number, port.name, port.peer and port.peer.description) for port in found] == [
        (1, "swp1", "gpu-1"), (2, "swp2", "gpu-2"),
    ]  # fmt: skip


def test_a_neighbour_on_a_port_that_is_no_interface_stands_on_a_number_of_its_own() -> None:
    switch = replace(LEAF, jacks=(Jack(1, "swp1", (host(1),)), Jack(2, "swp2")))
    rows = [found for found in switch.rows() if ".".join(map(str, found[0])) not in {
        f"{LLDP.local_ports}.3.501", f"{LLDP.local_ports}.4.501"}]  # fmt: skip
    found = report_of(read_tables(answers(rows))).ports
    assert [(port.number, port.name, port.peer and port.peer.description) for port in found] == [
        (1, "swp1", None), (2, "swp2", None), (3, None, "gpu-1"),
    ]  # fmt: skip


def test_two_local_ports_that_claim_one_interface_are_not_joined_to_it() -> None:
    switch = replace(LEAF, jacks=(Jack(1, "swp1", (host(1),)), Jack(2, "swp2", (host(2),))))
    same = {f"{LLDP.local_ports}.{column}.502" for column in (3, 4)}
    rows = [row(text, b"swp1") if (text := ".".join(map(str, found[0]))) in same else found for found in switch.rows()]
    found = report_of(read_tables(answers(rows))).ports
    assert [port.peer and port.peer.description for port in found] == [None, None, "gpu-1", "gpu-2"]


def test_cables_to_one_neighbour_stay_as_many_as_they_are() -> None:
    found = ports(Jack(31, "swp31", (spine(1, "swp1"),)), Jack(32, "swp32", (spine(1, "swp2"),)))
    assert [(port.number, port.peer and port.peer.portId) for port in found] == [(31, "swp1"), (32, "swp2")]


def test_parts_of_a_port_that_is_broken_out_are_ports() -> None:
    jacks = [Jack(40 + part, f"Ethernet1/1/{part}", (host(part),), megabits=100_000) for part in range(1, 5)]
    assert [(port.name, port.speed) for port in ports(*jacks)] == [
        (f"Ethernet1/1/{part}", "100G") for part in range(1, 5)
    ]


def test_interfaces_numbered_beyond_all_ports_are_counted_in_their_order() -> None:
    jacks = [Jack(436_207_616 + 4096 * place, f"Ethernet1/{place}", (host(place),)) for place in range(1, 4)]
    assert [(port.number, port.name) for port in ports(*jacks)] == [
        (1, "Ethernet1/1"),
        (2, "Ethernet1/2"),
        (3, "Ethernet1/3"),
    ]


FIRMWARE = Heard(mac(99, 8), mac(100, 8), port_kind=3, capabilities=b"")


def test_firmware_and_the_operating_system_above_it_are_one_neighbour() -> None:
    system = Heard(mac(5, 9), b"ens1f0np0", b"gpu-5", capabilities=ROUTES_AND_BRIDGES)
    for order in ((FIRMWARE, system), (system, FIRMWARE)):
        peer = only(*order).peer
        assert peer is not None
        assert (peer.kind, peer.description, peer.portId, peer.mac) == (HOST, "gpu-5", "ens1f0np0", "02:00:00:08:00:64")


def test_firmware_alone_is_a_host_without_a_name() -> None:
    peer = only(FIRMWARE).peer
    assert peer is not None
    assert (peer.kind, peer.description, peer.mac) == (HOST, None, "02:00:00:08:00:64")


def test_several_neighbours_on_a_port_are_all_told_and_none_is_chosen() -> None:
    port = only(spine(1, "swp1"), spine(2, "swp1"), host(3))
    assert port.peer is None
    assert {(peer.kind, peer.description) for peer in port.peers} == {
        (SWITCH, "spine-1"), (SWITCH, "spine-2"), (HOST, "gpu-3"),
    }  # fmt: skip


def test_a_management_port_that_hears_hundreds_tells_of_a_few_always_the_same() -> None:
    many = [host(number) for number in range(300)]
    assert only(*many).peers == only(*reversed(many)).peers
    assert len(only(*many).peers) == 8


def test_one_neighbour_told_twice_is_one() -> None:
    port = only(spine(1, "swp1"), spine(1, "swp1"))
    assert (port.peer is None, port.peers) == (False, ())


@pytest.mark.parametrize(
    ("heard", "kind"),
    [
        (Heard(mac(2, 2), b"Ethernet1/1", b"spine", capabilities=BRIDGE), SWITCH),
        (Heard(mac(2, 2), b"Ethernet1/1", b"spine", capabilities=b""), SWITCH),
        (Heard(mac(2, 2), mac(3, 2), b"node", port_kind=3, capabilities=ROUTES_AND_BRIDGES), HOST),
        (Heard(b"0123456789abcdef0123456789abcdef", b"eno1", b"node", 7, 5, ROUTES_AND_BRIDGES), HOST),
        (Heard(mac(2, 2), b"eno1", b"node", capabilities=b"\x01"), HOST),
        (Heard(mac(2, 2), b"eno1", b"phone", capabilities=b"\x04"), HOST),
    ],
)
def test_what_a_neighbour_is_taken_for(heard: Heard, kind: str) -> None:
    peer = only(heard).peer
    assert peer is not None
    assert peer.kind == kind


def test_a_neighbour_that_a_sweep_reached_is_a_switch_whatever_it_says() -> None:
    tables = tables_of(replace(LEAF, jacks=(Jack(1, "swp1", (Heard(mac(2, 2), mac(3, 2), port_kind=3),)),)))
    (port,) = report_of(tables, mac(2, 2)).ports
    assert port.peer is not None
    assert port.peer.kind == SWITCH


def test_ports_that_never_were_up_and_hear_nobody_are_left_out_and_those_that_were_are_not() -> None:
    tables = tables_of(
        replace(LEAF, jacks=(Jack(1, "swp1", up=False), Jack(2, "swp2", up=False, admin=2), Jack(3, "swp3")))
    )
    found = ports_of(tables)
    assert [(port.link, port.reason) for port in found] == [(DOWN, "NoCarrier"), (DOWN, "PortDisabled"), (UP, None)]
    verdicts = {1: Verdict(DOWN, "NoCarrier"), 2: Verdict(UNPROVISIONED, "NeverUp"), 3: Verdict(UP)}
    report = switch_report(tables, found, verdicts, Surroundings())
    assert [(port.number, port.verdict) for port in report.ports] == [(1, DOWN), (3, UP)]


def test_what_is_made_of_ports_is_no_port() -> None:
    bundle = Jack(1000, "bond1", kind=161)
    report = report_of(tables_of(replace(LEAF, jacks=(Jack(1, "swp1", (host(1),)), bundle))))
    assert ([port.name for port in report.ports], report.portCount) == (["swp1"], 1)


def test_a_switch_that_speaks_no_lldp_is_known_by_its_bridge_address_or_its_lowest_mac() -> None:
    silent = [
        found
        for found in replace(LEAF, jacks=(Jack(9, "swp9"), Jack(4, "swp4"))).rows()
        if found[0][:3] != (1, 0, 8802)
    ]
    bare = read_tables(answers(silent))
    assert identity(bare) == "02:00:00:01:00:04"
    assert identity(read_tables(answers([*silent, row("1.3.6.1.2.1.17.1.1.0", mac(77))]))) == "02:00:00:00:00:4d"
    assert [port.name for port in report_of(bare).ports] == ["swp4", "swp9"]
    with pytest.raises(ValueError, match="nothing identifies the switch"):
        report_of(read_tables(Answers()))


def test_the_second_form_of_the_mib_is_read_where_the_first_is_not_there() -> None:
    own = [found for found in replace(LEAF, jacks=(Jack(5, "swp5"),)).rows() if found[0][:3] != (1, 0, 8802)]
    root = LLDP_V2.root
    values: dict[int, int | bytes] = {
        5: 4, 6: mac(1, 2), 7: 5, 8: b"swp1", 9: b"", 10: b"spine-1", 11: b"", 12: BRIDGE, 13: BRIDGE,
    }  # fmt: skip
    rows = [
        row(f"{root}.1.3.1.0", 4),
        row(f"{root}.1.3.2.0", mac(1, 1)),
        row(f"{root}.1.3.7.1.2.5", 5),
        row(f"{root}.1.3.7.1.3.5", b"Ethernet5"),
        *(row(f"{root}.1.4.1.1.{column}.0.5.1.1", value) for column, value in values.items()),
    ]
    report = report_of(read_tables(answers([*own, *rows])))
    assert report.chassisId == "02:00:00:01:00:01"
    (port,) = report.ports
    assert (port.number, port.name, port.portId) == (5, "swp5", "Ethernet5")
    assert port.peer is not None
    assert (port.peer.kind, port.peer.description, port.peer.portId) == (SWITCH, "spine-1", "swp1")


def test_macs_that_are_sent_as_text_are_macs() -> None:
    peer = only(Heard(b"02:00:00:09:00:05", b"2:0:0:9:0:6", b"gpu-5", port_kind=3)).peer
    assert peer is not None
    assert (peer.chassisId, peer.portId, peer.mac) == ("02:00:00:09:00:05", "02:00:00:09:00:06", "02:00:00:09:00:06")


def test_texts_of_any_bytes_are_printable_and_short() -> None:
    switch = replace(LEAF, name="x", jacks=(Jack(1, "swp1", (Heard(mac(1), b"\x1b[2Jevil\x00", b"\xff\xfe" * 400),)),))
    (port,) = report_of(tables_of(switch)).ports
    assert port.peer is not None
    for text in (port.peer.portId, port.peer.description):
        assert text is not None
        assert text.isprintable()
        assert len(text) <= 128


def test_speeds_are_said_as_people_say_them() -> None:
    spoken = [speed_name(megabits) for megabits in (None, 0, 100, 1000, 2500, 10_000, 25_000, 400_000, 1_600_000)]
    assert spoken == [None, None, "100M", "1G", "2.5G", "10G", "25G", "400G", "1600G"]
