"""What the kernel says of one network interface, read from its message (`struct ifinfomsg` and its attributes)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from pyroute2.netlink.rtnl.ifinfmsg import ifinfmsg

from discovery.netlink.messages import UNDECODABLE, Decoded, decoded, inner, told
from discovery.netlink.talking import HEAD

_ETHERNET = 1
"""ARPHRD_ETHER."""
_UP = 1
"""IFF_UP."""
_KEPT = 512
"""Messages whose meaning is remembered: one look is like the last, and decoding is what takes long."""
_SAME_FOR_ALL = 8
"""Bytes of a header that say what it is; the rest numbers the question and the socket."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced:
    """One interface."""

    name: str
    index: int
    ethernet: bool
    up: bool
    carrier: int | None
    carrier_changes: int | None
    carrier_down_count: int | None
    mac: str | None
    """The address that the NIC was made with, also while it bears that of its bond."""
    master: int | None
    """The index of what it is a member of."""
    is_bond: bool


def read_announced(message: bytes) -> Announced | None:
    """None where it cannot be understood, or has no name."""
    return _understood(message[:_SAME_FOR_ALL] + bytes(HEAD.size - _SAME_FOR_ALL) + message[HEAD.size :])


@lru_cache(_KEPT)
def _understood(message: bytes) -> Announced | None:
    try:
        found = decoded(ifinfmsg, message)
    except UNDECODABLE:
        return None
    name = told(found, "IFLA_IFNAME", str)
    if not name:
        return None
    return Announced(
        name=name,
        index=found["index"],
        ethernet=found["ifi_type"] == _ETHERNET,
        up=bool(found["flags"] & _UP),
        carrier=told(found, "IFLA_CARRIER", int),
        carrier_changes=told(found, "IFLA_CARRIER_CHANGES", int),
        carrier_down_count=told(found, "IFLA_CARRIER_DOWN_COUNT", int),
        mac=_own_mac(found),
        master=told(found, "IFLA_MASTER", int),
        is_bond=told(inner(found, "IFLA_LINKINFO"), "IFLA_INFO_KIND", str) == "bond",
    )


def _own_mac(message: Decoded) -> str | None:
    as_member = inner(inner(message, "IFLA_LINKINFO"), "IFLA_INFO_SLAVE_DATA")
    candidates = (
        told(as_member, "IFLA_BOND_SLAVE_PERM_HWADDR", str),
        told(message, "IFLA_PERM_ADDRESS", str),
        told(message, "IFLA_ADDRESS", str),
    )
    return next((mac.lower() for mac in candidates if mac and mac.strip("0:")), None)
