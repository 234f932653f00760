"""What a NodeReport says of a node's Ethernet: which end of a cable each interface is, and whom it hears there.

An interface is a port of its RDMA device; the members of a bond are ports of one device, numbered by their names, so a
bond is one device with a cable each. Interfaces without an RDMA device are known as the node's, and are no ends unless
somebody says so.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from discovery.ethernet.ids import adapter_guid, chassis_of, mac_of
from discovery.health import LINK_ERROR_RECOVERY, SYMBOL_ERRORS, TOO_MANY_SYMBOL_ERRORS
from discovery.identity import Guid
from discovery.reports import DEGRADED, DOWN, UNKNOWN, UP, Interface, NodeReport, Port

INFINIBAND, ETHERNET = "InfiniBand", "Ethernet"
NO_CARRIER = "NoCarrier"
"""The reason of an interface without a link."""
_OF_LINKS = frozenset({SYMBOL_ERRORS, LINK_ERROR_RECOVERY, TOO_MANY_SYMBOL_ERRORS})
"""Why the port of a bond is not well that has nothing to do with a member without a link."""

_DIGITS = re.compile(r"([0-9]+)")
_MOST_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Heard:
    """A neighbour: chassis id in one spelling, and its port as it calls it."""

    chassis: str | None
    port: str | None
    name: str | None


@dataclass(frozen=True, slots=True)
class HostEnd:
    """One interface of a node as the end of a cable."""

    interface: str
    mac: str | None
    guid: Guid
    """Of the adapter: the node GUID of its RDMA device, else made of its MAC."""
    port_guid: Guid
    port: int
    device: str
    """The RDMA device, or the interface where it has none."""
    megabits: int | None
    heard: tuple[Heard, ...]


@dataclass(frozen=True, slots=True)
class PortWord:
    """What the node says of the port at an end."""

    port: int
    verdict: str
    reason: str | None
    ever_up: bool
    spared: bool = False
    """It is down, and another member of its bond carries on."""


@dataclass(frozen=True, slots=True)
class Attached:
    """The Ethernet of one node."""

    node: str
    ends: tuple[HostEnd, ...]
    others: tuple[tuple[str, str | None], ...] = ()
    """Names and MACs of its other interfaces: what is there is the node's and no end."""
    devices: frozenset[str] = frozenset()
    """The RDMA devices whose ports are told as ends, and not by themselves."""

    @property
    def identity(self) -> tuple[object, ...]:
        """All by which others know its ends."""
        ends = tuple((end.interface, end.mac, end.guid, end.port_guid, end.port, end.device) for end in self.ends)
        return self.node, ends, self.others


@dataclass(frozen=True, slots=True)
class _Member:
    """An interface, the adapter and the port number by which it is an end, and the port of its RDMA device."""

    interface: Interface
    port: Port | None
    number: int
    guid: Guid
    device: str
    spared: bool
    """Another member of its bond has a link."""
    crippled: bool
    """Another member of its bond has none."""


def read_attached(node: str, report: NodeReport, *, plain: bool = False) -> Attached:
    """The ends of a node. `plain`: interfaces without an RDMA device are ends, too."""
    shared = Counter(mac_of(interface.mac) for interface in report.interfaces)
    members = tuple(_members(report, plain=plain))
    ends = tuple(_end(member, shared[mac_of(member.interface.mac)]) for member in members)
    known = {end.interface for end in ends}
    others = tuple((one.name, mac_of(one.mac)) for one in report.interfaces if one.name not in known)
    return Attached(node, ends, others, _joined(members))


def words_of_ports(report: NodeReport, *, plain: bool = False) -> Iterator[tuple[Guid, PortWord]]:
    """What a node says of each of its ports, with the GUID of the adapter; of ends of interfaces by the interface."""
    members = tuple(_members(report, plain=plain)) if report.interfaces else ()
    joined = _joined(members) if members else frozenset[str]()
    for port in report.ports:
        if port.nodeGuid and port.device not in joined:
            yield port.nodeGuid, PortWord(port.port, port.verdict, port.reason, port.lastUp is not None)
    for member in members:
        yield member.guid, _word(member)


def _joined(members: Iterable[_Member]) -> frozenset[str]:
    return frozenset(member.port.device for member in members if member.port is not None)


