"""One attribute file of a sysfs, and what its text means. Whatever cannot be read or understood is None."""

from __future__ import annotations

import re

from discovery.errors import EvidenceError, TooLargeError
from discovery.identity import Guid, guid
from discovery.source import Source
from discovery.sysfs.unclear import MAX_BYTES, Unclear

STATES = {
    "1: DOWN": "Down",
    "2: INIT": "Init",
    "3: ARMED": "Armed",
    "4: ACTIVE": "Active",
    "5: ACTIVE_DEFER": "Active",
}
PHYSICAL_STATES = {
    "1: Sleep": "Sleep",
    "2: Polling": "Polling",
    "3: Disabled": "Disabled",
    "4: PortConfigurationTraining": "PortConfigurationTraining",
    "5: LinkUp": "LinkUp",
    "6: LinkErrorRecovery": "LinkErrorRecovery",
    "7: Phy Test": "PhyTest",
}
"""The RDMA core of the kernel writes both, the same for every driver."""

_NRZ = ("SDR", "DDR", "QDR", "FDR10", "FDR", "EDR")
_RATE = re.compile(r"[\d.]+ Gb/sec \((\d{1,2})X(?: ([A-Z]+\d*))?\)", re.ASCII)
_EUI = re.compile(r"(?:[0-9a-f]{4}:){3}[0-9a-f]{4}$")
_NUMBER = re.compile(r"\d{1,20}", re.ASCII)


def text(source: Source, path: str, unclear: Unclear | None = None) -> str | None:
    """What the file says, without the white space around it; None for nothing."""
    try:
        return source.read(path, MAX_BYTES).decode("utf-8", "replace").strip() or None
    except TooLargeError:
        if unclear is not None:
            unclear.too_large(path)
        return None
    except EvidenceError:
        return None


def number(source: Source, path: str) -> int | None:
    """A whole number of at most 64 bits, and nothing beside it."""
    return as_number(text(source, path))


def as_number(said: str | None) -> int | None:
    """As `number`, of a text."""
    value = int(said) if said and _NUMBER.fullmatch(said) else None
    return value if value is not None and value < 2**64 else None


def eui(source: Source, path: str, unclear: Unclear) -> Guid | None:
    """The EUI-64 at the end of a GUID or GID, which the kernel writes in groups of four digits."""
    said = text(source, path, unclear)
    found = _EUI.search((said or "").lower())
    if found is None:
        unclear.note(path, said)
        return None
    return guid(int(found[0].replace(":", ""), 16))


def rate(said: str | None) -> tuple[int | None, str | None]:
    """Lanes and the name of one lane's rate: `400 Gb/sec (4X NDR)`. The slowest rate goes without a name."""
    found = _RATE.fullmatch(said or "")
    return (int(found[1]), found[2] or "SDR") if found and int(found[1]) else (None, None)


def is_pam4(speed: str | None) -> bool:
    """Whether lanes of that rate carry PAM4: HDR and all that came after it."""
    return speed is not None and speed not in _NRZ


def uevent(source: Source, path: str) -> dict[str, str]:
    """What a device's `uevent` tells: `DRIVER=mlx5_core`, `PCI_SLOT_NAME=0000:18:00.0`."""
    lines = (line.partition("=") for line in (text(source, path) or "").splitlines())
    return {name: value for name, _, value in lines if value}


def natural(name: str) -> tuple[str | int, ...]:
    """mlx5_2 before mlx5_10. Text and numbers alternate, so that they are never compared with each other."""
    return tuple(int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", name))
