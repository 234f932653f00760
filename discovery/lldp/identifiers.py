"""What LLDP says in bytes, as text: chassis ids, port ids and names. The same for frames, lldpd and SNMP's tables.

Pure. Neighbours may say anything, so what comes out of here is printable and bounded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address

from discovery.identity import ChassisId

MAC, ADDRESS = "mac", "ip"
CHASSIS_SUBTYPES: Mapping[int, str] = {
    1: "chassis", 2: "ifalias", 3: "port", 4: MAC, 5: ADDRESS, 6: "ifname", 7: "local",
}  # fmt: skip
"""Names of the subtypes of a chassis id (IEEE 802.1AB, 8.5.2.2); others go by their number."""
PORT_SUBTYPES: Mapping[int, str] = {
    1: "ifalias", 2: "port", 3: MAC, 4: ADDRESS, 5: "ifname", 6: "agent", 7: "local",
}  # fmt: skip
"""Names of the subtypes of a port id (IEEE 802.1AB, 8.5.3.2)."""

MAX_ID, MAX_NAME = 64, 128
"""Characters of an id and of a system name in a report; longer ids end in a digest, so that two stay two."""
_DIGEST = 16
_VERSIONS: Mapping[int, int] = {1: 4, 2: 16}
"""Bytes of an address by its family's number (IANA: IPv4, IPv6)."""


def chassis_id(subtype: int, raw: bytes) -> tuple[ChassisId | None, str]:
    """The id and the name of its subtype. None where it says nothing: empty, or all zero."""
    name = CHASSIS_SUBTYPES.get(subtype, str(subtype))
    spelled = _spelled(name, raw)
    return (ChassisId(spelled) if spelled else None), name


def port_id(subtype: int, raw: bytes) -> tuple[str | None, str]:
    """As `chassis_id`."""
    name = PORT_SUBTYPES.get(subtype, str(subtype))
    return _spelled(name, raw), name


def told_id(subtype: str, text: str) -> str | None:
    """An id that another program already made text of, spelled as those made here from the same bytes."""
    text = clean(text)
    if subtype == MAC:
        octets = text.lower().replace("-", ":")
        return None if not octets.strip("0:") else bounded(octets)
    if subtype == ADDRESS:
        with suppress(ValueError):
            return _address(ip_address(text))
    return bounded(text) or None


def system_name(raw: bytes) -> str | None:
    """A name for people; None where nothing printable is left of it."""
    return clean(raw.decode("utf-8", "replace"))[:MAX_NAME] or None


def clean(text: str) -> str:
    """Without control, format and other characters that do not show, and without blanks at its ends."""
    return "".join(character for character in text if character.isprintable()).strip()


def bounded(identity: str) -> str:
    """No longer than MAX_ID; two that differ stay different."""
    if len(identity) <= MAX_ID:
        return identity
    digest = hashlib.blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=_DIGEST // 2).hexdigest()
    return f"{identity[: MAX_ID - _DIGEST - 1]}~{digest}"


def _spelled(subtype: str, raw: bytes) -> str | None:
    if not raw.strip(b"\0"):
        return None
    if subtype == MAC:
        return bounded(_octets(raw))
    if subtype == ADDRESS and len(raw) - 1 == _VERSIONS.get(raw[0]):
        return _address(ip_address(raw[1:]))
    if not raw.strip(b"\0 "):
        return None
    text = _text(raw)
    return bounded(text if text is not None else _octets(raw))


def _address(address: IPv4Address | IPv6Address) -> str | None:
    """Bounded, for one of IPv6 may name a zone of any length."""
    return None if address.is_unspecified else bounded(str(address))


def _text(raw: bytes) -> str | None:
    """Padding goes; bytes that are no text at all, such as a MAC under the subtype local, are None."""
    try:
        text = raw.rstrip(b"\0").decode("utf-8").strip()
    except UnicodeDecodeError:
        return None
    return text if text and text.isprintable() else None


def _octets(raw: bytes) -> str:
    return raw.hex(":")
