"""What lldpd's client prints, in each of its forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from discovery.lldp.answers import MAX_PORTS, read_answer
from discovery.lldp.identifiers import MAX_ID, MAX_NAME

Told = tuple[str | None, str | None, str | None, str | None, str | None]


def told(text: str) -> dict[str, list[Told]]:
    return {
        name: [(n.chassisId, n.chassisIdSubtype, n.portId, n.portIdSubtype, n.systemName) for n in neighbours]
        for name, neighbours in read_answer(text).neighbours.items()
    }


LEAF: Told = ("b8:ce:f6:00:00:01", "mac", "Ethernet1/1", "local", "leaf-01")


def interface(name: str = "eth0", system: str = "leaf-01", via: str = "LLDP", mac: str = "01") -> dict[str, Any]:
    """As json0 writes it."""
    return {
        "name": name, "via": via, "rid": "1",
        "chassis": [{"id": [{"type": "mac", "value": f"b8:ce:f6:00:00:{mac}"}], "name": [{"value": system}]}],
        "port": [{"id": [{"type": "local", "value": "Ethernet1/1"}], "ttl": [{"value": "120"}]}],
    }  # fmt: skip


def json0(*interfaces: dict[str, Any]) -> str:
    return json.dumps({"lldp": [{"interface": list(interfaces)}]}, indent=2)


def test_the_stable_form() -> None:
    assert told(json0(interface(), interface("eth1", mac="02"))) == {
        "eth0": [LEAF], "eth1": [("b8:ce:f6:00:00:02", *LEAF[1:])],
    }  # fmt: skip


def test_the_older_form_with_one_neighbour_and_with_several() -> None:
    def one(mac: str, *, named: bool) -> dict[str, Any]:
        chassis = {"id": {"type": "mac", "value": f"b8:ce:f6:00:00:{mac}"}, "descr": "any"}
        port = {"id": {"type": "local", "value": "Ethernet1/1"}, "ttl": "120"}
        return {"via": "LLDP", "chassis": {"leaf-01": chassis} if named else chassis, "port": port}

    single = {"lldp": {"interface": {"eth0": one("01", named=True)}}}
    assert told(json.dumps(single)) == {"eth0": [LEAF]}
    several = {"lldp": {"interface": [{"eth0": one("01", named=True)}, {"eth0": one("02", named=False)}]}}
    assert told(json.dumps(several)) == {"eth0": [LEAF, ("b8:ce:f6:00:00:02", *LEAF[1:4], None)]}


def test_nothing_printed_is_nothing_heard_and_no_problem() -> None:
    for text in ("", "\n\n", "{}", '{"lldp": [{}]}', '{\n  "lldp": {}\n}\n'):
        assert (told(text), read_answer(text).problems) == ({}, ())


def test_several_documents_count_together() -> None:
    assert told(json0(interface()) + "\n" + json0(interface("eth1")) + json0()) == {"eth0": [LEAF], "eth1": [LEAF]}


def test_what_comes_before_a_broken_end_counts_and_the_rest_is_told() -> None:
    answer = read_answer(json0(interface()) + '{"lldp": [{"interf')
    assert set(answer.neighbours) == {"eth0"}
    assert "no JSON" in answer.problems[0]


def test_other_protocols_and_neighbours_without_an_id_are_left_out() -> None:
    nameless: dict[str, Any] = {"name": "eth2", "via": "LLDP", "chassis": [{}], "port": []}
    answer = read_answer(json0(interface("eth1", via="CDPv2"), nameless, interface()))
    assert set(answer.neighbours) == {"eth0"}
    assert answer.problems == ("a neighbour on eth2 without an id",)


def test_keyvalue_output_of_captured_hosts(shared_data: Path) -> None:
    """A key counts for the interface that it names: the second chassis of the first file has its name under the first
    interface, so it has none."""
    assert told((shared_data / "lldp/cumulus.txt").read_text()) == {
        "eno1": [("e4:f0:04:b6:47:32", "mac", "swp46", "ifname", "toto-chassis.dc42")],
        "eno2d1": [("e4:f0:04:b6:4e:32", "mac", "swp46", "ifname", None)],
    }
    assert told((shared_data / "lldp/qfx.txt").read_text()) == {
        "eth0": [("40:a6:77:7a:72:00", "mac", "512", "local", "sw-filer-f06.dc42")],
        "eth1": [("40:a6:77:7c:fb:20", "mac", "512", "local", "sw-filer-f05.dc42")],
    }


def test_keyvalue_output_with_dots_in_the_interface_and_several_neighbours_a_port() -> None:
    def block(port: str, via: str, mac: str) -> str:
        return (
            f"lldp.{port}.via={via}\nlldp.{port}.chassis.mac=b8:ce:f6:00:00:{mac}\nlldp.{port}.chassis.name=leaf-01\n"
            f"lldp.{port}.port.local=Ethernet1/1\nlldp.{port}.port.auto-negotiation.enabled=no\n"
        )

    text = block("eth0.100", "LLDP", "01") + block("eth0.100", "LLDP", "02") + block("eth1", "CDPv2", "03")
    assert told(text) == {"eth0.100": [LEAF, ("b8:ce:f6:00:00:02", *LEAF[1:])]}


def test_hostile_answers_are_bounded() -> None:
    many = json0(*(interface(f"eth{number}") for number in range(MAX_PORTS + 10)))
    assert len(read_answer(many).neighbours) == MAX_PORTS
    assert read_answer(many).problems == (f"more than {MAX_PORTS} interfaces",)
    ((leaf,),) = told(json0(interface(system="\x1b[2J" + "n" * 9999))).values()
    assert leaf[4] == "[2J" + "n" * (MAX_NAME - 3)
    for bomb in ("[" * 200_000, '{"lldp":' * 100_000, '{"lldp": ' + "9" * 10_000 + "}"):
        assert read_answer(bomb).neighbours == {}
        assert read_answer(bomb).problems


def test_names_that_no_interface_has_are_dropped_and_counted_and_the_rest_is_kept() -> None:
    impossible = ("e\ud800", "e\udfff", "eth0\x1b[2J", "e" * 16, " eth2")
    answer = read_answer(json0(interface(), *(interface(name) for name in impossible)))
    assert set(answer.neighbours) == {"eth0"}
    assert answer.problems == ("a neighbour on an interface whose name cannot be one (5 times)",)
    assert set(read_answer("lldp.e\udcff.via=LLDP\nlldp.e\udcff.chassis.mac=b8:ce:f6:00:00:01\n").neighbours) == set()


def test_whatever_a_neighbour_calls_itself_can_be_written_as_json() -> None:
    bad = "\ud800leaf\udfff"
    hostile = interface(system=bad, mac=bad)
    hostile["port"] = [{"id": [{"type": bad, "value": bad}]}]
    assert told(json0(hostile)) == {"eth0": [("b8:ce:f6:00:00:leaf", "mac", "leaf", "leaf", "leaf")]}


def test_an_address_with_a_zone_of_any_length_is_bounded() -> None:
    hostile = interface()
    hostile["port"] = [{"id": [{"type": "ip", "value": "fe80::1%" + "z" * 5000}]}]
    ((leaf,),) = told(json0(hostile)).values()
    assert len(leaf[2] or "") == MAX_ID


words = st.sampled_from(["lldp", "interface", "name", "via", "LLDP", "chassis", "port", "id", "type", "value", "mac"])
texts = st.text(st.characters(), max_size=8)
"""Halves of surrogate pairs among them, which JSON can spell and no report can hold."""
documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words | texts, inner, max_size=5),
    max_leaves=30,
)


@given(documents | st.builds(lambda inner: {"lldp": {"interface": inner}}, documents))
@settings(max_examples=150)
def test_any_document_is_harmless(document: object) -> None:
    for name_of_interface, neighbours in told(json.dumps(document)).items():
        assert name_of_interface.isprintable()
        for chassis, chassis_subtype, port, port_subtype, name in neighbours:
            for text in (chassis, chassis_subtype, port, port_subtype, name):
                assert text is None or text.isprintable()
            assert len(chassis or "") <= MAX_ID
            assert len(port or "") <= MAX_ID


@given(st.text(max_size=200), st.integers(0, 400))
@settings(max_examples=80)
def test_any_text_and_any_cut_is_harmless(text: str, at: int) -> None:
    read_answer(text)
    read_answer("lldp." + text)
    cut = json0(interface())[:at]
    assert set(read_answer(cut).neighbours) <= {"eth0"}
