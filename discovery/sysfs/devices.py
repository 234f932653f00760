"""What never changes of an RDMA device while its driver is loaded: what it is, its GUIDs and its ports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from discovery.errors import EvidenceError
from discovery.source import Source
from discovery.sysfs.attributes import eui, text, uevent
from discovery.sysfs.found import ETHERNET, FOLDER, INFINIBAND, IWARP, OMNI_PATH, Device
from discovery.sysfs.unclear import Unclear

MAX_DEVICES = 256
"""Of those that count; functions may be ten thousand."""
MAX_PORTS = 128
_SMI = re.compile(r"smi\d+", re.ASCII)
_OF_FUNCTIONS = ("physfn", "sfnum")
_OMNI_PATH_DRIVERS = ("hfi1", "hfi2")
_OMNI_PATH_BOARD = re.compile("Omni-?Path", re.IGNORECASE)
_RNIC = "4:"
"""Of `node_type`: a device that speaks iWARP."""

VIRTUAL, SUB_DEVICE, SOFTWARE = "a virtual function", "an SMI sub-device", "made by software"


def read_known(source: Source, names: Iterable[str], before: Mapping[str, Device]) -> dict[str, Device]:
    """Every device by name. One that was read to the end in the same load of its driver is taken from `before`.

    Of those that count the first `MAX_DEVICES` are read; the others are there all the same, so that none is missed.
    """
    devices, counting = {}, 0
    for name in names:
        device = _begun(source, name, before.get(name))
        if device.left_out is None:
            counting += 1
            if counting > MAX_DEVICES:
                device = replace(device, unread=True)
            elif device.unread:
                device = _read(source, name, device.load)
        devices[name] = device
    return _without_sub_devices(devices)


def _begun(source: Source, name: str, known: Device | None) -> Device:
    """What is known of a device; else only whether it counts, which is cheap to tell."""
    load = source.made(f"{FOLDER}/{name}")
    if known is not None and known.load == load and (known.whole or (known.unread and load is not None)):
        return known
    left_out = why_left_out(source, name)
    return Device(name=name, load=load, left_out=left_out, unread=left_out is None)


def _read(source: Source, name: str, load: str | None) -> Device:
    at, unclear = f"{FOLDER}/{name}", Unclear()
    told = uevent(source, f"{at}/device/uevent")
    layers = {port: _layer(source, at, port, told.get("DRIVER"), unclear) for port in _ports(source, at)}
    return Device(
        name=name,
        load=load,
        function=told.get("PCI_SLOT_NAME"),
        node_guid=eui(source, f"{at}/node_guid", unclear),
        system_guid=eui(source, f"{at}/sys_image_guid", unclear),
        # Of an Ethernet port GID 0 is made from its MAC: that is no GUID of a subnet.
        port_guids={
            port: eui(source, f"{at}/ports/{port}/gids/0", unclear) if layer == INFINIBAND else None
            for port, layer in layers.items()
        },
        layers=layers,
        unclear=unclear.said,
    )


def why_left_out(source: Source, name: str) -> str | None:
    """Whether it is an SMI sub-device by its name, a virtual or a scalable function, whose port is that of its physical
    one (`physfn`, `sfnum`), or one that the kernel makes over any interface (`parent`)."""
    if _SMI.fullmatch(name):
        return SUB_DEVICE
    at = f"{FOLDER}/{name}"
    if any(source.made(f"{at}/device/{mark}") is not None for mark in _OF_FUNCTIONS):
        return VIRTUAL
    try:  # a source that does not tell what was made when lists it all the same
        beside = source.names(f"{at}/device")
    except EvidenceError:
        beside = ()
    if any(mark in beside for mark in _OF_FUNCTIONS):
        return VIRTUAL
    return SOFTWARE if text(source, f"{at}/parent") else None


def _ports(source: Source, at: str) -> list[int]:
    """The numbers of its ports; none where it vanished, or has none."""
    try:
        names = source.names(f"{at}/ports")
    except EvidenceError:
        return []
    return sorted(int(name) for name in names if name.isdecimal() and len(name) <= 4)[:MAX_PORTS]


def _layer(source: Source, at: str, port: int, driver: str | None, unclear: Unclear) -> str | None:
    told = text(source, f"{at}/ports/{port}/link_layer", unclear)
    if told == ETHERNET:
        return IWARP if (text(source, f"{at}/node_type") or "").startswith(_RNIC) else ETHERNET
    if told != INFINIBAND:
        unclear.note(f"{at}/ports/{port}/link_layer", told)
        return None
    if driver is None:
        omni_path = _OMNI_PATH_BOARD.search(text(source, f"{at}/board_id") or "") is not None
    else:
        omni_path = driver in _OMNI_PATH_DRIVERS
    return OMNI_PATH if omni_path else INFINIBAND


def _without_sub_devices(devices: dict[str, Device]) -> dict[str, Device]:
    """An SMI sub-device may bear any name: it shows the planes of another device of the same function and GUID."""
    whole = {
        (device.function, device.node_guid): device
        for device in sorted(devices.values(), key=lambda device: -len(device.layers))
        if device.left_out is None
    }
    for name, device in devices.items():
        identity = (device.function, device.node_guid)
        if device.left_out is None and None not in identity and len(whole[identity].layers) < len(device.layers):
            devices[name] = replace(device, left_out=SUB_DEVICE)
    return devices
