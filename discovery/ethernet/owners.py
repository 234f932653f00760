"""Whose MAC it is: the ends of nodes by what a switch hears of them.

A neighbour whose chassis id or port id is a MAC of a node is that node's port, whether the operating system or the
firmware of the adapter spoke.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from discovery.descriptions import host_name
from discovery.ethernet.attachments import Attached, HostEnd
from discovery.ethernet.ids import chassis_of, mac_of
from discovery.identity import ChassisId
from discovery.reports import Peer

At = tuple[ChassisId, int]
"""A port of a switch; 0 is unknown."""
NO_END = "no end"
"""It is a node's, and no end of a cable of the fabric: another interface, or nobody knows which one."""


@dataclass(frozen=True, slots=True)
class Place:
    """An end of a node."""

    node: str
    end: HostEnd


@dataclass(slots=True)
class Owners:
    """All nodes by their MACs, and by name."""

    ends: dict[str, list[Place]] = field(default_factory=lambda: defaultdict(list))
    """By MAC; several where a bond gives its own to its members."""
    nodes: dict[str, Attached] = field(default_factory=dict)
    node_of: dict[str, str] = field(default_factory=dict)
    """By MAC, also of interfaces that are no ends."""

    @staticmethod
    def of(nodes: Iterable[Attached]) -> Owners:
        """The first to claim a MAC has it; one that is an end of a cable is no other interface's."""
        owners, nodes = Owners(), tuple(nodes)
        for found in nodes:
            owners.nodes[found.node] = found
            for end in found.ends:
                if end.mac and owners.node_of.setdefault(end.mac, found.node) == found.node:
                    owners.ends[end.mac].append(Place(found.node, end))
        for found in nodes:
            for _, mac in found.others:
                if mac:
                    owners.node_of.setdefault(mac, found.node)
        return owners

    def with_news(self, nodes: Iterable[Attached]) -> Owners:
        """With what these nodes say by now; their identity is as it was."""
        news = {node.node: node for node in nodes}
        ends = dict(self.ends)
        for mac in {end.mac for node in news.values() for end in node.ends if end.mac in ends}:
            ends[mac] = [_renewed(place, news) for place in ends[mac]]
        return Owners(ends, {**self.nodes, **news}, self.node_of)

    def is_node(self, *ids: str | None) -> bool:
        """Whether one of them is a MAC of a node."""
        return any(found in self.node_of for found in ids if found)

    def find(self, peer: Peer, chassis: str) -> Sequence[Place] | str | None:
        """The ends that a peer of the switch `chassis` can be; NO_END where it is a node's all the same; None: it is no
        node's."""
        macs = [mac for mac in (mac_of(peer.portId), mac_of(peer.mac)) if mac]
        for mac in macs:
            if mac in self.ends:
                return _likeliest(self.ends[mac], peer, chassis)
        box = chassis_of(peer.chassisId)
        node = next((self.node_of[mac] for mac in (*macs, box) if mac in self.node_of), None) or self._named(peer)
        if node is None:
            return None
        by_name = [Place(node, end) for end in self.nodes[node].ends if end.interface == peer.portId]
        if by_name:
            return by_name
        if box in self.ends and not macs and not self._is_other(node, peer.portId):
            return _likeliest(self.ends[box], peer, chassis)
        hearing = [Place(node, end) for end in self.nodes[node].ends if _hears(end, chassis)]
        return hearing if len(hearing) == 1 and not macs and not self._is_other(node, peer.portId) else NO_END

    def _named(self, peer: Peer) -> str | None:
        """The node of the name that it gives itself, whatever it says it can do: nodes route and bridge, too."""
        if not peer.description:
            return None
        name = (host_name(peer.description)[0] or peer.description).lower()
        return next((node for node in (name, name.partition(".")[0]) if node in self.nodes), None)

    def _is_other(self, node: str, interface: str | None) -> bool:
        return any(name == interface for name, _ in self.nodes[node].others)


def _renewed(place: Place, news: Mapping[str, Attached]) -> Place:
    node = news.get(place.node)
    ends = node.ends if node is not None else ()
    return next((Place(place.node, end) for end in ends if end.interface == place.end.interface), place)


def _likeliest(places: Sequence[Place], peer: Peer, chassis: str) -> Sequence[Place]:
    """Of ends with one MAC that of the peer's interface, else those that hear the switch themselves, else all."""
    if len(places) > 1:
        by_name = [place for place in places if place.end.interface == peer.portId]
        return by_name or [place for place in places if _hears(place.end, chassis)] or places
    return places


def _hears(end: HostEnd, chassis: str) -> bool:
    return any(found.chassis == chassis for found in end.heard)


def spread(claims: Mapping[At, Sequence[Place]], taken: Iterable[Place]) -> dict[At, Place]:
    """One end for each port of a switch that has a choice of them: in order, those first that nobody else has."""
    used = {(place.node, place.end.interface) for place in taken}
    found: dict[At, Place] = {}
    for port in sorted(claims):
        free = [place for place in claims[port] if (place.node, place.end.interface) not in used]
        if free:
            found[port] = free[0]
            used.add((free[0].node, free[0].end.interface))
    return found
