"""Drawings as Ethernet: what the nodes hear by LLDP, and what SNMP tells of the switches.

Every node of a drawing has a MAC, made of its GUID; port `n` of a switch is called `Ethernet<n>`.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime

from discovery.descriptions import host_name, switch_name
from discovery.identity import ChassisId, Guid
from discovery.reports import (
    DOWN,
    HOST,
    SWITCH,
    UP,
    Interface,
    Neighbour,
    Peer,
    Port,
    SwitchPort,
    SwitchReport,
)
from discovery.scan import NodeKind
from topology.synth.drawing import Drawing

_MAC_PREFIX = 0x0C << 40
_ONCE = datetime(2026, 3, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Voices:
    """Who speaks, and who listens."""

    switches_told: bool = True
    """Somebody sweeps the switches."""
    nodes_listen: bool = True
    adapters_speak: bool = True
    """The firmware of adapters does, so switches hear the nodes."""
    bonds: bool = False
    """The adapters of a node are members of bonds, two and two."""
    megabits: int = 400_000


@dataclass(frozen=True, slots=True)
class NodePorts:
    """What the agent of one node sees."""

    ports: tuple[Port, ...]
    interfaces: tuple[Interface, ...]


def mac_of_node(drawing: Drawing, node: int) -> str:
    """Of an adapter, or of the chassis of a switch."""
    digits = f"{_MAC_PREFIX | int(drawing.nodes.guid[node]) & 0xFF_FFFF_FFFF:012x}"
    return ":".join(digits[place : place + 2] for place in range(0, 12, 2))


def adapter_guid_of(drawing: Drawing, node: int) -> Guid:
    """As drivers make it of the MAC."""
    digits = mac_of_node(drawing, node).replace(":", "")
    return Guid(f"{digits[:6]}0300{digits[6:]}")


def node_ports(drawing: Drawing, voices: Voices, silent: frozenset[str] = frozenset()) -> dict[str, NodePorts]:
    """By host. `silent`: hosts that hear nobody. A cable that is absent leaves its interface without a carrier."""
    rows: dict[str, list[int]] = defaultdict(list)
    for row, lower in enumerate(drawing.cables.lower.tolist()):
        if drawing.nodes.kind[lower] == NodeKind.HOST:
            rows[host_name(drawing.nodes.description[lower])[0] or ""].append(row)
    return {host: _ports_of(drawing, voices, of_host, host not in silent) for host, of_host in rows.items()}


def _ports_of(drawing: Drawing, voices: Voices, rows: list[int], listens: bool) -> NodePorts:
    rows = sorted(rows, key=lambda row: drawing.nodes.description[drawing.cables.lower[row]])
    ports: dict[str, Port] = {}
    interfaces: list[Interface] = []
    for place, row in enumerate(rows):
        adapter, up = int(drawing.cables.lower[row]), bool(drawing.cables.present[row])
        device = host_name(drawing.nodes.description[adapter])[1] or f"mlx5_{place}"
        name = f"eth{device.rpartition('_')[2]}"
        if voices.bonds:
            device = f"mlx5_bond_{place // 2}"
            adapter = int(drawing.cables.lower[rows[place - place % 2]])
        before = ports.get(device)
        verdict = UP if up or (before is not None and before.verdict == UP) else DOWN
        identity = adapter_guid_of(drawing, adapter)
        ports[device] = Port(
            device=device, port=1, nodeGuid=identity, linkLayer="Ethernet", verdict=verdict, lastUp=_ONCE
        )
        interfaces.append(
            Interface(
                name=name,
                mac=mac_of_node(drawing, int(drawing.cables.lower[row])),
                speed=voices.megabits if up else None,
                carrier=up,
                bond=f"bond{place // 2}" if voices.bonds else None,
                rdmaDevice=device,
                neighbours=(_heard(drawing, row),) if up and listens and voices.nodes_listen else (),
            )
        )
    return NodePorts(tuple(ports.values()), tuple(interfaces))


def _heard(drawing: Drawing, row: int) -> Neighbour:
    switch = int(drawing.cables.upper[row])
    return Neighbour(
        chassisId=ChassisId(mac_of_node(drawing, switch)),
        chassisIdSubtype="mac",
        portId=f"Ethernet{int(drawing.cables.upper_port[row])}",
        portIdSubtype="ifname",
        systemName=switch_name(drawing.nodes.description[switch]),
    )


def switch_reports_of(drawing: Drawing, voices: Voices) -> list[SwitchReport]:
    """As a sweeper tells of them by SNMP: every port that ever had a cable, and who is heard there."""
    ports: dict[int, list[SwitchPort]] = defaultdict(list)
    cables = drawing.cables
    for row in range(len(cables)):
        lower, upper = int(cables.lower[row]), int(cables.upper[row])
        ends = ((lower, int(cables.lower_port[row])), (upper, int(cables.upper_port[row])))
        for (near, number), (far, far_number) in (ends, ends[::-1]):
            if drawing.nodes.kind[near] == NodeKind.SWITCH:
                peer = _peer(drawing, voices, far, far_number) if cables.present[row] else None
                ports[near].append(_port(voices, number, peer, up=bool(cables.present[row])))
    return [
        SwitchReport(
            fabric=drawing.name,
            chassisId=ChassisId(mac_of_node(drawing, switch)),
            description=switch_name(drawing.nodes.description[switch]),
            model="SN5600",
            ports=tuple(sorted(of_one, key=lambda port: port.number)),
        )
        for switch, of_one in sorted(ports.items())
    ]


def _port(voices: Voices, number: int, peer: Peer | None, *, up: bool) -> SwitchPort:
    name = f"Ethernet{number}"
    return SwitchPort(
        number=number + 1000,  # as interfaces are counted in the IF-MIB
        name=name,
        portId=name,
        speed=f"{voices.megabits // 1000}G",
        verdict=UP if up else DOWN,
        reason=None if up else "NoCarrier",
        peer=peer,
    )


def _peer(drawing: Drawing, voices: Voices, far: int, number: int) -> Peer | None:
    mac = mac_of_node(drawing, far)
    if drawing.nodes.kind[far] == NodeKind.SWITCH:
        name = switch_name(drawing.nodes.description[far])
        return Peer(kind=SWITCH, chassisId=ChassisId(mac), portId=f"Ethernet{number}", description=name)
    return Peer(kind=HOST, chassisId=ChassisId(mac), portId=mac, mac=mac) if voices.adapters_speak else None
