"""The netlink messages that are asked for and understood here: links, and what ethtool tells of one interface.

pyroute2 encodes and decodes them. It knows no message of ethtool's statistics; those are declared here, by the names of
the kernel's include/uapi/linux/ethtool_netlink.h.
"""

from __future__ import annotations

import struct
from functools import cache, lru_cache
from typing import Any, TypeVar

from pyroute2.netlink import NLA_F_NESTED, NLM_F_DUMP, NLM_F_REQUEST, ctrlmsg, genlmsg, nla
from pyroute2.netlink.exceptions import NetlinkDecodeError
from pyroute2.netlink.generic.ethtool import ethtoolbitset, ethtoolheader
from pyroute2.netlink.rtnl.ifinfmsg import ifinfmsg

GETLINK, NEWLINK, DELLINK = 18, 16, 17
CONTROLLER, GET_FAMILY = 16, 3
LINKMODES_GET, FEC_GET, STATS_GET = 4, 29, 32
WITHOUT_STATISTICS = 8
"""Of IFLA_EXT_MASK: byte counts are of no use here, and long."""
_WITH_STATISTICS = 4
"""Of ETHTOOL_A_HEADER_FLAGS."""
_QUESTIONS = 256
"""Of one kind that are kept: the same are asked at every look, and to encode one takes longer than the answer."""
_ETH_PHY = 0
"""The group of ETHTOOL_MSG_STATS_GET that IEEE 802.3 counts below the MAC."""

Decoded = Any
"""A message or an attribute of attributes of pyroute2, which is not typed."""

UNDECODABLE = (NetlinkDecodeError, struct.error, LookupError, ValueError, TypeError, AttributeError)
"""What pyroute2 raises of bytes that are no such message."""

T = TypeVar("T")


class LinkModes(genlmsg):  # type: ignore[misc]  # pyroute2 is not typed
    """ETHTOOL_MSG_LINKMODES_GET and its answer."""

    nla_map = (
        ("ETHTOOL_A_LINKMODES_UNSPEC", "none"),
        ("ETHTOOL_A_LINKMODES_HEADER", "ethtoolheader"),
        ("ETHTOOL_A_LINKMODES_AUTONEG", "uint8"),
        ("ETHTOOL_A_LINKMODES_OURS", "ethtoolbitset"),
        ("ETHTOOL_A_LINKMODES_PEER", "hex"),
        ("ETHTOOL_A_LINKMODES_SPEED", "uint32"),
        ("ETHTOOL_A_LINKMODES_DUPLEX", "uint8"),
        ("ETHTOOL_A_LINKMODES_MASTER_SLAVE_CFG", "uint8"),
        ("ETHTOOL_A_LINKMODES_MASTER_SLAVE_STATE", "uint8"),
        ("ETHTOOL_A_LINKMODES_LANES", "uint32"),
    )
    ethtoolheader = ethtoolheader
    ethtoolbitset = ethtoolbitset


class FecMode(genlmsg):  # type: ignore[misc]  # pyroute2 is not typed
    """ETHTOOL_MSG_FEC_GET and its answer; statistics are arrays of 64-bit numbers, the sum and then each lane."""

    nla_map = (
        ("ETHTOOL_A_FEC_UNSPEC", "none"),
        ("ETHTOOL_A_FEC_HEADER", "ethtoolheader"),
        ("ETHTOOL_A_FEC_MODES", "hex"),
        ("ETHTOOL_A_FEC_AUTO", "uint8"),
        ("ETHTOOL_A_FEC_ACTIVE", "uint32"),
        ("ETHTOOL_A_FEC_STATS", "statistics"),
    )
    ethtoolheader = ethtoolheader

    class statistics(nla):  # type: ignore[misc]  # noqa: N801 - pyroute2 finds it by this name
        """ETHTOOL_A_FEC_STAT_*."""

        nla_flags = NLA_F_NESTED
        nla_map = (
            ("ETHTOOL_A_FEC_STAT_UNSPEC", "none"),
            ("ETHTOOL_A_FEC_STAT_PAD", "none"),
            ("ETHTOOL_A_FEC_STAT_CORRECTED", "cdata"),
            ("ETHTOOL_A_FEC_STAT_UNCORR", "cdata"),
            ("ETHTOOL_A_FEC_STAT_CORR_BITS", "cdata"),
        )


