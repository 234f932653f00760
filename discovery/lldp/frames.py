"""One frame of LLDP (IEEE 802.1AB, clause 8): who sends it, from which port, and for how long that counts.

Pure, and made for frames that anybody may send: a TLV that is unknown, malformed or repeated is passed over and the
rest counts; every step leads on by two bytes at least, so nothing loops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from discovery.lldp.identifiers import chassis_id, port_id, system_name
from discovery.reports import Neighbour

ETHERTYPE = 0x88CC
MAX_FRAME = 9_234
"""Bytes of a jumbo frame with its header and two VLAN tags; what is larger is dropped unread."""
MAX_TLVS = 256
"""So many are read of a frame; senders put 10 to 60 into one, the ids first."""
NOT_LLDP, TOO_SHORT, TOO_LARGE = "not LLDP", "too short", "too large"
NO_CHASSIS, NO_PORT, NO_TTL = "no chassis id", "no port id", "no time to live"
"""Why a frame is not used."""

_END, _CHASSIS, _PORT, _TTL, _SYSTEM_NAME = 0, 1, 2, 3, 5
_ADDRESSES, _HEADER = 12, 14
_VLAN_TAGS = (0x8100, 0x88A8)
_MOST_TAGS = 2
_TAG = 4
_LEAST_ID = 2
"""Bytes of an id: its subtype, and one byte at least."""
_KEPT = 128
"""Frames whose meaning is remembered: a neighbour says the same every 30 s."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What one frame says."""

    neighbour: Neighbour
    sender: bytes
    """Chassis and port id with their subtypes, as sent: frames of one sender have it in common."""
    source: bytes
    """The MAC that it came from."""
    ttl: int
    """Seconds; 0: the sender says goodbye."""
    skipped: int = 0
    """TLVs that could not be used."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """A frame that says nothing."""

    reason: str
    """One of those above."""


@lru_cache(_KEPT)
def read_frame(frame: bytes) -> Frame | Unusable:
    """A frame with its Ethernet header, VLAN tags or none."""
    if len(frame) > MAX_FRAME:
        return Unusable(TOO_LARGE)
    start = _payload(frame)
    if start is None:
        return Unusable(NOT_LLDP if len(frame) >= _HEADER else TOO_SHORT)
    first: dict[int, bytes] = {}
    skipped = 0
    for kind, value in _tlvs(frame, start):
        if kind not in (_CHASSIS, _PORT, _TTL, _SYSTEM_NAME):
            skipped += kind < 0
        elif kind in first or (kind != _SYSTEM_NAME and len(value) < _LEAST_ID):
            skipped += 1
        else:
            first[kind] = value
    for kind, reason in ((_CHASSIS, NO_CHASSIS), (_PORT, NO_PORT), (_TTL, NO_TTL)):
        if kind not in first:
            return Unusable(reason)
    chassis, port = first[_CHASSIS], first[_PORT]
    return Frame(
        _neighbour(chassis, port, first.get(_SYSTEM_NAME, b"")),
        sender=len(chassis).to_bytes(2, "big") + chassis + port,
        source=frame[_ADDRESSES // 2 : _ADDRESSES],
        ttl=int.from_bytes(first[_TTL][:2], "big"),
        skipped=skipped,
    )


def _neighbour(chassis: bytes, port: bytes, name: bytes) -> Neighbour:
    chassis_text, chassis_subtype = chassis_id(chassis[0], chassis[1:])
    port_text, port_subtype = port_id(port[0], port[1:])
    return Neighbour(
        chassisId=chassis_text,
        chassisIdSubtype=chassis_subtype,
        portId=port_text,
        portIdSubtype=port_subtype,
        systemName=system_name(name),
    )


def _payload(frame: bytes) -> int | None:
    """Where the TLVs begin; None where it is no LLDP."""
    at = _ADDRESSES
    for _ in range(_MOST_TAGS):
        if int.from_bytes(frame[at : at + 2], "big") in _VLAN_TAGS:
            at += _TAG
    return at + 2 if int.from_bytes(frame[at : at + 2], "big") == ETHERTYPE else None


def _tlvs(frame: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    """Kind (7 bits) and value of each, up to the end mark; -1 for one whose length leads out of the frame, or that is
    one too many."""
    for count in range(MAX_TLVS + 1):
        if at + 2 > len(frame):
            return
        head = int.from_bytes(frame[at : at + 2], "big")
        kind, length = head >> 9, head & 0x1FF
        at += 2 + length
        if kind == _END:
            return
        if at > len(frame) or count == MAX_TLVS:
            yield -1, b""
            return
        yield kind, frame[at - length : at]
