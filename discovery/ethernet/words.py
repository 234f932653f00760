"""Words about the ports of switches, and the SwitchReports that say them."""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from discovery.ethernet.owners import At
from discovery.ethernet.switches import OwnPort, OwnSwitch
from discovery.identity import ChassisId, switch_object_name
from discovery.reports import HOST, REPORTED_BY_PEER, Peer, SwitchPort, SwitchReport
from discovery.scan import ethernet_speed


@dataclass(slots=True)
class Words:
    """Who is at each port: by the switch itself, by nodes and by other switches."""

    own: dict[At, Peer] = field(default_factory=dict)
    by_others: dict[At, list[Peer]] = field(default_factory=lambda: defaultdict(list))
    megabits: dict[At, int | None] = field(default_factory=dict)
    called: dict[ChassisId, str] = field(default_factory=dict)
    """What switches are called, by those who tell of them."""
    named: set[ChassisId] = field(default_factory=set)
    """Switches that a node or another switch tells of today."""

    def call(self, chassis: ChassisId, name: str | None) -> None:
        """The first name in the alphabet that anybody gives it."""
        if name:
            self.called[chassis] = min(name, self.called.get(chassis, name))

    def reports(
        self, own: Mapping[ChassisId, OwnSwitch], only: AbstractSet[ChassisId] | None = None
    ) -> dict[str, SwitchReport]:
        """By object name, those of switches that only others tell of included. `own`: the swept ones among them;
        `only`: those that are asked for."""
        numbers: dict[ChassisId, list[int]] = defaultdict(list)
        for chassis, number in self.by_others:
            if only is None or chassis in only:
                numbers[chassis].append(number)
        writing = _Writing(self, numbers, _doubled(self.own.values()))
        reports = {switch.name: writing.swept(switch) for switch in own.values()}
        for chassis in sorted(numbers.keys() - own.keys()):
            reports[_name(chassis)] = writing.unswept(chassis)
        return dict(sorted(reports.items()))


def _doubled(peers: Iterable[Peer]) -> frozenset[tuple[str | None, int | None]]:
    """Ends of nodes that switches hear on several ports: there it matters what the node itself says."""
    times = Counter((peer.guid, peer.port) for peer in peers if peer.kind == HOST)
    return frozenset(end for end, count in times.items() if count > 1)


@dataclass(frozen=True, slots=True)
class _Writing:
    """Writes words into reports."""

    words: Words
    numbers: Mapping[ChassisId, list[int]]
    """By switch the ports of which others tell."""
    doubled: frozenset[tuple[str | None, int | None]]

    def swept(self, switch: OwnSwitch) -> SwitchReport:
        """Its own report with the peers in one form, and what others say where it says nothing or something else."""
        ports: list[SwitchPort] = []
        for number, own in switch.ports.items():
            ports += self._port(own, (switch.chassis, number))
        ports += self._unknown_ports(switch.chassis, switch.ports)
        model = switch.report.model
        device = switch.report.deviceId or (zlib.crc32(model.encode()) if model else None)
        return replace(switch.report, chassisId=switch.chassis, deviceId=device, ports=_ordered(ports))

    def unswept(self, chassis: ChassisId) -> SwitchReport:
        """All that others say of it."""
        ports = _ordered(self._unknown_ports(chassis, ()))
        return SwitchReport(chassisId=chassis, description=self.words.called.get(chassis), ports=ports)

    def _port(self, own: OwnPort, at: At) -> list[SwitchPort]:
        """A port that its switch tells of, with all that is told of it."""
        peer, told = self.words.own.get(at), _others(self.words, at)
        port = own.report
        plain = SwitchPort(
            number=own.number,
            width=1,
            speed=port.speed or _speed(self.words, at),
            verdict=port.verdict,
            reason=port.reason,
            peer=peer,
            name=port.name,
            portId=port.portId,
            mac=port.mac,
        )
        if peer is None and told:
            plain = replace(plain, reason=REPORTED_BY_PEER, peer=told.pop(0))
        others = (one for one in told if not _same(one, peer) or (one.guid, one.port) in self.doubled)
        return [*(_by_peer(own.number, one, plain.speed) for one in others), plain]

    def _unknown_ports(self, chassis: ChassisId, known: Container[int]) -> list[SwitchPort]:
        """Ports of which only others tell."""
        return [
            _by_peer(number, peer, _speed(self.words, (chassis, number)))
            for number in self.numbers.get(chassis, ())
            if number not in known
            for peer in _others(self.words, (chassis, number))
        ]


def _others(words: Words, at: At) -> list[Peer]:
    """What others say of a port, each once."""
    return list(dict.fromkeys(words.by_others.get(at, ())))


def _by_peer(number: int, peer: Peer, speed: str | None) -> SwitchPort:
    return SwitchPort(number=number, width=1, speed=speed, reason=REPORTED_BY_PEER, peer=peer)


def _same(one: Peer, other: Peer | None) -> bool:
    """Whether they are one end of a cable."""
    return other is not None and (one.guid, one.chassisId, one.port) == (other.guid, other.chassisId, other.port)


def _speed(words: Words, at: At) -> str | None:
    speed = ethernet_speed(words.megabits.get(at))
    return speed.spelled if speed else None


def _ordered(ports: Iterable[SwitchPort]) -> tuple[SwitchPort, ...]:
    """By number; the switch's own word last, for the last one counts where there can be but one."""
    return tuple(sorted(ports, key=lambda port: (port.number, port.reason != REPORTED_BY_PEER)))


def _name(chassis: ChassisId) -> str:
    return switch_object_name(system_image=None, node=None, chassis=chassis, shares_box=False)