def _members(report: NodeReport, *, plain: bool) -> Iterator[_Member]:
    if not plain and not any(interface.rdmaDevice for interface in report.interfaces):
        return
    ports: dict[str, list[Port]] = defaultdict(list)
    for port in sorted(report.ports, key=lambda port: port.port):
        if port.linkLayer != INFINIBAND:
            ports[port.device].append(port)
    groups: dict[tuple[str, str], list[Interface]] = defaultdict(list)
    for interface in sorted(report.interfaces, key=lambda found: _natural(found.name)):
        key = ("bond", interface.bond) if interface.bond else ("device", interface.rdmaDevice or f"of {interface.name}")
        groups[key].append(interface)
    for (kind, _), interfaces in groups.items():
        device = next((found.rdmaDevice for found in interfaces if found.rdmaDevice), None)
        if device is not None or plain:
            matched = _match(interfaces, ports, device, bonded=kind == "bond")
            yield from _of_group(interfaces, matched, device or interfaces[0].name)


def _match(
    interfaces: Sequence[Interface], ports: Mapping[str, Sequence[Port]], device: str | None, *, bonded: bool
) -> list[Port | None]:
    """The RDMA port of each interface. Members of a bond may share one; else they are told apart by their order."""
    if bonded:
        return [next(iter(ports.get(found.rdmaDevice or device or "", ())), None) for found in interfaces]
    own = ports.get(device or "", ())
    return [own[min(place, len(own) - 1)] if own else None for place in range(len(interfaces))]


def _of_group(interfaces: Sequence[Interface], ports: Sequence[Port | None], device: str) -> Iterator[_Member]:
    """Interfaces that have a port each are that port; those of one device that share a port are counted from 1."""
    numbers = [port.port if port is not None else 1 for port in ports]
    single = len({(port.device, port.port) for port in ports if port is not None}) == len(ports)
    one_device = len({port.device for port in ports if port is not None}) <= 1
    if interfaces[0].bond:
        numbers = _legs(interfaces)
    elif len(ports) > 1 and not (single and one_device):
        numbers = list(range(1, len(ports) + 1))
    guid = next((port.nodeGuid for port in ports if port is not None and port.nodeGuid), None)
    for place, (interface, port) in enumerate(zip(interfaces, ports, strict=True)):
        mac = mac_of(interface.mac)
        identity = guid or (adapter_guid(mac) if mac else None)
        if identity is None:
            continue
        beside = [found.carrier for found in interfaces if found is not interface and found.bond]
        yield _Member(interface, port, numbers[place], identity, device, True in beside, False in beside)


def _legs(interfaces: Sequence[Interface]) -> list[int]:
    """The numbers of the members of a bond, each by its own name alone: a report that leaves one out moves no other.
    The last digits of a name count its port, from 0; where that tells them not apart, their order does."""
    digits = [_DIGITS.findall(interface.name)[-1:] for interface in interfaces]
    numbers = [int(found[0]) + 1 for found in digits if found and len(found[0]) <= _MOST_DIGITS]
    return numbers if len(set(numbers)) == len(interfaces) else list(range(1, len(interfaces) + 1))


def _end(member: _Member, sharers: int) -> HostEnd:
    """`sharers`: so many interfaces of the node have this MAC (a bond gives its own to its members)."""
    interface, port, mac = member.interface, member.port, mac_of(member.interface.mac)
    own = port.portGuid if port is not None and port.port == member.number and port.nodeGuid == member.guid else None
    return HostEnd(
        interface=interface.name,
        mac=mac,
        guid=member.guid,
        port_guid=own or (adapter_guid(mac) if mac and sharers == 1 else member.guid),
        port=member.number,
        device=member.device,
        megabits=interface.speed if interface.speed and interface.speed > 0 else None,
        heard=tuple(
            Heard(chassis_of(found.chassisId), mac_of(found.portId) or found.portId, found.systemName)
            for found in interface.neighbours
        ),
    )


def _word(member: _Member) -> PortWord:
    """The verdict of the port. Of a member of a bond first whether it has a link: that the bond's port cannot tell."""
    port, carrier = member.port, member.interface.carrier
    verdict, reason = (port.verdict, port.reason) if port is not None else (UNKNOWN, None)
    ever_up = port is not None and port.lastUp is not None
    if carrier is False and (port is None or member.spared or member.crippled):
        return PortWord(member.number, DOWN, NO_CARRIER, ever_up, spared=member.spared)
    if carrier and (port is None or (member.crippled and verdict in (DOWN, DEGRADED) and reason not in _OF_LINKS)):
        return PortWord(member.number, UP, None, ever_up)
    return PortWord(member.number, verdict, reason, ever_up, spared=member.spared)


def _natural(name: str) -> tuple[tuple[int, str], ...]:
    """`eth2` before `eth10`."""
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in _DIGITS.split(name))
