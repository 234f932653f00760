"""What a frame says, and that no frame does harm."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discovery.identity import ChassisId
from discovery.lldp.frames import (
    MAX_FRAME,
    MAX_TLVS,
    NO_CHASSIS,
    NO_PORT,
    NO_TTL,
    NOT_LLDP,
    TOO_LARGE,
    TOO_SHORT,
    Frame,
    Unusable,
    read_frame,
)
from discovery.lldp.identifiers import MAX_ID, MAX_NAME
from discovery.reports import Neighbour
from tests.discovery.lldp.building import END, a_frame, captured, chassis, frame, name, port, tlv, ttl

LEAF = Neighbour(
    chassisId=ChassisId("b8:ce:f6:00:00:01"), chassisIdSubtype="mac",
    portId="Ethernet1/1", portIdSubtype="ifname", systemName="leaf-01",
)  # fmt: skip


def read(*tlvs: bytes, tags: bytes = b"") -> Frame:
    found = read_frame(frame(*tlvs, tags=tags))
    assert isinstance(found, Frame)
    return found


def test_an_ordinary_frame() -> None:
    found = read_frame(a_frame())
    assert isinstance(found, Frame)
    assert (found.neighbour, found.ttl, found.skipped) == (LEAF, 120, 0)


CAPTURED = {
    "8023bt.pcap": ("c0:64:e4:a9:9b:80", "mac", "Gi1/0/2", "ifname", "cisco-bt-switch", 120),
    "connectx.pcap": ("50:6b:4b:f6:1e:b3", "mac", "50:6b:4b:f6:1e:b1", "mac", None, 48),
    "med-loc-malformed.pcap": ("0a:c0:de:9d:0a:74", "chassis", "3e:3e:3e:3e:3e:3e", "mac", "defensics", 16),
    "sg200.pcap": ("00:35:35:35:35:35", "mac", "g1", "ifname", None, 120),
}
"""Read from their bytes by hand."""


@pytest.mark.parametrize("file", CAPTURED)
def test_captured_frames(shared_data: Path, file: str) -> None:
    (data,) = captured(shared_data / "lldp" / file)
    found = read_frame(data)
    assert isinstance(found, Frame)
    told = found.neighbour
    assert CAPTURED[file] == (
        told.chassisId, told.chassisIdSubtype, told.portId, told.portIdSubtype, told.systemName, found.ttl
    )  # fmt: skip


def test_vlan_tags_are_passed_over() -> None:
    for tags in ("81000005", "88a80005" + "81000006"):
        assert read(chassis(), port(), ttl(), name(), END, tags=bytes.fromhex(tags)).neighbour == LEAF


def test_tlvs_in_any_order_unknown_ones_and_no_end_mark() -> None:
    odd = [tlv(127, b"\0\x12\x0f\x01\x02"), tlv(8, b"\xff" * 40), tlv(99, b""), tlv(6, b"text")]
    assert read(odd[0], name(), odd[1], ttl(), odd[2], port(), chassis(), odd[3]).neighbour == LEAF


def test_malformed_and_repeated_tlvs_are_passed_over_and_the_rest_counts() -> None:
    found = read(
        tlv(1, b""), tlv(1, b"\4"), chassis(), chassis(4, b"\1" * 6), port(), tlv(3, b"\1"), ttl(), name(), END
    )
    assert (found.neighbour, found.ttl, found.skipped) == (LEAF, 120, 4)


def test_a_length_that_leads_out_of_the_frame_ends_it_there() -> None:
    data = b"".join((frame()[:14], chassis(), port(), ttl(), name(), b"\x0c\xff", b"short"))
    found = read_frame(data)
    assert isinstance(found, Frame)
    assert (found.neighbour, found.skipped) == (LEAF, 1)


def test_a_frame_full_of_empty_tlvs_is_not_read_to_its_end() -> None:
    found = read(chassis(), port(), ttl(), *[tlv(9, b"")] * (MAX_TLVS - 3), name(), END)
    assert (found.neighbour.chassisId, found.neighbour.systemName, found.skipped) == (LEAF.chassisId, None, 1)


def test_what_stands_behind_the_end_mark_does_not_count() -> None:
    assert read(chassis(), port(), ttl(), END, name()).neighbour.systemName is None


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", TOO_SHORT),
        (frame()[:13], TOO_SHORT),
        (frame()[:12] + b"\x08\x00" + b"\0" * 46, NOT_LLDP),
        (frame(), NO_CHASSIS),
        (frame(port(), ttl()), NO_CHASSIS),
        (frame(chassis(), ttl()), NO_PORT),
        (frame(chassis(), port(), END), NO_TTL),
        (frame(chassis(), port(), ttl(), *[tlv(127, b"\0" * 500)] * 19), TOO_LARGE),
    ],
)
def test_a_frame_that_says_nothing_has_a_reason(data: bytes, reason: str) -> None:
    assert read_frame(data) == Unusable(reason)


def test_frames_of_one_sender_share_its_key_and_no_others_do() -> None:
    one = read(chassis(), port(), ttl(), name()).sender
    assert read(chassis(), port(), ttl(0), END).sender == one
    others = [
        read(chassis(7), port(), ttl()),
        read(chassis(), port(7), ttl()),
        read(chassis(), port(5, b"Ethernet1/2"), ttl()),
        read(chassis(4, bytes.fromhex("b8cef60000")), port(1, b"\5Ethernet1/1"), ttl()),
    ]
    assert len({one, *(other.sender for other in others)}) == 5


def test_cutting_a_frame_anywhere_keeps_what_stands_before_the_cut(shared_data: Path) -> None:
    for file in CAPTURED:
        (data,) = captured(shared_data / "lldp" / file)
        whole = read_frame(data)
        assert isinstance(whole, Frame)
        for length in range(len(data)):
            cut = read_frame(data[:length])
            if isinstance(cut, Frame):
                assert (cut.sender, cut.ttl) == (whole.sender, whole.ttl)
                assert cut.neighbour.systemName in (None, whole.neighbour.systemName)


def is_harmless(found: Frame | Unusable) -> bool:
    """What comes of a frame fits into a report."""
    if isinstance(found, Unusable):
        return True
    told = found.neighbour
    texts = (told.chassisId, told.portId, told.chassisIdSubtype, told.portIdSubtype)
    return (
        all(text is None or (text.isprintable() and 0 < len(text) <= MAX_ID) for text in texts)
        and (told.systemName is None or (told.systemName.isprintable() and 0 < len(told.systemName) <= MAX_NAME))
        and 0 <= found.ttl < 1 << 16
    )


@given(st.binary(max_size=MAX_FRAME + 2))
@settings(max_examples=60)
def test_any_bytes_are_harmless(data: bytes) -> None:
    assert is_harmless(read_frame(data))


@given(st.lists(st.tuples(st.integers(0, 9) | st.integers(0, 127), st.binary(max_size=511)), max_size=12))
@settings(max_examples=120)
def test_any_tlvs_are_harmless(tlvs: list[tuple[int, bytes]]) -> None:
    assert is_harmless(read_frame(frame(*(tlv(kind, value) for kind, value in tlvs))))


@given(
    st.sampled_from(sorted(CAPTURED)),
    st.lists(st.tuples(st.integers(0, 600), st.integers(0, 255)), min_size=1, max_size=6),
)
@settings(max_examples=150)
def test_captured_frames_with_bytes_changed_are_harmless(
    shared_data: Path, file: str, changes: list[tuple[int, int]]
) -> None:
    (data,) = captured(shared_data / "lldp" / file)
    changed = bytearray(data)
    for at, value in changes:
        changed[at % len(changed)] = value
    assert is_harmless(read_frame(bytes(changed)))


@given(
    st.integers(0, 255), st.binary(min_size=1, max_size=255),
    st.integers(0, 255), st.binary(min_size=1, max_size=255),
    st.integers(0, 65535),
)  # fmt: skip
@settings(max_examples=120)
def test_what_follows_or_surrounds_the_ids_changes_nothing_of_them(
    chassis_kind: int, chassis_value: bytes, port_kind: int, port_value: bytes, seconds: int
) -> None:
    ids = chassis(chassis_kind, chassis_value), port(port_kind, port_value), ttl(seconds)
    plain, decorated = read(*ids, END), read(tlv(127, b"\0" * 30), *ids, tlv(1, b""), name(), b"\x0b\xff")
    assert (plain.sender, plain.ttl) == (decorated.sender, decorated.ttl)
    assert plain.neighbour.chassisId == decorated.neighbour.chassisId
    assert plain.neighbour.portId == decorated.neighbour.portId
    assert plain.ttl == seconds
