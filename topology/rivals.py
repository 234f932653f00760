"""Cables that contradict each other: two of them at one port, or at one device of a host."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from discovery.descriptions import host_name
from discovery.reports import HOST, SwitchPort
from topology.links import End


class Cable(NamedTuple):
    """A cable by its two ends, the smaller first."""

    one: End
    other: End


Words = tuple[tuple[int, SwitchPort], ...]
"""Who tells of a cable: the GUID of the switch and its port."""


def cable_of(one: End, other: End) -> Cable:
    """The cable between two ends."""
    return Cable(one, other) if one <= other else Cable(other, one)


@dataclass(frozen=True, slots=True)
class Rivals:
    """Cables by what can have only one: a port, and a device of a host whichever adapter is in its slot."""

    at: Mapping[Hashable, list[Cable]]

    @staticmethod
    def of(cables: Mapping[Cable, Words]) -> Rivals:
        at: dict[Hashable, list[Cable]] = defaultdict(list)
        for cable, words in cables.items():
            for key in (*_ports(cable), *_devices(words)):
                at[key].append(cable)
        return Rivals(at)

    def against(self, cable: Cable, words: Words) -> set[Cable]:
        """Those that cannot be there together with this one."""
        rivals = {rival for key in (*_ports(cable), *_devices(words)) for rival in self.at.get(key, ())}
        return {rival for rival in rivals if rival != cable and not _may_be_one(cable, rival)}

    def same(self, cable: Cable) -> set[Cable]:
        """Those that may be this very one: an end's port was not known, or is not now."""
        found = {rival for end in _ports(cable) for rival in self.at.get(end, ())}
        return {rival for rival in found if rival != cable and _may_be_one(cable, rival)}


def _ports(cable: Cable) -> list[End]:
    return [end for end in cable if end.port]


def _devices(words: Words) -> list[tuple[str, str, int | None]]:
    found = []
    for _, port in words:
        if port.peer is not None and port.peer.kind == HOST:
            host, device = host_name(port.peer.description or "")
            if host and device:
                found.append((host, device, port.peer.port))
    return found


def _may_be_one(one: Cable, other: Cable) -> bool:
    """Whether the two can be one cable; an unknown port may be any."""
    return any(_same(one.one, a) and _same(one.other, b) for a, b in (other, (other.other, other.one)))


def _same(one: End, other: End) -> bool:
    return one.guid == other.guid and (one.port == other.port or not one.port or not other.port)
