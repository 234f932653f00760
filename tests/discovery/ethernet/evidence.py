"""Words of nodes and switches for tests: MACs by number, ports called as on most switches."""

from __future__ import annotations

from discovery.ethernet import Attached, OwnSwitch, Told, read_attached, read_switch, tell
from discovery.identity import ChassisId, Guid
from discovery.reports import (
    HOST,
    SWITCH,
    UP,
    Interface,
    Neighbour,
    NodeReport,
    Peer,
    Port,
    SwitchPort,
    SwitchReport,
    switch_report_name,
)


def mac(number: int) -> str:
    """Of an adapter."""
    return f"0c:42:a1:00:{number >> 8:02x}:{number & 0xFF:02x}"


def chassis(number: int) -> ChassisId:
    """Of a switch."""
    return ChassisId(f"aa:bb:cc:00:00:{number:02x}")


def guid_of(number: int) -> Guid:
    """As drivers make it of the MAC."""
    return Guid(f"0c42a10300{number:06x}")


def heard(switch: int, port: str) -> Neighbour:
    """What a node hears of a port of a switch."""
    return Neighbour(chassisId=chassis(switch), portId=port, systemName=f"leaf-{switch}")


def interface(number: int, *neighbours: Neighbour, device: str | None = "mlx5_0", bond: str | None = None) -> Interface:
    """An interface of an adapter with that number."""
    return Interface(
        name=f"eth{number}",
        mac=mac(number),
        speed=400_000,
        carrier=True,
        rdmaDevice=device,
        bond=bond,
        neighbours=neighbours,
    )


def port(number: int, device: str = "mlx5_0", verdict: str = UP) -> Port:
    """The port of that adapter."""
    return Port(device=device, port=1, nodeGuid=guid_of(number), linkLayer="Ethernet", verdict=verdict)


def node(name: str, number: int, *neighbours: Neighbour) -> Attached:
    """A node with one adapter."""
    return read_attached(name, NodeReport(ports=(port(number),), interfaces=(interface(number, *neighbours),)))


def host(number: int, port_id: str | None = None) -> Peer:
    """What a switch hears of the adapter with that number: its firmware gives its MAC as both ids."""
    return Peer(kind=HOST, chassisId=ChassisId(mac(number)), portId=port_id or mac(number))


def peer_switch(number: int, port_id: str) -> Peer:
    """What a switch hears of another one."""
    return Peer(kind=SWITCH, chassisId=chassis(number), portId=port_id, description=f"leaf-{number}")


def switch(number: int, **peers: Peer | tuple[Peer, ...] | None) -> SwitchReport:
    """A switch that was swept, with what it hears on its ports."""
    ports = tuple(
        SwitchPort(
            number=place,
            name=name,
            portId=name,
            verdict=UP,
            speed="400G",
            peer=found if isinstance(found, Peer) else None,
            peers=found if isinstance(found, tuple) else (),
        )
        for place, (name, found) in enumerate(peers.items(), start=1001)
    )
    return SwitchReport(chassisId=chassis(number), description=f"leaf-{number}", model="SN5600", ports=ports)


def told(nodes: list[Attached], *switches: SwitchReport) -> Told:
    """All of it together."""
    return tell(nodes, map(own, switches))


def own(report: SwitchReport) -> OwnSwitch:
    """A report under its name."""
    found = read_switch(switch_report_name(report), report)
    assert found is not None
    return found


def cables(result: Told) -> dict[str, list[tuple[int, str | None, str | None]]]:
    """By switch: port number, what is there, and why it is known."""
    return {
        report.description or "": [
            (port.number, port.peer.description if port.peer else None, port.reason) for port in report.ports
        ]
        for report in result.reports.values()
    }
