"""The agent's loop: look, judge, offer the report; sooner when something changes; also while the API server is away."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

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
        """A look is over."""
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
    _standing: Standing = field(default_factory=Standing)
    _allowance: Allowance = field(default_factory=lambda: Allowance(LOOKS_AT_ONCE, SECONDS_A_LOOK))
    _quick_left: int = 0

    @property
    def report(self) -> NodeReport | None:
        """The newest, as `agent.node.reporting.Author`."""
        return self.last.assembled.report if self.last is not None else None

    def remember(self, report: NodeReport) -> None:
        """What the last process reported, as `agent.node.reporting.Author`."""
        self._standing = self._standing.recalling(report)
        if self.last is not None:
            self.last = self._conclude(self.last.evidence)

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
            before, self.last = self.last, self._conclude(evidence, self._time() - began)
            self.observer.looked(self.last)
            reporter.offer()
            if before is not None and _links(before) != _links(self.last):
                self._quick_left = QUICK_LOOKS
            await self._until_next(began)

    def _conclude(self, evidence: Evidence, seconds: float = 0.0) -> Look:
        ports, self._standing = judge_node(evidence, self._standing, self.settings.thresholds)
        return Look(evidence, assemble(evidence, ports, self._standing.nvlink), self._standing, seconds)

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
