"""Frames made by hand, and frames read from captures."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

GROUP = bytes.fromhex("0180c200000e")
SOURCE = bytes.fromhex("020000000001")
ETHERNET = GROUP + SOURCE
LLDP = b"\x88\xcc"


def tlv(kind: int, value: bytes) -> bytes:
    """Kind in 7 bits, length in 9."""
    return struct.pack("!H", kind << 9 | len(value)) + value


def chassis(subtype: int = 4, value: bytes = bytes.fromhex("b8cef6000001")) -> bytes:
    return tlv(1, bytes([subtype]) + value)


def port(subtype: int = 5, value: bytes = b"Ethernet1/1") -> bytes:
    return tlv(2, bytes([subtype]) + value)


def ttl(seconds: int = 120) -> bytes:
    return tlv(3, struct.pack("!H", seconds))


def name(text: bytes = b"leaf-01") -> bytes:
    return tlv(5, text)


END = tlv(0, b"")


def frame(*tlvs: bytes, tags: bytes = b"") -> bytes:
    """A frame of these TLVs and nothing else; the padding to 60 bytes included."""
    return (ETHERNET + tags + LLDP + b"".join(tlvs)).ljust(60, b"\0")


def a_frame(leaf: int = 1, seconds: int = 120, text: bytes = b"leaf-01") -> bytes:
    """An ordinary one, of the leaf of that number."""
    return frame(chassis(value=bytes.fromhex("b8cef60000") + bytes([leaf])), port(), ttl(seconds), name(text), END)


def captured(path: Path) -> Iterator[bytes]:
    """The frames of a pcap file in the byte order of this machine's kind."""
    data = path.read_bytes()
    assert data[:4] == bytes.fromhex("d4c3b2a1")
    at = 24
    while at < len(data):
        length = int(struct.unpack_from("<I", data, at + 8)[0])
        yield data[at + 16 : at + 16 + length]
        at += 16 + length
