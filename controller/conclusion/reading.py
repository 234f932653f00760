"""What of a Node or a NodeReport says who is who: read once, and the same as long as nothing of it changes.

How its ports are changes often, and is read when it is asked for (`controller.conclusion.evidence`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from discovery.descriptions import host_name
from discovery.ethernet import read_attached
from discovery.ethernet.attachments import HostEnd
from discovery.ethernet.ids import adapter_guid
from discovery.reports import HOST
from kube.types import Node, NodeReportObject, SwitchReportObject
from topology.links import End
from topology.told import number_of_identity

HOSTNAME_LABEL = "kubernetes.io/hostname"
_HOSTNAME_ADDRESS = "Hostname"


class Adapter(NamedTuple):
    """One port of a node; 0 is an unknown GUID. (Tuples: they exist by the ten thousand.)"""

    guid: int
    port_guid: int
    port: int
    device: str
    mac: int = 0
    """What stands for its MAC, as a GUID."""

    @property
    def identities(self) -> tuple[int, ...]:
        """All by which it is known, each once, the port's own first: nobody else can have any of them."""
        port, guid, mac = self.port_guid, self.guid, self.mac
        if mac in (0, port, guid) and guid in (0, port):
            return (port,) if port else ()
        return tuple(dict.fromkeys(found for found in (port, guid, mac) if found))


@dataclass(frozen=True, slots=True)
class Owned:
    """The ports of one node by its report, and since when there is that report (seconds since 1970)."""

    node: str
    since: float
    adapters: tuple[Adapter, ...]
    legs: tuple[tuple[End, str], ...] = ()
    """Its interfaces that share a device, as the members of a bond do."""


@dataclass(frozen=True, slots=True)
class Named:
    """All names of a Node, lower case, and whether it rests: it is not ready, or cordoned."""

    node: str
    names: frozenset[str]
    rests: bool


def read_owned(report: NodeReportObject) -> Owned:
    """Whose ports they are."""
    return _read_owned(report, plain=False)


def read_owned_plainly(report: NodeReportObject) -> Owned:
    """The same, with the interfaces that have no RDMA device."""
    return _read_owned(report, plain=True)


def _read_owned(report: NodeReportObject, *, plain: bool) -> Owned:
    """A port of Ethernet is told by its interfaces, where these are known."""
    created, name = report.metadata.creation_timestamp, report.metadata.name
    attached = read_attached(name, report.spec, plain=plain)
    adapters = [
        Adapter(_number(port.nodeGuid), _number(port.portGuid), port.port, port.device)
        for port in report.spec.ports
        if port.device not in attached.devices
    ]
    adapters += map(adapter_of, attached.ends)
    return Owned(name, created.timestamp() if created else 0.0, tuple(adapters), _legs(attached.ends))


def _legs(ends: Sequence[HostEnd]) -> tuple[tuple[End, str], ...]:
    if len({end.device for end in ends}) == len(ends):
        return ()
    several = Counter((end.guid, end.device) for end in ends if end.device)
    return tuple((End(_number(end.guid), end.port), end.interface) for end in ends if several[end.guid, end.device] > 1)


def adapter_of(end: HostEnd) -> Adapter:
    """An interface as a port."""
    mac = _number(adapter_guid(end.mac)) if end.mac else 0
    return Adapter(_number(end.guid), _number(end.port_guid), end.port, end.device, mac)


def read_named(node: Node) -> Named:
    """Its name, hostname label and Hostname addresses."""
    label = node.metadata.labels.get(HOSTNAME_LABEL, "")
    addresses = [found.address for found in node.status.addresses if found.type == _HOSTNAME_ADDRESS]
    names = frozenset(text.lower() for text in (node.metadata.name, label, *addresses) if text)
    ready = node.condition("Ready")
    rests = node.spec.unschedulable or (ready is not None and ready.status != "True")
    return Named(node.metadata.name, names, rests)


def read_hosts(report: SwitchReportObject) -> tuple[tuple[int, str], ...]:
    """The adapters and ports of hosts at a switch, by GUID, each with the name that the host itself gives it."""
    found: list[tuple[int, str]] = []
    for port in report.spec.ports:
        peer = port.peer
        name = host_name(peer.description or "")[0] if peer is not None and peer.kind == HOST else None
        if peer is not None and name:
            found += [(_number(guid), name.lower()) for guid in (peer.guid, peer.portGuid) if guid]
    return tuple(found)


def resting(nodes: Iterable[Named]) -> frozenset[str]:
    """The nodes that rest."""
    return frozenset(found.node for found in nodes if found.rests)


def adapter_labels(owned: Iterable[Owned]) -> dict[int, str]:
    """What an operator calls each adapter, also one that no sweep sees any more: its node and device."""
    return {adapter.guid: f"{found.node} {adapter.device}" for found in owned for adapter in found.adapters}


def legs_of_bonds(owned: Iterable[Owned]) -> dict[End, str]:
    """The interfaces of each device that has several of them."""
    return {end: interface for found in owned for end, interface in found.legs}


def reports_of_adapters(owned: Sequence[Owned]) -> Mapping[int, tuple[int, ...]]:
    """By node GUID of an adapter the places of the reports that have it."""
    places: dict[int, list[int]] = defaultdict(list)
    for place, found in enumerate(owned):
        for guid in {adapter.guid for adapter in found.adapters}:
            places[guid].append(place)
    places.pop(0, None)
    return {guid: tuple(of_one) for guid, of_one in places.items()}


def _number(identity: str | None) -> int:
    return number_of_identity(identity) if identity else 0
