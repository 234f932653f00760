"""Who is meant: GUIDs, chassis ids and node names as distinct types, and the object names made of them.

Identity is the GUID or the chassis id, never a description (which is text that anyone may set). All-zero values are
what firmware writes when it knows nothing; they are no identity.
"""

from __future__ import annotations

import hashlib
import re
from typing import NewType

Guid = NewType("Guid", str)
"""A 64-bit EUI of InfiniBand as 16 hexadecimal digits, lower case; or, in a redacted dump, its own spelling."""

ChassisId = NewType("ChassisId", str)
"""The LLDP chassis id; a MAC is written as six lower-case octets with colons."""

NodeName = NewType("NodeName", str)
"""The name of a Kubernetes Node."""

_GUID = re.compile(r"[0-9a-f]{16}", re.ASCII)
_DIGITS = re.compile(r"[0-9a-fA-F]{1,16}", re.ASCII)
_MAC = re.compile(r"[0-9a-f]{12}", re.ASCII)
_MAC_SEPARATORS = str.maketrans("", "", ":-.")


def guid(number: int) -> Guid | None:
    """The GUID of a 64-bit number; None for 0, which is no identity."""
    return Guid(f"{number:016x}") if number else None


def has_number(spelling: str) -> bool:
    """Whether it is a GUID in hexadecimal digits, padded or not."""
    return _DIGITS.fullmatch(spelling) is not None


def guid_number(spelling: str) -> int:
    """The 64-bit number of a GUID in hexadecimal digits; of any other spelling (a redacted dump, a chassis id) a
    stand-in made from it, the same everywhere, whose first byte 0xff no vendor's GUID has."""
    if has_number(spelling):
        return int(spelling, 16)
    return 0xFF << 56 | int.from_bytes(hashlib.blake2b(spelling.encode(), digest_size=7).digest(), "big")


def switch_object_name(
    *, system_image: Guid | None, node: Guid | None, chassis: ChassisId | None, shares_box: bool
) -> str:
    """The name of a SwitchReport: `ib-<16 hex>`, `eth-<12 hex>`, or `sw-<hash>` where the identity is neither.

    `shares_box` is for one of several ASICs under one system image GUID (a director): its node GUID tells it apart.
    Raises ValueError where the switch has no identity at all.
    """
    infiniband = node if shares_box and node else system_image or node
    if infiniband and _GUID.fullmatch(infiniband):
        return f"ib-{infiniband}"
    mac = chassis.lower().translate(_MAC_SEPARATORS) if chassis else ""
    if _MAC.fullmatch(mac) and mac.strip("0"):
        return f"eth-{mac}"
    identity = infiniband or chassis
    if not identity:
        raise ValueError("a switch without a GUID and without a chassis id has no name; leave it out of the reports")
    return f"sw-{hashlib.sha256(identity.encode()).hexdigest()[:16]}"
