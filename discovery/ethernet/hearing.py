"""Who is at the other end of each port of each switch, by whose word.

A link stands when one end reports it; where the ends disagree both words stand. Of several neighbours at one port that
may be switches none is believed unless the far side confirms it. Who says to be a switch that was swept, which hears
him nowhere, at a port that it has not or where it hears another, is nobody. A switch that only others name is one all
the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from discovery.ethernet.attachments import Attached, Heard
from discovery.ethernet.ids import MAX_PORT, adapter_guid, chassis_of, is_management, mac_of, port_number
from discovery.ethernet.owners import NO_END, At, Owners, Place, spread
from discovery.ethernet.switches import OwnPort, OwnSwitch
from discovery.ethernet.words import Words
from discovery.identity import ChassisId, Guid
from discovery.reports import DOWN, HOST, ROUTER, SWITCH, Peer


@dataclass(slots=True)
class Seen:
    """All that a switch hears at one port, told apart."""

    places: list[Sequence[Place]] = field(default_factory=list)
    switches: dict[At, Peer] = field(default_factory=dict)
    foreign: list[Peer] = field(default_factory=list)
    no_end: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """All nodes and all swept switches. Of several reports of one switch the first by name counts."""

    nodes: Mapping[str, Attached]
    own: Mapping[ChassisId, OwnSwitch]
    owners: Owners

    @staticmethod
    def of(nodes: Sequence[Attached], switches: Iterable[OwnSwitch]) -> Evidence:
        """`nodes` with the one first that has a MAC which several claim."""
        own: dict[ChassisId, OwnSwitch] = {}
        for switch in sorted(switches, key=lambda switch: switch.name):
            own.setdefault(switch.chassis, switch)
        return Evidence({node.node: node for node in nodes}, own, Owners.of(nodes))

    def with_news(self, nodes: Sequence[Attached], switches: Sequence[OwnSwitch]) -> Evidence:
        """With what some nodes say by now, whose identity is as it was, and some switches that were there before."""
        return Evidence(
            {**self.nodes, **{node.node: node for node in nodes}},
            {**self.own, **{switch.chassis: switch for switch in switches}},
            self.owners.with_news(nodes),
        )

    def see(self, switches: Iterable[ChassisId]) -> dict[At, Seen]:
        """What these switches hear at their ports."""
        return {
            (chassis, number): _see(port, self.own, chassis, self.owners)
            for chassis in switches
            for number, port in self.own[chassis].ports.items()
            if number not in self.own[chassis].management and port.peers
        }

    def words(self, nodes: Iterable[Attached], seen: Mapping[At, Seen], missing: AbstractSet[str]) -> Words:
        """All that these nodes and switches say. `missing`: chassis ids of switches that no sweep reaches any more;
        their last words count where nobody else tells of them."""
        words, bonds = Words(), _spread_bonds(seen)
        _hear_switches(words, {at: found for at, found in seen.items() if at[0] not in missing}, self.own, bonds)
        _hear_nodes(words, nodes, seen, self)
        words.named.update(chassis for chassis, _ in words.by_others)
        if missing:
            last = {at: found for at, found in seen.items() if at[0] in missing and at[0] not in words.named}
            _hear_switches(words, last, self.own, bonds)
        return words


def _see(port: OwnPort, own: Mapping[ChassisId, OwnSwitch], chassis: ChassisId, owners: Owners) -> Seen:
    seen = Seen()
    for peer in port.peers:
        found = owners.find(peer, chassis)
        far = chassis_of(peer.chassisId)
        if found == NO_END:
            seen.no_end = True
        elif found is not None and not isinstance(found, str):
            seen.places.append(found)
        elif peer.kind == HOST:
            seen.foreign.append(peer)
        elif peer.kind in (SWITCH, ROUTER) and far is not None and not is_management(peer.portId):
            at = _at(far, mac_of(peer.portId) or peer.portId, own, peer.port)
            if far not in own or at[1] not in own[far].management:
                seen.switches[at] = peer
    return seen


def _at(chassis: ChassisId, port_id: str | None, own: Mapping[ChassisId, OwnSwitch], number: int | None = None) -> At:
    """The port that somebody else calls so."""
    if port_id is None:
        return chassis, number if number is not None and 0 < number <= MAX_PORT else 0
    return chassis, own[chassis].number(port_id) if chassis in own else port_number(port_id)


def _hear_switches(
    words: Words, seen: Mapping[At, Seen], own: Mapping[ChassisId, OwnSwitch], bonds: Mapping[At, Place]
) -> None:
    """What each switch says of its own ports, and by that of the ports of others."""
    listening = {chassis for chassis, _ in seen}
    hearing = {(chassis, far) for (chassis, _), found in seen.items() for far, _ in found.switches}
    for at, found in seen.items():
        if found.places:
            place = bonds.get(at)
            if place is not None:
                words.own[at] = _host(place)
                words.megabits[at] = place.end.megabits
            continue
        far = _one_switch(at, found, seen)
        if far is not None and far[0] in listening and (far[0], at[0]) not in hearing and _is_none(far, seen, own):
            continue
        if far is not None:
            peer = found.switches[far]
            words.own[at] = _switch(far, peer.description, own)
            words.by_others[far].append(_switch(at, None, own))
            words.call(far[0], peer.description)
        elif len(found.foreign) == 1 and not (found.switches or found.no_end):
            words.own[at] = _foreign(found.foreign[0])


def _is_none(far: At, seen: Mapping[At, Seen], own: Mapping[ChassisId, OwnSwitch]) -> bool:
    """Whether a switch that was swept has no such port, or no link there, or somebody else."""
    chassis, number = far
    if chassis not in own:
        return False
    port, heard = own[chassis].ports.get(number), seen.get(far)
    return port is None or port.report.verdict == DOWN or (heard is not None and bool(heard.places or heard.switches))


def _one_switch(at: At, found: Seen, seen: Mapping[At, Seen]) -> At | None:
    """The only one that it can be; of several the only one that tells the same of its own port."""
    if found.no_end or not found.switches:
        return None
    if len(found.switches) == 1:
        return next(iter(found.switches))
    confirmed = [far for far in found.switches if far in seen and at in seen[far].switches]
    return confirmed[0] if len(confirmed) == 1 else None


def _spread_bonds(seen: Mapping[At, Seen]) -> dict[At, Place]:
    """The end at each port where a switch hears a node; none where it hears several and not one alone hears it, too."""
    chosen: dict[At, Place] = {}
    open_: dict[str, dict[At, Sequence[Place]]] = defaultdict(dict)
    for at, found in seen.items():
        places = _of_one(found.places, at[0])
        if len(places) == 1:
            chosen[at] = places[0]
        elif places:
            open_[places[0].node][at] = places
    taken: dict[str, list[Place]] = defaultdict(list)
    for place in chosen.values() if open_ else ():
        taken[place.node].append(place)
    for node, claims in open_.items():
        chosen.update(spread(claims, taken[node]))
    return _confirmed(chosen)


def _confirmed(chosen: dict[At, Place]) -> dict[At, Place]:
    """Where several switches hear one end, and it hears one of them, it is there: elsewhere another speaks as it."""
    ports: dict[tuple[str, str], list[At]] = defaultdict(list)
    for at, place in chosen.items():
        ports[place.node, place.end.interface].append(at)
    for ats in ports.values():
        heard = {found.chassis for found in chosen[ats[0]].end.heard} if len(ats) > 1 else set[str]()
        if len([at for at in ats if at[0] in heard]) == 1:
            for at in ats:
                if at[0] not in heard:
                    del chosen[at]
    return chosen


def _of_one(found: Sequence[Sequence[Place]], chassis: ChassisId) -> Sequence[Place]:
    """The places that one neighbour can be. Several words for one port are one neighbour; several ports are none."""
    common = [place for place in found[0] if all(place in others for others in found)] if found else []
    if common or not found:
        return common
    hearing = {
        (place.node, place.end.interface): place
        for places in found
        for place in places
        if any(heard.chassis == chassis for heard in place.end.heard)
    }
    return list(hearing.values()) if len(hearing) == 1 else []


def _hear_nodes(words: Words, nodes: Iterable[Attached], seen: Mapping[At, Seen], evidence: Evidence) -> None:
    own, owners = evidence.own, evidence.owners
    for node in nodes:
        for end in node.ends:
            fars = {
                _at(ChassisId(heard.chassis), heard.port, own): heard
                for heard in end.heard
                if heard.chassis and not owners.is_node(heard.chassis, heard.port)
            }
            place = Place(node.node, end)
            far = _one_far(place, fars, seen)
            if far is not None:
                words.by_others[far].append(_host(place))
                words.megabits.setdefault(far, end.megabits)
                words.call(far[0], fars[far].name)


def _one_far(place: Place, fars: Mapping[At, Heard], seen: Mapping[At, Seen]) -> At | None:
    """As `_one_switch`, for a node."""
    if len(fars) <= 1:
        return next(iter(fars), None)
    confirmed = [far for far in fars if far in seen and any(place in places for places in seen[far].places)]
    return confirmed[0] if len(confirmed) == 1 else None


def _host(place: Place) -> Peer:
    end = place.end
    return Peer(
        kind=HOST, guid=end.guid, portGuid=end.port_guid, description=f"{place.node} {end.device}", port=end.port
    )


def _switch(at: At, name: str | None, own: Mapping[ChassisId, OwnSwitch]) -> Peer:
    chassis, number = at
    report = own[chassis].report if chassis in own else None
    text = report.description if report is not None else None
    return Peer(kind=SWITCH, chassisId=chassis, description=text or name, port=number or None)


def _foreign(peer: Peer) -> Peer:
    """A host that is no node: told apart by its MACs, and by its name where it has none."""
    mac, box = mac_of(peer.portId) or mac_of(peer.mac), chassis_of(peer.chassisId)
    box_mac = mac_of(box)
    identity = adapter_guid(mac) if mac else Guid(f"{box or peer.description}/{peer.portId}")
    system = adapter_guid(box_mac) if box_mac else Guid(box) if box else None
    return Peer(
        kind=HOST, guid=identity, portGuid=identity, systemImageGuid=system, description=peer.description, port=1
    )
