"""From a switch's tables to its SwitchReport: who it is, how its ports are, who stands at each. Pure.

What a neighbour is, is a guess as long as no sweep reached it: capabilities tell little, for a Kubernetes node routes
and bridges, too. Where a Node claims the MAC or the name, that counts and not what is said here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from discovery.health import Verdict
from discovery.identity import ChassisId
from discovery.lldp.identifiers import MAC
from discovery.reports import DEGRADED, DOWN, FLAPPING, HOST, MAX_PEERS, SWITCH, UP, Peer, SwitchPort, SwitchReport
from discovery.snmp.ports import PortFacts
from discovery.snmp.tables import Remote, SwitchTables

_BRIDGE, _ROUTER, _STATION = 2, 4, 7
_MACHINE_ID = 32
"""Characters of the chassis id that systemd gives a host."""
_SEEN = frozenset({UP, DEGRADED, FLAPPING, DOWN})
"""Verdicts of ports that are, or were, up: the others are listed only where somebody is heard on them."""
MAX_TOLD = 2048
"""Ports that a report holds at most; those with neighbours come first."""
_GIGABIT = 1000


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known beside the tables of one switch."""

    fabric: str | None = None
    switches: frozenset[ChassisId] = frozenset()
    """All that a sweep ever reached."""


def identity(tables: SwitchTables) -> ChassisId | None:
    """By what its neighbours know the switch; where it speaks no LLDP, its bridge address or lowest MAC. None: nothing
    identifies it."""
    if tables.chassis_id is not None:
        return tables.chassis_id
    own = tables.bridge_address or min(
        (one.mac for one in tables.interfaces.values() if one.physical and one.mac), default=None
    )
    return ChassisId(own) if own else None


def switch_report(
    tables: SwitchTables, ports: Iterable[PortFacts], verdicts: Mapping[int, Verdict], around: Surroundings
) -> SwitchReport:
    """Its report; `verdicts` by port number. Raises ValueError where nothing identifies the switch."""
    chassis = identity(tables)
    if chassis is None:
        raise ValueError("nothing identifies the switch: neither LLDP nor a bridge address nor the MAC of a port")
    rows = [_port(facts, verdicts.get(facts.number, Verdict()), around) for facts in ports]
    told = [row for row in rows if row.peer or row.peers or row.verdict in _SEEN]
    if len(told) > MAX_TOLD:
        told = sorted(sorted(told, key=_is_alone)[:MAX_TOLD], key=lambda row: row.number)
    return SwitchReport(
        fabric=around.fabric,
        chassisId=chassis,
        description=tables.name,
        model=tables.model,
        portCount=sum(one.physical for one in tables.interfaces.values()) or None,
        ports=tuple(told),
    )


def _is_alone(port: SwitchPort) -> bool:
    return not (port.peer or port.peers)


def speed_name(megabits: int | None) -> str | None:
    """`400G`, `2.5G`, `100M`; None for unknown."""
    if not megabits:
        return None
    return f"{megabits}M" if megabits < _GIGABIT else f"{megabits / _GIGABIT:g}G"


def _port(facts: PortFacts, verdict: Verdict, around: Surroundings) -> SwitchPort:
    peers = _peers(facts.remotes, around.switches)
    return SwitchPort(
        number=facts.number,
        speed=speed_name(facts.megabits),
        verdict=verdict.word,
        reason=verdict.reason,
        peer=peers[0] if len(peers) == 1 else None,
        peers=peers[:MAX_PEERS] if len(peers) > 1 else (),
        name=facts.name,
        portId=facts.port_id,
        mac=facts.mac,
    )


def _peers(remotes: Iterable[Remote], switches: frozenset[ChassisId]) -> tuple[Peer, ...]:
    """One for each neighbour, in an order that does not depend on when each was heard first."""
    remotes = tuple(remotes)
    agents = [remote for remote in remotes if _is_firmware(remote)]
    others = [remote for remote in remotes if not _is_firmware(remote)]
    if len(agents) == len(others) == 1 and others[0].chassis_id not in switches:
        peer = _peer(others[0], HOST)
        return (replace(peer, mac=peer.mac or agents[0].port_id),)
    peers = {_peer(remote, _kind(remote, switches)) for remote in remotes}
    return tuple(
        sorted(peers, key=lambda peer: (peer.kind, peer.chassisId or "", peer.portId or "", peer.description or ""))
    )


def _is_firmware(remote: Remote) -> bool:
    """An adapter that speaks for itself: nothing but MACs."""
    return remote.system_name is None and remote.port_subtype == MAC and remote.chassis_subtype == MAC


def _kind(remote: Remote, switches: frozenset[ChassisId]) -> str:
    if remote.chassis_id in switches:
        return SWITCH
    if remote.port_subtype == MAC or remote.capabilities == frozenset({_STATION}) or _is_machine(remote):
        return HOST
    return SWITCH if remote.capabilities is None or remote.capabilities & {_BRIDGE, _ROUTER} else HOST


def _is_machine(remote: Remote) -> bool:
    """Whether its chassis id is the machine id that systemd sends."""
    own = remote.chassis_id or ""
    return remote.chassis_subtype == "local" and len(own) == _MACHINE_ID and set(own) <= set("0123456789abcdef")


def _peer(remote: Remote, kind: str) -> Peer:
    return Peer(
        kind=kind,
        chassisId=remote.chassis_id,
        description=remote.system_name,
        portId=remote.port_id,
        portIdSubtype=remote.port_subtype,
        mac=remote.port_id if remote.port_subtype == MAC else None,
    )
