"""The sysfs probe: the RDMA devices of a node and their ports, as the kernel shows them below `class/infiniband`.

Virtual functions are left out: their cable is that of the physical function, and a node may have hundreds.

A file that is missing, cannot be read (EINVAL) or says something unknown leaves its value unknown; a device that
vanishes while it is read leaves itself out. Nothing of that hides another device. Source of the files and their
spelling: the kernel's Documentation/ABI/stable/sysfs-class-infiniband.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from discovery.errors import AbsentSourceError, EvidenceError
from discovery.identity import Guid, guid
from discovery.reports import ABSENT, FAILED, FOUND, Port, ProbeOutcome
from discovery.source import Source

NAME = "sysfs"
CLASSES = "class"
"""Every sysfs has it."""
DEVICES = f"{CLASSES}/infiniband"
MAX_DEVICES = 256
MAX_PORTS = 128
_MAX_BYTES = 4096
"""A page: the kernel gives no more for one attribute."""

_STATES = {"1": "Down", "2": "Init", "3": "Armed", "4": "Active", "5": "Active"}
_PHYSICAL_STATES = {
    "1": "Sleep",
    "2": "Polling",
    "3": "Disabled",
    "4": "PortConfigurationTraining",
    "5": "LinkUp",
    "6": "LinkErrorRecovery",
    "7": "PhyTest",
}
_RATE = re.compile(r"[\d.]+ Gb/sec \((\d+)X(?: (\w+))?\)")
_EUI = re.compile(r"(?:[0-9a-f]{4}:){3}[0-9a-f]{4}$")
_INFINIBAND = "InfiniBand"


@dataclass(frozen=True, slots=True)
class Ports:
    """What was found, and how the probe went."""

    ports: tuple[Port, ...]
    outcome: ProbeOutcome


def read_ports(source: Source) -> Ports:
    """All ports of all devices; `source` is rooted at sysfs (`/sys`). Verdicts are left unknown."""
    try:
        devices = _devices(source)
    except EvidenceError as error:
        return Ports((), ProbeOutcome(name=NAME, outcome=FAILED, reason=str(error)))
    physical = sorted((device for device in devices if not _is_virtual(source, device)), key=_by_number)
    if not physical:
        return Ports((), ProbeOutcome(name=NAME, outcome=ABSENT, reason="the kernel has no RDMA devices"))
    ports = tuple(port for device in physical[:MAX_DEVICES] for port in _ports_of(source, device))
    if not ports:
        return Ports(
            (), ProbeOutcome(name=NAME, outcome=FAILED, reason=f"no port of {', '.join(physical[:8])} is readable")
        )
    left_out = f"{len(physical)} devices, of which {MAX_DEVICES} are read" if len(physical) > MAX_DEVICES else None
    return Ports(ports, ProbeOutcome(name=NAME, outcome=FOUND, reason=left_out))


def _devices(source: Source) -> tuple[str, ...]:
    """None where the kernel has none; EvidenceError where nobody knows, as where this is no sysfs at all."""
    try:
        return source.names(DEVICES)
    except AbsentSourceError:
        pass
    try:
        source.names(CLASSES)
    except AbsentSourceError as error:
        raise AbsentSourceError(f"this is no sysfs: it has no folder {CLASSES}; see where it is read") from error
    return ()


def _is_virtual(source: Source, device: str) -> bool:
    """Whether it is a virtual function, whose port is that of its physical one (drivers/pci/iov.c: `physfn`)."""
    try:
        return "physfn" in source.names(f"{DEVICES}/{device}/device")
    except EvidenceError:
        return False


def _by_number(device: str) -> tuple[str | int, ...]:
    """mlx5_2 before mlx5_10. Text and numbers alternate, so that they are never compared with each other."""
    return tuple(int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", device))


def _ports_of(source: Source, device: str) -> Iterator[Port]:
    folder = f"{DEVICES}/{device}"
    try:
        numbers = sorted(int(name) for name in source.names(f"{folder}/ports") if name.isdecimal())
    except EvidenceError:
        return  # it vanished, or it has no ports
    node, system = _guid(source, f"{folder}/node_guid"), _guid(source, f"{folder}/sys_image_guid")
    for number in numbers[:MAX_PORTS]:
        at = f"{folder}/ports/{number}"
        layer = _text(source, f"{at}/link_layer")
        width, speed = _rate(_text(source, f"{at}/rate"))
        yield Port(
            device=device,
            port=number,
            nodeGuid=node,
            # Of an Ethernet port GID 0 is made from its MAC: that is no GUID of a subnet.
            portGuid=_guid(source, f"{at}/gids/0") if layer == _INFINIBAND else None,
            systemImageGuid=system,
            linkLayer=layer,
            state=_named(_text(source, f"{at}/state"), _STATES),
            physicalState=_named(_text(source, f"{at}/phys_state"), _PHYSICAL_STATES),
            width=width,
            speed=speed,
        )


def _text(source: Source, path: str) -> str | None:
    try:
        return source.read(path, _MAX_BYTES).decode("ascii", "replace").strip() or None
    except EvidenceError:
        return None


def _guid(source: Source, path: str) -> Guid | None:
    """The EUI-64 at the end of a GUID or GID, which the kernel writes in groups of four digits."""
    found = _EUI.search((_text(source, path) or "").lower())
    return guid(int(found[0].replace(":", ""), 16)) if found else None


def _named(text: str | None, names: dict[str, str]) -> str | None:
    """`4: ACTIVE` by its number, which no driver spells in another way."""
    return names.get((text or "").partition(":")[0].strip())


def _rate(text: str | None) -> tuple[int | None, str | None]:
    """Lanes and the name of one lane's rate: `400 Gb/sec (4X NDR)`. The slowest rate goes without a name."""
    found = _RATE.fullmatch(text or "")
    return (int(found[1]), found[2] or "SDR") if found else (None, None)
