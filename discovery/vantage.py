"""The ports that a fabric can be swept from: the InfiniBand ports of this host, as sysfs shows them.

Left out are Ethernet ports (RoCE), virtual functions, and the SMI sub-devices of planarised adapters, whose parent is
what the tools are given. Source of the files: the kernel's Documentation/ABI/stable/sysfs-class-infiniband; of the
sub-devices (`smi1`, with the system image GUID of their parent): rdma-core's man page rdma-dev.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from discovery.errors import AbsentSourceError, EvidenceError
from discovery.identity import Guid, guid
from discovery.probing import Probed, absent, failed, found
from discovery.source import Source

NAME = "vantage"
_DEVICES = "class/infiniband"
_MAX_DEVICES, _MAX_PORTS, _MAX_BYTES = 256, 128, 4096
_ACTIVE = ("4", "5")
_SUB_DEVICE = re.compile(r"smi\d+")
_GID = re.compile(r"(?:[0-9a-f]{4}:){7}[0-9a-f]{4}")
_GUID = re.compile(r"(?:[0-9a-f]{4}:){3}[0-9a-f]{4}")


@dataclass(frozen=True, slots=True)
class OwnPort:
    """One InfiniBand port of this host."""

    device: str
    port: int
    """Counted from 1; found, never assumed."""
    state: str
    """As the kernel spells it (`ACTIVE`); empty: unknown."""
    active: bool = True
    port_guid: Guid | None = None
    subnet: tuple[str, str] = ("", "")
    """The subnet prefix and the LID of the subnet manager. Ports that differ in it are in different subnets; ports
    that do not may be in different ones all the same, for most sites leave the prefix as it is."""
    planar: bool = False
    """The adapter has several planes a port, and SMI sub-devices for them."""

    def __str__(self) -> str:
        return f"{self.device}/{self.port}"


def own_ports(source: Source) -> Probed[tuple[OwnPort, ...]]:
    """All of them, in order; `source` is rooted at sysfs (`/sys`). Failed where this is no sysfs."""
    try:
        devices = _devices(source)
    except EvidenceError as error:
        return failed(NAME, str(error))
    sub_devices = [device for device in devices if _SUB_DEVICE.fullmatch(device)]
    planar = {image for device in sub_devices if (image := _text(source, f"{_DEVICES}/{device}/sys_image_guid"))}
    ports: list[OwnPort] = []
    beside: list[str] = []
    for device in devices:
        if device in sub_devices or _is_virtual(source, device):
            continue
        for port, layer in _ports(source, device):
            if layer == "InfiniBand":
                image = _text(source, f"{_DEVICES}/{device}/sys_image_guid")
                ports.append(_read_port(source, device, port, planar=image in planar))
            else:
                beside.append(f"{device}/{port} is {layer or 'unreadable'}")
    if ports:
        return found(NAME, tuple(ports))
    return absent(NAME, f"no InfiniBand port ({'; '.join(beside[:8]) or 'the kernel has no RDMA devices'})")


def _devices(source: Source) -> list[str]:
    try:
        names = source.names(_DEVICES)
    except AbsentSourceError:
        source.names("class")  # every sysfs has it
        return []
    return sorted(names, key=_by_number)[:_MAX_DEVICES]


def _by_number(device: str) -> tuple[str | int, ...]:
    """mlx5_2 before mlx5_10. Text and numbers alternate, so that they are never compared with each other."""
    return tuple(int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", device))


def _is_virtual(source: Source, device: str) -> bool:
    try:
        return "physfn" in source.names(f"{_DEVICES}/{device}/device")
    except EvidenceError:
        return False


def _ports(source: Source, device: str) -> Iterator[tuple[int, str]]:
    """Number and link layer of each port."""
    folder = f"{_DEVICES}/{device}/ports"
    try:
        numbers = sorted(int(name) for name in source.names(folder) if name.isdecimal())
    except EvidenceError:
        return  # it vanished, or it has no ports
    for number in numbers[:_MAX_PORTS]:
        yield number, _text(source, f"{folder}/{number}/link_layer")


def _read_port(source: Source, device: str, number: int, *, planar: bool) -> OwnPort:
    folder = f"{_DEVICES}/{device}/ports/{number}"
    code, _, state = _text(source, f"{folder}/state").partition(":")
    gid = _text(source, f"{folder}/gids/0").lower()
    prefix, identity = (gid[:19], _guid(gid[20:])) if _GID.fullmatch(gid) else ("", None)
    return OwnPort(
        device=device,
        port=number,
        state=state.strip(),
        active=code.strip() in _ACTIVE,
        port_guid=identity,
        subnet=(prefix, _text(source, f"{folder}/sm_lid")),
        planar=planar,
    )


def _guid(text: str) -> Guid | None:
    return guid(int(text.replace(":", ""), 16)) if _GUID.fullmatch(text) else None


def _text(source: Source, path: str) -> str:
    try:
        return source.read(path, _MAX_BYTES).decode("ascii", "replace").strip()
    except EvidenceError:
        return ""