class Statistics(genlmsg):  # type: ignore[misc]  # pyroute2 is not typed
    """ETHTOOL_MSG_STATS_GET of the group eth-phy and its answer."""

    nla_map = (
        ("ETHTOOL_A_STATS_UNSPEC", "none"),
        ("ETHTOOL_A_STATS_PAD", "none"),
        ("ETHTOOL_A_STATS_HEADER", "ethtoolheader"),
        ("ETHTOOL_A_STATS_GROUPS", "ethtoolbitset"),
        ("ETHTOOL_A_STATS_GRP", "group"),
    )
    ethtoolheader = ethtoolheader
    ethtoolbitset = ethtoolbitset

    class group(nla):  # type: ignore[misc]  # noqa: N801 - pyroute2 finds it by this name
        """ETHTOOL_A_STATS_GRP_*."""

        nla_flags = NLA_F_NESTED
        nla_map = (
            ("ETHTOOL_A_STATS_GRP_UNSPEC", "none"),
            ("ETHTOOL_A_STATS_GRP_PAD", "none"),
            ("ETHTOOL_A_STATS_GRP_ID", "uint32"),
            ("ETHTOOL_A_STATS_GRP_SS_ID", "uint32"),
            ("ETHTOOL_A_STATS_GRP_STAT", "statistic"),
        )

        class statistic(nla):  # type: ignore[misc]  # noqa: N801 - pyroute2 finds it by this name
            """One counter; its number within the group is its attribute's type."""

            nla_flags = NLA_F_NESTED
            nla_map = (("ETHTOOL_A_STATS_ETH_PHY_5_SYM_ERR", "uint64"),)


@cache
def every_link() -> bytes:
    """Ask for all links, without their statistics."""
    message = ifinfmsg()
    message["attrs"] = [("IFLA_EXT_MASK", WITHOUT_STATISTICS)]
    return _encoded(message, GETLINK, NLM_F_REQUEST | NLM_F_DUMP)


@cache
def ethtool_family() -> bytes:
    """Ask for the number of the family `ethtool`."""
    message = ctrlmsg()
    message["cmd"], message["version"] = GET_FAMILY, 1
    message["attrs"] = [("CTRL_ATTR_FAMILY_NAME", "ethtool")]
    return _encoded(message, CONTROLLER)


def link_modes(family: int, index: int) -> bytes:
    """Ask for the speeds of an interface."""
    return _asking(LinkModes(), LINKMODES_GET, family, ("ETHTOOL_A_LINKMODES_HEADER", _header(index)))


@lru_cache(_QUESTIONS)
def fec_statistics(family: int, index: int) -> bytes:
    """Ask for what forward error correction did."""
    return _asking(FecMode(), FEC_GET, family, ("ETHTOOL_A_FEC_HEADER", _header(index, _WITH_STATISTICS)))


@lru_cache(_QUESTIONS)
def phy_statistics(family: int, index: int) -> bytes:
    """Ask for the symbol errors."""
    groups: list[tuple[str, object]] = [("ETHTOOL_A_BITSET_SIZE", 4), ("ETHTOOL_A_BITSET_NOMASK", True)]
    one = {"attrs": [("ETHTOOL_A_BITSET_BIT_INDEX", _ETH_PHY)]}
    groups.append(("ETHTOOL_A_BITSET_BITS", {"attrs": [("ETHTOOL_A_BITSET_BITS_BIT", one)]}))
    return _asking(
        Statistics(),
        STATS_GET,
        family,
        ("ETHTOOL_A_STATS_HEADER", _header(index)),
        ("ETHTOOL_A_STATS_GROUPS", {"attrs": groups}),
    )


def decoded(kind: type, data: bytes) -> Decoded:
    """A message that was received. Raises one of UNDECODABLE."""
    message: Decoded = kind(data)
    message.decode()
    return message


def told(within: Decoded, name: str, kind: type[T]) -> T | None:
    """An attribute; None where it is not there, or is of another kind than it should be."""
    value = within.get(name) if hasattr(within, "get") else None
    return value if isinstance(value, kind) else None


def inner(within: Decoded, name: str) -> Decoded:
    """An attribute of attributes; None where it is not there, or holds something else."""
    value = within.get(name) if hasattr(within, "get") else None
    return value if hasattr(value, "get_attrs") else None


def every(within: Decoded, name: str) -> list[Decoded]:
    """All attributes of that name that hold attributes."""
    values = within.get_attrs(name) if hasattr(within, "get_attrs") else ()
    return [value for value in values if hasattr(value, "get_attrs")]


def _header(index: int, flags: int = 0) -> dict[str, object]:
    attributes = [("ETHTOOL_A_HEADER_DEV_INDEX", index)]
    return {"attrs": [*attributes, ("ETHTOOL_A_HEADER_FLAGS", flags)] if flags else attributes}


def _asking(message: Decoded, command: int, family: int, *attributes: tuple[str, object]) -> bytes:
    message["cmd"], message["version"] = command, 1
    message["attrs"] = list(attributes)
    return _encoded(message, family)


def _encoded(message: Decoded, kind: int, flags: int = NLM_F_REQUEST) -> bytes:
    message["header"] |= {"type": kind, "flags": flags, "sequence_number": 1}
    message.encode()
    return bytes(message.data)
