"""The agent's loop: look, judge, offer the report; sooner when something changes; also while the API server is away."""

from __future__ import annotations

import asyncio
import traceback
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

import structlog

from agent.node.allowance import Allowance
from agent.node.assembling import Assembled, assemble
from agent.node.evidence import Evidence
from agent.node.judging import Standing, judge_node
from agent.node.probes import Probes
from agent.node.reporting import Reporter, Spreads, Writes, first_of, rest
from discovery.health import Thresholds
from discovery.identity import NodeName
from discovery.reports import NodeReport
from kube.connection import Connection

log = structlog.get_logger(__name__)

QUICK_LOOKS = 4
"""So many looks follow a change of a link soon: three samples tell whether it is one."""
LOOKS_AT_ONCE, SECONDS_A_LOOK = 8, 2.5
"""Of those that are not due by the period: what a storm of events may cost."""
GATHERING = 0.05
"""Seconds for which events are gathered: a cable tells several."""


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the node, and what was made of it."""

    evidence: Evidence
    assembled: Assembled
    standing: Standing
    seconds: float = 0.0


class Observer(Writes, Protocol):
    """Told what the agent does, in its event loop, at once."""

    def looked(self, look: Look) -> None:
        """A look is over, and something was concluded from it. Who is told nothing for long is not well."""
        ...


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """Times are in seconds."""

    node: NodeName
    sample: float = 10.0
    """Between two looks."""
    quick: float = 1.5
    """Between two looks while a link changes; longer than what `Thresholds.sample_spacing` takes for one look."""
    spreads: Spreads = field(default_factory=Spreads)
    thresholds: Thresholds = field(default_factory=Thresholds)


@dataclass(slots=True)
class Agent:
    """Keeps one NodeReport true until `stop` is set."""

    connection: Connection
    probes: Probes
    settings: AgentSettings
    stop: asyncio.Event
    observer: Observer
    last: Look | None = None
    faults: set[str] = field(default_factory=set)
    """Of ours, in what is made of a look: each kind of them, by where it is."""
    _standing: Standing = field(default_factory=Standing)
    _allowance: Allowance = field(default_factory=lambda: Allowance(LOOKS_AT_ONCE, SECONDS_A_LOOK))
    _quick_left: int = 0

    @property
    def report(self) -> NodeReport | None:
        """The newest, as `agent.node.reporting.Author`."""
        return self.last.assembled.report if self.last is not None else None

    def remember(self, report: NodeReport) -> None:
        """What the last process reported, as `agent.node.reporting.Author`."""
        if self.last is None:
            self._standing = self._standing.recalling(report)
        else:
            self.last = self._conclude(self.last.evidence, recalled=report) or self.last

    async def run(self) -> None:
        """Look and write, side by side: neither waits for the other."""
        settings = self.settings
        reporter = Reporter(self.connection, settings.node, self, settings.spreads, self.stop, self.observer)
        self.probes.open()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(reporter.run())
                group.create_task(self.probes.follow(self.stop))
                await self._look_on(reporter)
        finally:
            self.probes.close()

    async def _look_on(self, reporter: Reporter) -> None:
        while not self.stop.is_set():
            began = self._time()
            evidence = await self.probes.look()
            if (look := self._conclude(evidence, self._time() - began)) is not None:
                self._take(look)
                reporter.offer()
            await self._until_next(began)

    def _take(self, look: Look) -> None:
        before, self.last = self.last, look
        self.observer.looked(look)
        if before is not None and _links(before) != _links(look):
            self._quick_left = QUICK_LOOKS

    def _conclude(self, evidence: Evidence, seconds: float = 0.0, recalled: NodeReport | None = None) -> Look | None:
        """None at a fault of ours: what was concluded last stays, and ages; the next look may do better."""
        try:
            known = self._standing if recalled is None else self._standing.recalling(recalled)
            ports, standing = judge_node(evidence, known, self.settings.thresholds)
            look = Look(evidence, assemble(evidence, ports, standing.nvlink), standing, seconds)
        except Exception as error:
            self._tell(error)
            return None
        self._standing = standing
        return look

    def _tell(self, error: Exception) -> None:
        """Each kind of fault once, for a look comes every few seconds."""
        *_, place = traceback.extract_tb(error.__traceback__)
        kind = f"{type(error).__name__} at {place.filename}:{place.lineno}"
        if kind not in self.faults:
            self.faults.add(kind)
            log.error("cannot conclude from a look; the last report stays; please report this fault", exc_info=error)

    async def _until_next(self, began: float) -> None:
        """Until the period is over, or sooner where something changes and as far as that is allowed."""
        due = began + self.settings.sample
        if self._quick_left:
            self._quick_left -= 1
            soon = max(began + self.settings.quick, self._time() + self._allowance.wait(self._time()))
        else:
            soon = due
        with suppress(TimeoutError):
            async with asyncio.timeout_at(min(soon, due)):
                await first_of(self.probes.woken, self.stop)
        if self.probes.woken.is_set() and not self.stop.is_set():
            now = self._time()
            await rest(self.stop, min(max(GATHERING, self._allowance.wait(now)), max(0.0, due - now)))
            self.probes.woken.clear()
        if self._time() < due:
            self._allowance.take(self._time())

    def _time(self) -> float:
        return asyncio.get_running_loop().time()


def _links(look: Look) -> tuple[object, ...]:
    """What of a report a pulled cable changes."""
    report = look.assembled.report
    ports = tuple((port.device, port.port, port.state, port.physicalState) for port in report.ports)
    return ports, tuple((interface.name, interface.carrier) for interface in report.interfaces)
