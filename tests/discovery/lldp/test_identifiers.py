"""Ids and names as text, of every subtype and of what no standard foresees."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from discovery.lldp.identifiers import MAX_ID, MAX_NAME, chassis_id, port_id, system_name, told_id

MAC = bytes.fromhex("B8CEF6A0B1C2")


@pytest.mark.parametrize(
    ("subtype", "raw", "expected"),
    [
        (0, b"odd", ("odd", "0")),
        (1, b"chassis 7", ("chassis 7", "chassis")),
        (2, b"uplink", ("uplink", "ifalias")),
        (3, b"backplane-2", ("backplane-2", "port")),
        (4, MAC, ("b8:ce:f6:a0:b1:c2", "mac")),
        (4, bytes(6), (None, "mac")),
        (4, b"\1\2\3", ("01:02:03", "mac")),
        (5, b"\1\x0a\0\0\7", ("10.0.0.7", "ip")),
        (5, b"\1\0\0\0\0", (None, "ip")),
        (5, b"\2" + bytes.fromhex("fe80") + bytes(13) + b"\1", ("fe80::1", "ip")),
        (5, b"\1\x0a\0", ("01:0a:00", "ip")),
        (5, b"\7leaf", ("07:6c:65:61:66", "ip")),
        (6, b"Ethernet1/1\0\0", ("Ethernet1/1", "ifname")),
        (7, b"leaf-01", ("leaf-01", "local")),
        (7, MAC, ("b8:ce:f6:a0:b1:c2", "local")),
        (255, b" \t", ("20:09", "255")),
        (7, b"", (None, "local")),
    ],
)
def test_chassis_ids(subtype: int, raw: bytes, expected: tuple[str | None, str]) -> None:
    assert chassis_id(subtype, raw) == expected


@pytest.mark.parametrize(
    ("subtype", "raw", "expected"),
    [
        (0, b"1024", ("1024", "0")),
        (1, b"to gpu-07", ("to gpu-07", "ifalias")),
        (2, b"line 3", ("line 3", "port")),
        (3, MAC, ("b8:ce:f6:a0:b1:c2", "mac")),
        (4, b"\1\x0a\0\0\7", ("10.0.0.7", "ip")),
        (5, "Глава/1".encode(), ("Глава/1", "ifname")),
        (6, b"\1\0\0", ("01:00:00", "agent")),
        (7, b"533", ("533", "local")),
        (7, b"1/1\n2", ("31:2f:31:0a:32", "local")),
    ],
)
def test_port_ids(subtype: int, raw: bytes, expected: tuple[str | None, str]) -> None:
    assert port_id(subtype, raw) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"leaf-01.pod3", "leaf-01.pod3"),
        (b" leaf\x1b[31m-01\0\0", "leaf[31m-01"),
        ("leaf\u202e10-\u200b".encode(), "leaf10-"),
        (b"leaf\xff", "leaf\ufffd"),
        (b"\0\n\t", None),
        (b"", None),
        (b"n" * 255, "n" * MAX_NAME),
    ],
)
def test_names_are_cleaned_and_bounded(raw: bytes, expected: str | None) -> None:
    assert system_name(raw) == expected


def test_long_ids_that_differ_stay_different() -> None:
    one, other = (chassis_id(7, b"x" * 250 + last)[0] for last in (b"1", b"2"))
    assert one is not None
    assert other is not None
    assert one != other
    assert len(one) == len(other) == MAX_ID


@pytest.mark.parametrize(
    ("subtype", "text", "raw"),
    [("mac", "B8-CE-F6-A0-B1-C2", MAC), ("mac", "00:00:00:00:00:00", bytes(6)), ("local", "a\0", b"a\0")],
)
def test_an_id_in_lldpds_words_is_spelled_as_from_its_bytes(subtype: str, text: str, raw: bytes) -> None:
    assert told_id(subtype, text) == chassis_id({"mac": 4, "local": 7}[subtype], raw)[0]


@given(st.text(max_size=300), st.sampled_from(["mac", "ip", "ifname", "local", "unhandled", ""]))
@settings(max_examples=100)
def test_any_words_make_a_printable_bounded_id(text: str, subtype: str) -> None:
    made = told_id(subtype, text)
    assert made is None or (made.isprintable() and 0 < len(made) <= MAX_ID)


@given(st.text(min_size=1, max_size=255))
@example(" ")
@settings(max_examples=100)
def test_an_id_that_is_text_reads_the_same_from_bytes_and_from_lldpds_words(text: str) -> None:
    raw = text.encode("utf-8", "surrogatepass")
    from_bytes, _ = port_id(5, raw)
    if text.isprintable():
        assert from_bytes == told_id("ifname", text)
