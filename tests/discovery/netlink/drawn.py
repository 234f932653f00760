"""Drawn netlink messages, packed by hand as the kernel's headers say (linux/rtnetlink.h, linux/ethtool_netlink.h)."""

from __future__ import annotations

import struct

NEWLINK, DELLINK = 16, 17
UP, RUNNING, LOWER_UP = 0x1, 0x40, 0x10000
IFNAME, ADDRESS, MASTER, LINKINFO, CARRIER, CHANGES, PERM_ADDRESS, DOWN_COUNT = 3, 1, 10, 18, 33, 35, 54, 48


def message(kind: int, body: bytes) -> bytes:
    """A whole message."""
    return struct.pack("=IHHII", 16 + len(body), kind, 0, 1, 0) + body


def attribute(kind: int, value: bytes) -> bytes:
    """One attribute, padded to four bytes."""
    head = struct.pack("=HH", 4 + len(value), kind)
    return head + value + b"\0" * (-len(value) % 4)


def nested(kind: int, *inner: bytes) -> bytes:
    """An attribute of attributes (NLA_F_NESTED)."""
    return attribute(kind | 0x8000, b"".join(inner))


def link(index: int, name: str, *attributes: bytes, flags: int = UP | RUNNING | LOWER_UP, kind: int = NEWLINK) -> bytes:
    """An interface that is up and has a carrier, unless its attributes say more."""
    body = struct.pack("=BxHiII", 0, 1, index, flags, 0)
    return message(kind, body + attribute(IFNAME, name.encode() + b"\0") + b"".join(attributes))


def bond(index: int, name: str) -> bytes:
    """A bond."""
    return link(index, name, nested(LINKINFO, attribute(1, b"bond\0")))


def member(index: int, name: str, master: int, mac: bytes, own: bytes) -> bytes:
    """A member of a bond, which bears the bond's address."""
    slave = nested(LINKINFO, attribute(4, b"bond\0"), nested(5, attribute(4, own)))
    return link(index, name, attribute(ADDRESS, mac), attribute(MASTER, struct.pack("=I", master)), slave)


def generic(command: int, *attributes: bytes) -> bytes:
    """An answer of a generic family."""
    return message(21, struct.pack("=BBxx", command, 1) + b"".join(attributes))


def link_modes(names: list[str], speed: int, lanes: int | None = None) -> bytes:
    """ETHTOOL_MSG_LINKMODES_GET_REPLY with these supported modes."""
    bits = [
        nested(1, attribute(1, struct.pack("=I", number)), attribute(2, name.encode() + b"\0"), attribute(3, b""))
        for number, name in enumerate(names)
    ]
    ours = nested(3, attribute(2, struct.pack("=I", 121)), nested(3, *bits))
    told = [attribute(9, struct.pack("=I", lanes))] if lanes else []
    return generic(4, ours, attribute(5, struct.pack("=I", speed)), *told)


def phy_statistics(symbol_errors: int | None) -> bytes:
    """ETHTOOL_MSG_STATS_GET_REPLY of the group eth-phy."""
    counted = [] if symbol_errors is None else [nested(4, attribute(0, struct.pack("=Q", symbol_errors)))]
    return generic(33, nested(4, attribute(2, struct.pack("=I", 0)), attribute(3, struct.pack("=I", 17)), *counted))


def fec_statistics(*uncorrectable: int) -> bytes:
    """ETHTOOL_MSG_FEC_GET_REPLY with the sum and the lanes."""
    corrected = attribute(2, struct.pack("=Q", 987654321))
    counted = attribute(3, struct.pack(f"={len(uncorrectable)}Q", *uncorrectable)) if uncorrectable else b""
    return generic(30, attribute(3, b"\0"), nested(5, corrected, counted))
