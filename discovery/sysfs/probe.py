"""One look at the RDMA devices of a node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from discovery.errors import AbsentSourceError, EvidenceError
from discovery.probing import Probed, absent, failed, found
from discovery.reports import Port
from discovery.samples import Counters
from discovery.source import Source
from discovery.sysfs.attributes import PHYSICAL_STATES, STATES, natural, rate, text
from discovery.sysfs.classes import class_names
from discovery.sysfs.counters import FILES, read_counters
from discovery.sysfs.devices import read_known
from discovery.sysfs.found import ETHERNET, FOLDER, Device, Devices, Pause, PortKey
from discovery.sysfs.interfaces import INTERFACES
from discovery.sysfs.joining import join
from discovery.sysfs.unclear import Unclear

NAME = "sysfs"


def read_devices(source: Source, before: Devices | None = None) -> Probed[Devices]:
    """All ports of all devices; `source` is rooted at sysfs (`/sys`), `before` is what the last look found.

    The reason beside what was found names the devices that told nothing, and how many are more than are read; and
    of attributes that are not understood, how many they are and the first.
    """
    try:
        names = class_names(source, FOLDER)
    except EvidenceError as error:
        return failed(NAME, str(error))
    before = before or Devices()
    known = read_known(source, sorted(names, key=natural), before.known)
    counting = [device for device in known.values() if device.left_out is None]
    if not counting:
        return absent(NAME, "the kernel has no RDMA devices")
    look = _Look(source, before, Unclear(before.unclear))
    read = [device for device in counting if not device.unread]
    for device in read:
        look.take(device)
    if not look.ports:
        return failed(NAME, f"no port of {', '.join(device.name for device in counting[:8])} is readable")
    told = [f"{len(counting)} devices, of which {len(read)} are read"] if len(counting) > len(read) else []
    told += [f"no port of {', '.join(look.silent[:8])} is readable"] if look.silent else []
    told += look.unclear.told
    told += _without_interfaces(source, look)
    return found(NAME, look.devices(known), "; ".join(told) or None)


def _without_interfaces(source: Source, look: _Look) -> list[str]:
    """Why Ethernet ports have no interface, where that is because there is no list of interfaces."""
    if all((port.device, port.port) in look.interfaces for port in look.ports if port.linkLayer == ETHERNET):
        return []
    try:
        source.names(INTERFACES)
    except EvidenceError as error:
        return [f"the interfaces of Ethernet ports are not known: {error}"]
    return []


@dataclass(slots=True)
class _Look:
    """What has been read of this look."""

    source: Source
    before: Devices
    unclear: Unclear
    ports: list[Port] = field(default_factory=list)
    counters: dict[PortKey, Counters] = field(default_factory=dict)
    pauses: dict[PortKey, Pause] = field(default_factory=dict)
    interfaces: dict[PortKey, tuple[str, ...]] = field(default_factory=dict)
    bonds: dict[PortKey, str] = field(default_factory=dict)
    silent: list[str] = field(default_factory=list)

    def take(self, device: Device) -> None:
        """Read the ports of one device."""
        self.unclear.keep(device.unclear)
        joined = join(self.source, device.name, [port for port, layer in device.layers.items() if layer == ETHERNET])
        ports = [
            port
            for port in _ports(self.source, device, self.unclear)
            if port.state == "Active" or port.port not in joined or not joined[port.port].bare
        ]
        if not ports:
            self.silent.append(device.name)
        for port in ports:
            key = (port.device, port.port)
            if port.linkLayer in FILES:
                self._count(key, port.linkLayer)
            if behind := joined.get(port.port):
                self.interfaces |= {key: behind.interfaces} if behind.interfaces else {}
                self.bonds |= {key: behind.bond} if behind.bond else {}
        self.ports += ports

    def _count(self, key: PortKey, layer: str) -> None:
        at, before = f"{FOLDER}/{key[0]}/ports/{key[1]}", self.before.pauses.get(key)
        self.counters[key], pause = read_counters(self.source, at, layer, before, self.unclear)
        if pause is not None:
            self.pauses[key] = pause

    def devices(self, known: dict[str, Device]) -> Devices:
        """All of it."""
        return Devices(
            ports=tuple(self.ports),
            counters=self.counters,
            interfaces=self.interfaces,
            bonds=self.bonds,
            known=known,
            pauses=self.pauses,
            unclear=self.unclear.said,
        )


def _ports(source: Source, device: Device, unclear: Unclear) -> Iterator[Port]:
    """The ports of a device. Where it has vanished meanwhile, it has none."""
    for number, layer in device.layers.items():
        at = f"{FOLDER}/{device.name}/ports/{number}"
        state, physical = text(source, f"{at}/state", unclear), text(source, f"{at}/phys_state", unclear)
        if state is None and physical is None and _is_gone(source, at):
            continue
        logical, trained = STATES.get(state or ""), PHYSICAL_STATES.get(physical or "")
        if logical is None:
            unclear.note(f"{at}/state", state)
        if trained is None:
            unclear.note(f"{at}/phys_state", physical)
        # Without a link the driver makes up a rate.
        pace = text(source, f"{at}/rate", unclear) if logical != "Down" else None
        width, speed = rate(pace)
        if width is None:
            unclear.note(f"{at}/rate", pace)
        yield Port(
            device=device.name,
            port=number,
            nodeGuid=device.node_guid,
            portGuid=device.port_guids.get(number),
            systemImageGuid=device.system_guid,
            linkLayer=layer,
            state=logical,
            physicalState=trained,
            width=width,
            speed=speed,
        )


def _is_gone(source: Source, folder: str) -> bool:
    try:
        source.names(folder)
    except AbsentSourceError:
        return True
    except EvidenceError:
        return False
    return False
