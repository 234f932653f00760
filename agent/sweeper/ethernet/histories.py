"""The verdicts of the ports of Ethernet switches: what each was in the sweeps before, and what the switch says now.

The histories live as long as the process. A new one begins with what the standing report says of the port. At a port
that faces no switch a link that comes back is no flap: a host that reboots loses it each time, and its own agent, who
knows of reboots, judges that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from discovery.health import History, Thresholds, Verdict, judge
from discovery.health.flaps import Flaps
from discovery.identity import ChassisId
from discovery.reports import SWITCH, Port, SwitchPort, SwitchReport
from discovery.samples import PortSample
from discovery.snmp import PortFacts, SwitchTables

End = tuple[ChassisId, int]


@dataclass(slots=True)
class PortHistories:
    """All ports of a fabric."""

    thresholds: Thresholds = field(default_factory=Thresholds)
    _histories: dict[End, History] = field(default_factory=dict)
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
        for facts in ports:
            end = (chassis, facts.number)
            sample = PortSample(
                at=at,
                link=facts.link,
                reason=facts.reason,
                pam4=facts.pam4,
                counters=facts.counters,
                incarnation=incarnation,
            )
            verdicts[facts.number], history = judge(sample, self._histories.get(end, History()), self.thresholds)
            self._histories[end] = history if end in self._between else replace(history, flaps=Flaps())
        return verdicts

    def recall(self, standing: Iterable[SwitchReport], at: datetime) -> None:
        """What the reports that stand say of ports that are not known yet; switches without a report are forgotten."""
        there = {report.chassisId: report for report in standing if report.chassisId is not None}
        self._histories = {end: history for end, history in self._histories.items() if end[0] in there}
        self._between = {end for end in self._between if end[0] in there}
        self._uptimes = {chassis: said for chassis, said in self._uptimes.items() if chassis in there}
        for chassis, report in there.items():
            for port in report.ports:
                if (chassis, port.number) not in self._histories:
                    self._begin((chassis, port.number), port, at)

    def note(self, report: SwitchReport) -> None:
        """Remember which ports face a switch; one whose neighbour is not heard any more faces whom it faced."""
        for port in report.ports:
            peers = (port.peer, *port.peers) if port.peer else port.peers
            end = (report.chassisId or ChassisId(""), port.number)
            if any(peer.kind == SWITCH for peer in peers):
                self._between.add(end)
            elif peers:
                self._between.discard(end)

    def counts(self) -> Mapping[str, int]:
        """How many ports have each verdict."""
        return Counter(history.verdict.word for history in self._histories.values())

    def _incarnation(self, chassis: ChassisId, tables: SwitchTables) -> str | None:
        """By the count that the switch keeps, or that is kept here of its uptime falling."""
        if tables.boots is not None or tables.uptime is None:
            return str(tables.boots) if tables.boots is not None else None
        last, times = self._uptimes.get(chassis, (tables.uptime, 0))
        times += tables.uptime < last
        self._uptimes[chassis] = (tables.uptime, times)
        return f"uptime-{times}"

    def _begin(self, end: End, port: SwitchPort, at: datetime) -> None:
        reported = Port(device="switch", port=port.number, verdict=port.verdict, reason=port.reason, lastUp=at)
        self._histories[end] = History.of(reported)
