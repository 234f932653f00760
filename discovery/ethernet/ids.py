"""Names of LLDP as identities: MACs in one spelling, ports by number, adapters that have no GUID.

All of it follows from the name alone, so whoever tells of a port, and whether anybody else does, it is the same one.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

from discovery.identity import ChassisId, Guid

MAX_PORT = 0x7FFF

_MAC = re.compile(r"(?:[0-9a-f]{2}([:.-]))(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}|[0-9a-f]{12}|(?:[0-9a-f]{4}\.){2}[0-9a-f]{4}")
_PLAIN = re.compile(r"[0-9a-f]{2}:[0-9a-f]{2}:[0-9a-f]{2}:[0-9a-f]{2}:[0-9a-f]{2}:[0-9a-f]{2}")
_ZEROS = "00:00:00:00:00:00"
_GROUPS = re.compile(r"[0-9]+", re.ASCII)
_MANAGEMENT = re.compile(r"(?:mgmt|management|oob|bmc|fxp|vme|me|em|ma)[-_ ]?[0-9]*(?:[/.][0-9]+)*|eth0", re.IGNORECASE)
_ZERO = 9999
_MOST_SINGLE, _MOST_GROUP = 9998, 99


def mac_of(text: str | None) -> str | None:
    """The MAC that a text is, as six lower-case octets with colons; None for any other text and for all zeros."""
    if text and _PLAIN.fullmatch(text):
        return text if text != _ZEROS else None
    lower = text.lower() if text else ""
    if not _MAC.fullmatch(lower):
        return None
    digits = re.sub("[^0-9a-f]", "", lower)
    return ":".join(re.findall("..", digits)) if digits.strip("0") else None


def chassis_of(text: str | None) -> ChassisId | None:
    """The chassis id in one spelling; None where there is none, all zeros included."""
    if not text or not text.strip(" 0:.-"):
        return None
    return ChassisId(mac_of(text) or text)


def adapter_guid(mac: str) -> Guid:
    """What stands for the GUID of an adapter of which only a MAC is known: its EUI-64."""
    digits = mac.replace(":", "")
    return Guid(f"{digits[:6]}fffe{digits[6:]}")


@lru_cache(maxsize=1 << 14)
def port_number(port_id: str) -> int:
    """A number from 1 for the port of that id, which an operator knows again where its name has few small numbers.

    `swp12` is 12, `Ethernet12/3` 1203 and `et-1/0/5` 10005 (the last three count). Any other id gets a number above
    16383 by its hash, or for a MAC by its end: those of one switch follow each other.
    """
    mac = mac_of(port_id)
    if mac is not None:
        return 0x4000 | int(mac.replace(":", ""), 16) & 0x3FFF
    groups = [int(group) for group in _GROUPS.findall(port_id)[-3:] if len(group) <= len(str(_MOST_SINGLE))]
    if len(groups) == 1 and groups[0] <= _MOST_SINGLE:
        return groups[0] or _ZERO
    if len(groups) > 1 and max(groups[1:]) <= _MOST_GROUP:
        number = sum(group * 100**place for place, group in enumerate(reversed(groups)))
        if number < 0x4000:
            return number or _ZERO
    return 0x4000 | int.from_bytes(hashlib.blake2b(port_id.encode(), digest_size=2).digest(), "big") & 0x3FFF


def is_management(*port_ids: str | None) -> bool:
    """Whether it is a management port by one of its names: what is there belongs to no fabric."""
    return any(text is not None and _is_management(text) for text in port_ids)


@lru_cache(maxsize=1 << 14)
def _is_management(text: str) -> bool:
    return _MANAGEMENT.fullmatch(text) is not None
