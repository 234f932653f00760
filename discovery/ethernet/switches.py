"""What the SwitchReport of an Ethernet switch says, before it is known who its neighbours are: ports by every name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from discovery.ethernet.ids import chassis_of, is_management, mac_of, port_number
from discovery.identity import ChassisId
from discovery.reports import Peer, SwitchPort, SwitchReport


@dataclass(frozen=True, slots=True)
class OwnPort:
    """A port as its switch tells it."""

    number: int
    report: SwitchPort
    peers: tuple[Peer, ...]


@dataclass(frozen=True, slots=True)
class OwnSwitch:
    """A switch that was swept."""

    name: str
    """Of its object."""
    chassis: ChassisId
    report: SwitchReport
    ports: Mapping[int, OwnPort]
    by_id: Mapping[str, int]
    """Numbers by id and name."""
    management: frozenset[int]
    """Ports that belong to no fabric."""

    def number(self, port_id: str) -> int:
        """The port that somebody else calls so; one that it does not tell of itself is a port all the same."""
        return self.by_id.get(port_id) or port_number(port_id)


def read_switch(name: str, report: SwitchReport) -> OwnSwitch | None:
    """The report of that name; None for a switch without an identity."""
    chassis = chassis_of(report.chassisId)
    if chassis is None:
        return None
    ports: dict[int, OwnPort] = {}
    by_id: dict[str, int] = {}
    management: set[int] = set()
    for port in report.ports:
        number = _free(port_number(_id_of(port)), ports)
        ports[number] = OwnPort(number, port, port.peers or ((port.peer,) if port.peer is not None else ()))
        if is_management(port.name, port.portId):
            management.add(number)
    for number, own in ports.items():
        for spelled in _ids(own.report):
            by_id.setdefault(spelled, number)
    return OwnSwitch(name, chassis, report, ports, by_id, frozenset(management))


def _id_of(port: SwitchPort) -> str:
    """What its neighbours hear; so it has the same number where only they tell of it."""
    return mac_of(port.portId) or port.portId or port.name or str(port.number)


def _ids(port: SwitchPort) -> Iterable[str]:
    """Every name that somebody may give it, the likeliest first."""
    names = (mac_of(port.portId) or port.portId, port.name, mac_of(port.mac))
    return (name for name in names if name)


def _free(number: int, taken: Mapping[int, OwnPort]) -> int:
    """The next number that is free: ids with one number are rare."""
    while number in taken:
        number = number + 1 if number < 0x7FFF else 0x4000
    return number
