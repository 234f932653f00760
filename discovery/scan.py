"""A scan: what one sweep of one subnet saw, as columns.

Rows exist by the hundred thousand here, so nodes and links are numpy columns that share an index; everything that is
concluded from them belongs to the topology room. A scan is the common form of a captured file (the ibnetdiscover probe)
and of SwitchReports (`discovery.reports`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray


class NodeKind(IntEnum):
    """What stands at the end of a cable (`Switch`, `Ca`, `Rt` of ibnetdiscover; a SHARP aggregation node is a `Ca`)."""

    SWITCH = 0
    HOST = 1
    ROUTER = 2
    AGGREGATION = 3


class Speed(IntEnum):
    """The signalling rate of one lane, slowest first; 0 is unknown, never "no speed". Of Ethernet the rate of a whole
    port, which counts as one lane; the rates of the two link layers are never compared."""

    UNKNOWN = 0
    SDR = 1
    DDR = 2
    QDR = 3
    FDR10 = 4
    FDR = 5
    EDR = 6
    HDR = 7
    NDR = 8
    XDR = 9
    ETHERNET_1G = 10
    ETHERNET_10G = 11
    ETHERNET_25G = 12
    ETHERNET_40G = 13
    ETHERNET_50G = 14
    ETHERNET_100G = 15
    ETHERNET_200G = 16
    ETHERNET_400G = 17
    ETHERNET_800G = 18
    ETHERNET_1600G = 19

    @property
    def spelled(self) -> str:
        """As reports and sentences have it: `NDR`, `400G`."""
        return self.name.removeprefix("ETHERNET_")


GIGABITS_PER_LANE: Mapping[Speed, float] = {
    Speed.UNKNOWN: 0.0,
    Speed.SDR: 2.5,
    Speed.DDR: 5.0,
    Speed.QDR: 10.0,
    Speed.FDR10: 10.3125,
    Speed.FDR: 14.0625,
    Speed.EDR: 25.78125,
    Speed.HDR: 53.125,
    Speed.NDR: 106.25,
    Speed.XDR: 212.5,
    **{speed: float(speed.spelled[:-1]) for speed in Speed if speed > Speed.XDR},
}
"""Nominal gigabits a second of one lane (IBTA volume 1, link speeds), or of a port of Ethernet."""


def ethernet_speed(megabits: int | None) -> Speed:
    """The rate of a port that is told in megabits a second: the next lower of those known; unknown below 1 Gb/s."""
    known = [speed for speed in Speed if speed > Speed.XDR and GIGABITS_PER_LANE[speed] * 1000 <= (megabits or 0)]
    return max(known, default=Speed.UNKNOWN)


@dataclass(frozen=True, slots=True, eq=False)
class NodeColumns:
    """One row a node. GUIDs are 64-bit numbers; 0 is "not known", for an all-zero GUID is no identity."""

    guid: NDArray[np.uint64]
    system_guid: NDArray[np.uint64]
    kind: NDArray[np.uint8]
    vendor_id: NDArray[np.uint32]
    device_id: NDArray[np.uint32]
    port_count: NDArray[np.uint16]
    described: NDArray[np.bool_]
    """False for a node that was only seen as somebody's neighbour (it has no block of its own)."""
    description: tuple[str, ...]
    """As the node itself gives it (its block); the neighbour's text where it has no block."""

    def __len__(self) -> int:
        return len(self.description)


@dataclass(frozen=True, slots=True, eq=False)
class LinkColumns:
    """One row a cable (not one a line: a cable that both ends report is one row). `a` is the end that comes first by
    (node index, port); a cable from a node to itself has both ends on one node. Ports count from 1, 0 is unknown."""

    a_node: NDArray[np.int32]
    a_port: NDArray[np.int16]
    b_node: NDArray[np.int32]
    b_port: NDArray[np.int16]
    a_port_guid: NDArray[np.uint64]
    b_port_guid: NDArray[np.uint64]
    width: NDArray[np.uint8]
    """Lanes: 1, 2, 4, 8, 12; 0 unknown."""
    speed: NDArray[np.uint8]
    """A `Speed`; 0 unknown. Where the ends differ, the slower one."""
    reported_by: NDArray[np.uint8]
    """Bit 0: the `a` end reports it; bit 1: the `b` end does."""

    def __len__(self) -> int:
        return len(self.a_node)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the input that could not be used: where, what, and why. `line` counts from 1, 0 for the whole."""

    line: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """One sweep of one subnet from one port."""

    source: str
    nodes: NodeColumns
    links: LinkColumns
    problems: tuple[Problem, ...] = ()
    spelled: Mapping[int, str] | None = None
    """The spelling of identities that are no hexadecimal GUID (redacted dumps), by their stand-in number."""
    complete: bool = True
    """False when an error line of the tool says that part of the fabric was not reached."""
    ethernet: NDArray[np.bool_] | None = None
    """By node: its link layer is Ethernet; None: that of all of them is InfiniBand."""


def spell_guid(guid: int, spelled: Mapping[int, str] | None = None) -> str | None:
    """The 16 hexadecimal digits of a GUID, or its own spelling where it has one; None for 0 (unknown)."""
    if spelled and guid in spelled:
        return spelled[guid]
    return f"{guid:016x}" if guid else None
