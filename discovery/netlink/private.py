"""The statistics that a driver names itself (`ethtool -S`): for drivers that do not count as IEEE 802.3 does."""

from __future__ import annotations

import array
import fcntl
import socket
import struct
from typing import Final

from discovery.netlink.links import PrivateStatistics
from discovery.samples import Counters

SYMBOL_ERRORS: Final = ("rx_symbol_err_phy", "rx_pcs_symbol_err")
UNCORRECTABLE: Final = ("fec_uncorrectable_blocks", "rx_fec_uncorrectable_blocks", "rx_fec_uncorrectable_errors")
"""In order of preference."""
_SIOCETHTOOL, _GSTRINGS, _GSTATS, _GSSET_INFO = 0x8946, 0x1B, 0x1D, 0x37
_STATISTICS = 1
_NAME = 32
_MOST = 65_536
"""Statistics of one interface; the buffer has room for so many, whatever the driver counts by now."""


def find(interface: str) -> PrivateStatistics | None:
    """Where the driver counts errors; None where it has no such statistics, or cannot be asked."""
    names = names_of(interface)
    symbols, blocks = _first(names, SYMBOL_ERRORS), _first(names, UNCORRECTABLE)
    return None if symbols is None and blocks is None else PrivateStatistics(len(names), symbols, blocks)


def read(interface: str, places: PrivateStatistics) -> Counters | None:
    """The errors that the driver counted; None where its list has changed, so that the places are wrong."""
    values = values_of(interface, places.count)
    if not values:
        return None
    return Counters(
        symbol_errors=_counted(values, places.symbol_errors),
        uncorrectable_blocks=_counted(values, places.uncorrectable_blocks),
    )


def names_of(interface: str) -> list[str]:
    """The names of all statistics of an interface, in the driver's order; none where it cannot be asked."""
    head = struct.Struct("=III")
    told = _ask(interface, struct.pack("=IIQI", _GSSET_INFO, 0, 1 << _STATISTICS, 0), 64)
    count = struct.unpack_from("=I", told, 16)[0] if told else 0
    if not 0 < count <= _MOST:
        return []
    told = _ask(interface, head.pack(_GSTRINGS, _STATISTICS, count), head.size + _MOST * _NAME)
    given = min(count, head.unpack_from(told)[2]) if told else 0
    rows = (told[head.size + row * _NAME :][:_NAME] for row in range(given))
    return [row.partition(b"\0")[0].decode("ascii", "replace") for row in rows]


def values_of(interface: str, count: int) -> list[int]:
    """The values of that many statistics, in the same order; none where the driver counts more or fewer by now."""
    head = struct.Struct("=II")
    told = _ask(interface, head.pack(_GSTATS, count), head.size + _MOST * 8)
    given = head.unpack_from(told)[1] if told else 0
    return list(struct.unpack_from(f"={count}Q", told, head.size)) if given == count else []


def _ask(interface: str, question: bytes, room: int) -> bytes:
    """What the kernel writes over the question; nothing where it refuses."""
    answer = array.array("B", question.ljust(room, b"\0"))
    request = struct.pack("16sP", interface.encode()[:15], answer.buffer_info()[0])
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            fcntl.ioctl(any_socket, _SIOCETHTOOL, request)
    except OSError:
        return b""
    return answer.tobytes()


def _first(names: list[str], wanted: tuple[str, ...]) -> int | None:
    return next((names.index(name) for name in wanted if name in names), None)


def _counted(values: list[int], place: int | None) -> int | None:
    return None if place is None or values[place] == 2**64 - 1 else values[place]
