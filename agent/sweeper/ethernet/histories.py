"""The verdicts of the ports of Ethernet switches: what each was in the sweeps before, and what the switch says now.

The histories live as long as the process. A new one begins with what the standing report says of the port. A port is
known by its name, for the number that it has in a report may be another port's tomorrow. At a port
that faces no switch a link that comes back is no flap: a host that reboots loses it each time, and its own agent, who
knows of reboots, judges that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from discovery.health import History, Thresholds, Verdict, judge
from discovery.health.flaps import Flaps
from discovery.identity import ChassisId
from discovery.reports import SWITCH, Port, SwitchPort, SwitchReport
from discovery.samples import PortSample
from discovery.snmp import PortFacts, SwitchTables

End = tuple[ChassisId, str]
"""A port of a switch, by its name where no other of the switch has it."""
MAX_ABSENT = 2048
"""So many ports of which the last reading of a switch did not tell are remembered, where it was cut short."""

P = TypeVar("P", PortFacts, SwitchPort)


@dataclass(slots=True)
class PortHistories:
    """All ports of a fabric."""

    thresholds: Thresholds = field(default_factory=Thresholds)
    _histories: dict[ChassisId, dict[str, History]] = field(default_factory=dict)
    """By switch and name of the port."""
    _between: set[End] = field(default_factory=set)
    """Ports that were last seen with a switch at the other end."""
    _uptimes: dict[ChassisId, tuple[float, int]] = field(default_factory=dict)
    """What each switch said last, and how often it had begun anew by then."""

    def judge(
        self, chassis: ChassisId, ports: Iterable[PortFacts], tables: SwitchTables, at: datetime
    ) -> dict[int, Verdict]:
        """The verdicts of the ports of one switch, by number."""
        incarnation = self._incarnation(chassis, tables)
        verdicts: dict[int, Verdict] = {}
        named = _named(ports)
        histories = self._forget_absent(chassis, named.keys(), whole=tables.whole)
        for name, facts in named.items():
            sample = PortSample(
                at=at,
                clock=tables.uptime,
                link=facts.link,
                reason=facts.reason,
                pam4=facts.pam4,
                counters=facts.counters,
                incarnation=incarnation,
            )
            last = _going_on(histories.get(name, History()), tables)
            verdicts[facts.number], history = judge(sample, last, self.thresholds)
            between = (chassis, name) in self._between
            histories[name] = history if between else replace(history, flaps=Flaps())
        return verdicts

    def recall(self, standing: Iterable[SwitchReport], at: datetime) -> None:
        """What the reports that stand say of ports that are not known yet; switches without a report are forgotten."""
        there = {report.chassisId: report for report in standing if report.chassisId is not None}
        self._histories = {chassis: self._histories.get(chassis, {}) for chassis in there}
        self._between = {end for end in self._between if end[0] in there}
        self._uptimes = {chassis: said for chassis, said in self._uptimes.items() if chassis in there}
        for chassis, report in there.items():
            histories = self._histories[chassis]
            for name, port in _named(report.ports).items():
                if name not in histories:
                    histories[name] = _begun(port, at)

    def note(self, report: SwitchReport) -> None:
        """Remember which ports face a switch; one whose neighbour is not heard any more faces whom it faced."""
        for name, port in _named(report.ports).items():
            peers = (port.peer, *port.peers) if port.peer else port.peers
            end = (report.chassisId or ChassisId(""), name)
            if any(peer.kind == SWITCH for peer in peers):
                self._between.add(end)
            elif peers:
                self._between.discard(end)

    def counts(self) -> Mapping[str, int]:
        """How many ports have each verdict."""
        return Counter(history.verdict.word for histories in self._histories.values() for history in histories.values())

    def _incarnation(self, chassis: ChassisId, tables: SwitchTables) -> str | None:
        """By the count that the switch keeps, or that is kept here of its uptime falling."""
        if tables.boots is not None or tables.uptime is None:
            return str(tables.boots) if tables.boots is not None else None
        last, times = self._uptimes.get(chassis, (tables.uptime, 0))
        times += tables.uptime < last
        self._uptimes[chassis] = (tables.uptime, times)
        return f"uptime-{times}"

    def _forget_absent(self, chassis: ChassisId, there: AbstractSet[str], *, whole: bool) -> dict[str, History]:
        """The histories of the switch without ports that it has no more."""
        histories = self._histories.setdefault(chassis, {})
        absent = [name for name in histories if name not in there]
        for name in absent[0 if whole else MAX_ABSENT :]:
            del histories[name]
            self._between.discard((chassis, name))
        return histories


def _begun(port: SwitchPort, at: datetime) -> History:
    return History.of(Port(device="switch", port=port.number, verdict=port.verdict, reason=port.reason, lastUp=at))


def _named(ports: Iterable[P]) -> dict[str, P]:
    """The ports by name; those that share one, and those without, by their number besides."""
    ports = tuple(ports)
    times = Counter(port.name for port in ports)
    return {
        port.name if port.name and times[port.name] == 1 else f"{port.name or ''} #{port.number}": port
        for port in ports
    }


def _going_on(history: History, tables: SwitchTables) -> History:
    """A sweeper that starts is no switch that does, where the switch says since when it runs."""
    recalled = history.at is None and history.last_up is not None
    return history.going_on() if recalled and tables.uptime is not None else history
