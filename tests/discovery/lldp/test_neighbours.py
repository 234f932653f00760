"""One list a port, whoever heard it."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from discovery.identity import ChassisId
from discovery.lldp.frames import Frame, read_frame
from discovery.lldp.neighbours import MAX_NEIGHBOURS, combine, folded, is_adapter
from discovery.reports import Neighbour
from tests.discovery.lldp.building import captured


def a_neighbour(chassis: str, port: str, subtype: str = "ifname", name: str | None = "leaf-01") -> Neighbour:
    return Neighbour(
        chassisId=ChassisId(chassis), chassisIdSubtype="mac", portId=port, portIdSubtype=subtype, systemName=name
    )


LEAF = a_neighbour("b8:ce:f6:00:00:01", "Ethernet1/1")
OTHER = a_neighbour("b8:ce:f6:00:00:02", "Ethernet1/1", name="leaf-02")
FIRMWARE = a_neighbour("50:6b:4b:f6:1e:b3", "50:6b:4b:f6:1e:b1", "mac", None)


def test_the_firmware_of_a_captured_adapter_is_told_apart_from_captured_switches(shared_data: Path) -> None:
    found = {}
    for file in ("connectx.pcap", "8023bt.pcap", "sg200.pcap"):
        (data,) = captured(shared_data / "lldp" / file)
        frame = read_frame(data)
        assert isinstance(frame, Frame)
        found[file] = is_adapter(frame.neighbour)
    assert found == {"connectx.pcap": True, "8023bt.pcap": False, "sg200.pcap": False}


def test_an_adapters_firmware_and_the_system_above_it_are_one_neighbour() -> None:
    assert folded([FIRMWARE, a_neighbour("50:6b:4b:f6:1e:b3", "eth2", name="gpu-07")]) == (
        a_neighbour("50:6b:4b:f6:1e:b3", "eth2", name="gpu-07"),
    )
    assert folded([FIRMWARE]) == (FIRMWARE,)


def test_what_two_sources_hear_is_told_once_and_a_port_that_the_first_hears_nobody_on_is_the_seconds() -> None:
    assert combine({"eth0": (LEAF,), "eth1": (OTHER,)}, {"eth0": (LEAF,), "eth2": (LEAF,)}) == {
        "eth0": (LEAF,), "eth1": (OTHER,), "eth2": (LEAF,),
    }  # fmt: skip
    assert combine({"eth0": (OTHER,)}, {"eth0": (LEAF, FIRMWARE)}) == {"eth0": (OTHER,)}  # a cable was moved
    assert combine({"eth0": ()}, {"eth0": (LEAF, FIRMWARE)}) == {"eth0": (LEAF,)}
    assert combine({"eth0": ()}, {}) == {}


def test_of_two_frames_of_one_port_the_name_is_kept() -> None:
    unnamed = a_neighbour("b8:ce:f6:00:00:01", "Ethernet1/1", name=None)
    assert folded([unnamed, LEAF]) == folded([LEAF, unnamed]) == (LEAF,)


def test_two_links_to_one_switch_are_two() -> None:
    second = a_neighbour("b8:ce:f6:00:00:01", "Ethernet1/2")
    assert folded([second, LEAF]) == (LEAF, second)


neighbours = st.lists(
    st.builds(
        a_neighbour, st.sampled_from("abcd"), st.sampled_from("123"), st.sampled_from(["mac", "ifname"]),
        st.sampled_from([None, "leaf-01"]),
    ),
    max_size=20,
)  # fmt: skip


@given(neighbours, neighbours)
@settings(max_examples=100)
def test_the_list_is_bounded_in_order_without_repetition_and_stays_when_folded_again(
    one: list[Neighbour], other: list[Neighbour]
) -> None:
    told = folded([*one, *other])
    keys = [(neighbour.chassisId, neighbour.portId) for neighbour in told]
    assert keys == sorted(set(keys))
    assert len(told) <= MAX_NEIGHBOURS
    assert folded(told) == told
    assert bool(told) == bool(one or other)
