"""The ports that a fabric can be swept from: the InfiniBand ports of this host, as sysfs shows them.

Left out are Ethernet ports (RoCE), virtual and scalable functions, devices that software makes, and the SMI sub-devices
of planarised adapters, whose parent is what the tools are given. Of what is left 256 devices are read. Source of the
files: the kernel's Documentation/ABI/stable/sysfs-class-infiniband; of the sub-devices (`smi1`, with the system image
GUID of their parent): rdma-core's man page rdma-dev.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from discovery.errors import EvidenceError
from discovery.identity import Guid, guid
from discovery.probing import Probed, absent, failed, found
from discovery.source import Source
from discovery.sysfs.attributes import natural, text
from discovery.sysfs.classes import class_names
from discovery.sysfs.devices import MAX_DEVICES, MAX_PORTS, SUB_DEVICE, why_left_out
from discovery.sysfs.found import FOLDER, INFINIBAND

NAME = "vantage"
_ACTIVE = ("4", "5")
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
        names = sorted(class_names(source, FOLDER), key=natural)
    except EvidenceError as error:
        return failed(NAME, str(error))
    left_out = {name: why for name in names if (why := why_left_out(source, name))}
    counting = [name for name in names if name not in left_out]
    sub_devices = [name for name, why in left_out.items() if why == SUB_DEVICE][:MAX_DEVICES]
    planar = {image for name in sub_devices if (image := _image(source, name))}
    ports: list[OwnPort] = []
    beside: list[str] = []
    for device in counting[:MAX_DEVICES]:
        for port, layer in _ports(source, device):
            if layer == INFINIBAND:
                ports.append(_read_port(source, device, port, planar=_image(source, device) in planar))
            else:
                beside.append(f"{device}/{port} is {layer or 'unreadable'}")
    more = f"{len(counting)} devices, of which {MAX_DEVICES} are read" if len(counting) > MAX_DEVICES else None
    if ports:
        return found(NAME, tuple(ports), more)
    beside += [f"{name} is {why}" for name, why in left_out.items()]
    told = "; ".join(([more] if more else []) + beside[:8])
    return absent(NAME, f"no InfiniBand port ({told or 'the kernel has no RDMA devices'})")


def _image(source: Source, device: str) -> str:
    return _text(source, f"{FOLDER}/{device}/sys_image_guid")


def _ports(source: Source, device: str) -> Iterator[tuple[int, str]]:
    """Number and link layer of each port."""
    folder = f"{FOLDER}/{device}/ports"
    try:
        numbers = sorted(int(name) for name in source.names(folder) if name.isdecimal())
    except EvidenceError:
        return  # it vanished, or it has no ports
    for number in numbers[:MAX_PORTS]:
        yield number, _text(source, f"{folder}/{number}/link_layer")


def _read_port(source: Source, device: str, number: int, *, planar: bool) -> OwnPort:
    folder = f"{FOLDER}/{device}/ports/{number}"
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
    return text(source, path) or ""
