"""The verdicts of switch ports: what each was in the sweeps before, and what its counters say.

The histories live as long as the process. A new one begins with what the standing report says of the port, and with
counters that are unknown, not zero. At a port that faces a host only errors count, never a lost link: a host that
reboots loses it each time, and its own agent, who knows of reboots, judges that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime

from agent.sweeper.infiniband.merging import End
from discovery.health import History, Thresholds, judge
from discovery.ibnetdiscover.unanswered import EVERY_PORT
from discovery.identity import Guid
from discovery.reports import REPORTED_BY_PEER, SWITCH, Port, SwitchPort, SwitchReport
from discovery.samples import LINK_DOWN, LINK_UP, Counters, PortSample

_PAM4 = frozenset({"HDR", "NDR", "XDR"})
_NOT_READ = Counters()


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the ports of the switches that a sweep reached."""

    at: datetime
    clock: float | None = field(default=None, kw_only=True)
    """As `PortSample.clock`."""
    unsure: AbstractSet[End] = frozenset()
    """Ports of which nobody knows whether they have a link; with number EVERY_PORT all of the switch."""
    counters: Mapping[End, Counters] = field(default_factory=dict)

    def sample(self, end: End, port: SwitchPort) -> PortSample:
        """Of a port that has a cable."""
        counters = self.counters.get(end, _NOT_READ)
        if not _between_switches(port):
            counters = replace(counters, link_downed=None)
        link = None if self.is_unsure(end) else LINK_UP
        return PortSample(at=self.at, clock=self.clock, link=link, pam4=port.speed in _PAM4, counters=counters)

    def is_unsure(self, end: End) -> bool:
        return end in self.unsure or (end[0], EVERY_PORT) in self.unsure


@dataclass(slots=True)
class PortHistories:
    """All ports of a fabric."""

    thresholds: Thresholds = field(default_factory=Thresholds)
    _histories: dict[End, History] = field(default_factory=dict)
    _between: set[End] = field(default_factory=set)
    """Ports that were last seen with a switch at the other end."""

    def judge(
        self, reports: Mapping[str, SwitchReport], standing: Mapping[str, SwitchReport], look: Look
    ) -> dict[str, SwitchReport]:
        """The reports with the verdicts of their ports; `standing`: what was reported before."""
        self._forget({report.guid for report in (*reports.values(), *standing.values()) if report.guid})
        self._note_lost(reports, look)
        before = {report.guid: report for report in standing.values() if report.guid}
        return {
            name: self._judge_switch(report, before.get(report.guid), look) if report.guid else report
            for name, report in reports.items()
        }

    def counts(self) -> Counter[str]:
        """How many ports have each verdict."""
        return Counter(history.verdict.word for history in self._histories.values())

    def _judge_switch(self, report: SwitchReport, last: SwitchReport | None, look: Look) -> SwitchReport:
        told = {port.number: port for port in last.ports} if last is not None else {}
        ports = tuple(self._judge_port(report.guid, port, told.get(port.number), look) for port in report.ports)
        return replace(report, ports=ports)

    def _judge_port(self, guid: Guid | None, port: SwitchPort, last: SwitchPort | None, look: Look) -> SwitchPort:
        if guid is None or port.peer is None:
            return port
        end = (guid, port.number)
        history = self._histories.get(end) or _begin(last, look.at)
        verdict, self._histories[end] = judge(look.sample(end, port), history, self.thresholds)
        self._between.discard(end)
        if _between_switches(port):
            self._between.add(end)
        if look.is_unsure(end) or port.reason == REPORTED_BY_PEER:
            return port
        return replace(port, verdict=verdict.word, reason=verdict.reason)

    def _note_lost(self, reports: Mapping[str, SwitchReport], look: Look) -> None:
        """Ports between switches that have no cable any more: if it comes back, that is one of its flaps."""
        for end in self._lost(reports, look):
            sample = PortSample(at=look.at, clock=look.clock, link=LINK_DOWN, reason="NotSeen")
            _, self._histories[end] = judge(sample, self._histories[end], self.thresholds)

    def _lost(self, reports: Mapping[str, SwitchReport], look: Look) -> Iterator[End]:
        cabled = {report.guid: {port.number for port in report.ports if port.peer} for report in reports.values()}
        for end in self._between:
            there = cabled.get(end[0])
            if there is not None and end[1] not in there and not look.is_unsure(end):
                yield end

    def _forget(self, there: AbstractSet[Guid]) -> None:
        """Switches that have left."""
        self._histories = {end: history for end, history in self._histories.items() if end[0] in there}
        self._between = {end for end in self._between if end[0] in there}


def _begin(last: SwitchPort | None, at: datetime) -> History:
    if last is None or last.peer is None:
        return History()
    reported = Port(device="switch", port=last.number, verdict=last.verdict, reason=last.reason, lastUp=at)
    return History.of(reported).going_on()


def _between_switches(port: SwitchPort) -> bool:
    return port.peer is not None and port.peer.kind == SWITCH
