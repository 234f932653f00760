"""Days of a site in simulated time: ports sampled by the real machine, reports of it, and what the controller says.

The clock runs in steps; at each, ports are sampled as their agents would, and the controller looks. What it would write
is kept as it would stand: every turn of a condition, and every Event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import timedelta

import msgspec

from controller.conclusion.memory import Memory
from controller.decide import Outcome, decide
from controller.reasons import SWITCH_LOST
from controller.settings import ControllerSettings
from controller.snapshot import Snapshot
from discovery.health import History, judge
from discovery.reports import Port
from discovery.samples import LINK_UP, PortSample
from kube.types import HyperNode, Node, NodeReportObject
from tests.controller.looking import as_objects
from tests.controller.site import MORNING, Site
from topology.health import FABRIC_HEALTHY, LINKS_HEALTHY

PortKey = tuple[str, str]
"""Node and device."""


@dataclass(frozen=True, slots=True)
class Said:
    """An Event, or that a condition turned."""

    about: str
    reason: str
    status: str = ""


@dataclass(slots=True)
class Day:
    """`link` says what every agent sees of a port now; None: no agent runs."""

    site: Site = field(default_factory=Site)
    settings: ControllerSettings = field(default_factory=ControllerSettings)
    link: Callable[[PortKey, float], str | None] = lambda _key, _now: LINK_UP
    others: dict[str, tuple[Port, ...]] = field(default_factory=dict)
    """By node: ports that no sweep sees."""
    boots: dict[str, int] = field(default_factory=dict)
    resting: set[str] = field(default_factory=set)
    watched: frozenset[str] | None = None
    """Nodes whose ports are sampled: nothing happens to the others; None: all."""
    now: float = 0.0
    drawn: tuple[NodeReportObject, ...] = ()
    memory: Memory = field(default_factory=lambda: Memory(started=0.0))
    objects: tuple[HyperNode, ...] = ()
    histories: dict[PortKey, History] = field(default_factory=dict)
    reports: dict[str, NodeReportObject] = field(default_factory=dict)
    conditions: dict[tuple[str, str], str] = field(default_factory=dict)
    notices: set[object] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    """All verdicts that were reported."""
    reasons: set[str] = field(default_factory=set)
    """Of all conditions that ever stood."""
    turned: list[Said] = field(default_factory=list)
    events: list[Said] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.drawn = self.site.node_report_objects()

    def begin(self) -> None:
        """Half an hour in which nothing happens."""
        self.site.sweep()
        for _ in range(3):
            self.pass_time(600.0, sample=600.0)
        self.turned.clear()
        self.events.clear()

    def pass_time(self, seconds: float, *, sample: float = 10.0, look: float = 30.0, sweep: bool = False) -> None:
        """Sample every so many seconds, look every so many, and sweep at each look if asked to."""
        end, looked = self.now + seconds, self.now
        while self.now < end:
            self.now += sample
            self.sample_all()
            if self.now - looked >= look or self.now >= end:
                looked = self.now
                if sweep:
                    self.site.sweep()
                self.look()

    def boot(self, nodes: Iterable[str]) -> None:
        """New agents there, which know what the last report says."""
        for node in nodes:
            self.boots[node] = self.boots.get(node, 1) + 1
            for port in self.reports[node].spec.ports:
                self.histories[node, port.device] = History.of(port)

    def say_at_switch(self, row: int, verdict: str) -> None:
        """What the sweeper says of the switch's end of a cable from now on."""
        cables = self.site.drawing.cables
        guid, number = self.site.guid_of(int(cables.upper[row])), int(cables.upper_port[row])
        for name, report in self.site.reported.items():
            if report.guid == guid:
                ports = (replace(one, verdict=verdict) if one.number == number else one for one in report.ports)
                self.site.reported[name] = replace(report, ports=tuple(ports))

    def sample_all(self) -> None:
        """One sample of every port whose agent runs; the report is a new object only where it says something new."""
        for drawn in self.drawn:
            node = drawn.metadata.name
            if node not in self.site.nodes or (self.watched is not None and node not in self.watched):
                continue
            last = self.reports.get(node)
            ports = [*drawn.spec.ports, *self.others.get(node, ())]
            judged = tuple(self._sample(node, port, last) for port in ports)
            self.words.update(port.verdict for port in judged)
            boot = f"boot-{self.boots.get(node, 1)}"
            if last is None or last.spec.ports != judged or last.spec.bootId != boot:
                spec = replace(drawn.spec, ports=judged, bootId=boot, heartbeat=MORNING + timedelta(seconds=self.now))
                self.reports[node] = msgspec.structs.replace(drawn, spec=spec)

    def _sample(self, node: str, port: Port, last: NodeReportObject | None) -> Port:
        key = (node, port.device)
        link = self.link(key, self.now)
        if link is None:
            reported = last.spec.ports if last is not None else ()
            return next((found for found in reported if found.device == port.device), port)
        sample = PortSample(
            at=MORNING + timedelta(seconds=self.now), link=link, incarnation=f"boot-{self.boots.get(node, 1)}"
        )
        verdict, self.histories[key] = judge(sample, self.histories.get(key, History()))
        return replace(port, verdict=verdict.word, reason=verdict.reason, lastUp=self.histories[key].last_up)

    def look(self) -> Outcome:
        """The controller looks, and what it decides stands."""
        snapshot = Snapshot(
            nodes=tuple(map(self._node, self.site.node_objects())),
            node_reports=tuple(self.reports[node] for node in sorted(self.site.nodes) if node in self.reports),
            switch_reports=self.site.switch_objects(),
            sweeps=(self.site.sweep_object(),),
            hyper_nodes=self.objects,
        )
        decision = decide(self.memory, snapshot, self.now, self.settings)
        assert decision.outcome is not None, decision.waiting
        self.memory = decision.memory
        self.objects = as_objects(decision.outcome.desired)
        self._tell(decision.outcome)
        return decision.outcome

    def _node(self, node: Node) -> Node:
        if node.metadata.name not in self.resting:
            return node
        return msgspec.structs.replace(node, spec=msgspec.structs.replace(node.spec, unschedulable=True))

    def restart(self) -> None:
        """Another controller, which knows what stands in the API."""
        self.memory = Memory(started=self.now)

    def _tell(self, outcome: Outcome) -> None:
        """As `controller.writing` writes it: a turn is an Event, but where a switch is told that explains it."""
        losses = outcome.losses
        for name, judged in outcome.health.hyper_nodes.items():
            for condition in judged.conditions:
                told = condition.type == LINKS_HEALTHY and name in losses.hyper_nodes
                self._turn(name, condition.type, condition.status, condition.reason, told=told)
        for node, condition in outcome.health.nodes.items():
            self._turn(node, FABRIC_HEALTHY, condition.status, condition.reason, told=node in losses.nodes)
        self.events += [Said(f"{lost.guid:016x}", SWITCH_LOST) for lost in losses.switches]
        self.events += [Said(new.hyper_node, new.reason) for new in set(outcome.notices) - self.notices if new.reason]
        self.notices |= set(outcome.notices)

    def _turn(self, about: str, kind: str, status: str, reason: str, *, told: bool) -> None:
        self.reasons.add(reason)
        before = self.conditions.get((about, kind))
        self.conditions[about, kind] = status
        if before in (None, status) or "Unknown" in (before, status):
            return
        self.turned.append(Said(f"{about} {kind}", reason, status))
        if not told:
            self.events.append(Said(about, reason, status))
