"""The agent's loop: look, judge, write what changed; and go on looking while the API server is away."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

import structlog

from agent.node.looking import NodeSources, look
from agent.node.verdicts import Standings
from agent.publishing import Written, is_due, node_object
from agent.writing import ReportWriter
from discovery.identity import NodeName
from discovery.reports import NodeReport
from kube.client import Client
from kube.connection import Connection
from kube.errors import ApiError, NotFound
from kube.pace import BackOff, Limits
from kube.requests import FieldManager
from kube.resources import NODE_REPORTS

log = structlog.get_logger(__name__)

MANAGER = FieldManager("hyperscout-agent", force=True)
ONE_TRY = Limits(attempts=1)
"""The loop itself tries again, with pauses of its own."""
LONGEST_PAUSE = 300.0


class Observer(Protocol):
    """Told what the agent does, in its event loop, at once."""

    def looked(self, report: NodeReport, seconds: float) -> None:
        """A look is over."""
        ...

    def wrote(self, verb: str, error: ApiError | None) -> None:
        """A write is over; None is success."""
        ...


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """Times are in seconds."""

    node: NodeName
    sample: float = 10.0
    """Between two looks."""
    start_spread: float = 20.0
    """The first write comes at a random moment within it: ten thousand agents may start at once."""


@dataclass(slots=True)
class Agent:
    """Keeps one NodeReport true until `stop` is set; then a write that is under way is finished, and none is begun."""

    connection: Connection
    sources: NodeSources
    settings: AgentSettings
    stop: asyncio.Event
    observer: Observer
    now: Callable[[], datetime] = lambda: datetime.now(UTC).replace(microsecond=0)
    _written: Written | None = None
    _not_before: float = 0.0
    _draw: float = field(default_factory=random.random)
    _pauses: BackOff = field(default_factory=lambda: BackOff(first=1.0, longest=LONGEST_PAUSE))
    _said: str = ""

    async def run(self) -> None:
        """Look and write, again and again. An API server that is away is no reason to stop looking."""
        await self._rest(random.uniform(0.0, self.settings.start_spread))
        standings, remembered = Standings(), False
        while not self.stop.is_set():
            begin = self._time()
            if not remembered and self._may_ask():
                remembered, standings = await self._remember(standings)
            report, standings = await asyncio.to_thread(look, self.sources, standings, self.now())
            self.observer.looked(report, self._time() - begin)
            if remembered and self._may_ask():
                await self._write(report)
            await self._rest(self.settings.sample - (self._time() - begin))

    async def _remember(self, standings: Standings) -> tuple[bool, Standings]:
        """What the last report of this node knows of its ports, so that no port that was ever up is forgotten."""
        try:
            async with Client(self.connection, ONE_TRY) as client:
                report = await client.get(NODE_REPORTS, self.settings.node)
        except NotFound:
            return True, standings
        except ApiError as error:
            self._failed(error)
            return False, standings
        return True, Standings({**Standings.of(report.spec.ports).ports, **standings.ports})

    async def _write(self, report: NodeReport) -> None:
        """Write the report if it is due. No connection is kept between two writes."""
        wanted, now = node_object(self.settings.node, report), self._time()
        if not is_due(wanted, self._written, now, self._draw):
            return
        try:
            async with Client(self.connection, ONE_TRY) as client:
                await ReportWriter(client, MANAGER).apply(wanted)
        except ApiError as error:
            self._failed(error)
            return
        self._written = Written(wanted.content_hash(), now)
        self._draw = random.random()
        self._pauses.reset()
        self._said = ""
        self.observer.wrote("apply", None)

    def _failed(self, error: ApiError) -> None:
        """Try again later, and say why once."""
        self._not_before = self._time() + max(self._pauses.pause(), error.retry_after or 0.0)
        self.observer.wrote(error.verb, error)
        if str(error) != self._said:
            log.error("cannot reach the NodeReport", error=str(error))
        self._said = str(error)

    def _may_ask(self) -> bool:
        return not self.stop.is_set() and self._time() >= self._not_before

    def _time(self) -> float:
        return asyncio.get_running_loop().time()

    async def _rest(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, seconds)):
                await self.stop.wait()
