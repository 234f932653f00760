"""How the report of a node gets to the API server: on change and as a heartbeat, never often, never all at once.

Ten thousand agents may start at once, lose the API server at once, or lose the same switch at once. So every first
write is spread at random, every change waits for a moment drawn anew, changes that follow each other fast are written
as one, and failures are followed by pauses that double. No connection is kept between two writes.
"""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

import structlog

from agent.node.allowance import Allowance
from agent.publishing import ReportObject, Written, is_due, node_object
from agent.writing import ReportWriter
from discovery.identity import NodeName
from discovery.reports import NodeReport
from kube.client import Client
from kube.connection import Connection
from kube.errors import ApiError, NotFound, Unavailable
from kube.pace import BackOff, Limits
from kube.requests import FieldManager
from kube.resources import NODE_REPORTS

log = structlog.get_logger(__name__)

MANAGER = FieldManager("hyperscout-agent", force=True)
ONE_TRY = Limits(attempts=1, timeout=60.0, connect=60.0)
"""The loop itself tries again, with pauses of its own. It is patient: where a server is slow because thousands connect,
who gives up and connects again makes it slower."""
FIRST_PAUSE, LONGEST_PAUSE = 3.0, 300.0
_TOO_MANY = 429
KEEPS_CONNECTION = 12.0
"""Seconds of a pause for which a connection is kept; 15 s after its last use the HTTP library ends it."""
WRITES_AT_ONCE, SECONDS_A_WRITE = 6, 10.0
"""Changes are written at once, but those of a port that goes up and down all day not more often than this."""


class Writes(Protocol):
    """Told of every write, in the event loop, at once."""

    def wrote(self, verb: str, error: ApiError | None, size: int) -> None:
        """A call is over; None is success. `size`: bytes of the spec that was to be written, 0 for a read."""
        ...


class Author(Protocol):
    """Who makes the reports."""

    @property
    def report(self) -> NodeReport | None:
        """The newest."""
        ...

    def remember(self, report: NodeReport) -> None:
        """What this node's report said before this process: `report` knows of it from now on."""
        ...


@dataclass(frozen=True, slots=True)
class Spreads:
    """Random waits, in seconds."""

    start: float = 32.0
    """The first write comes within it."""
    change: float = 0.3
    """A change waits for a moment within it: a switch that dies is a change of all of its nodes."""


@dataclass(slots=True)
class Reporter:
    """Keeps one NodeReport as its author says until `stop` is set; then a write that is under way is finished."""

    connection: Connection
    node: NodeName
    author: Author
    spreads: Spreads
    stop: asyncio.Event
    told: Writes
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _remembered: bool = False
    _made: ReportObject | None = None
    _written: Written | None = None
    _draw: float = field(default_factory=random.random)
    _pauses: BackOff = field(default_factory=lambda: BackOff(first=FIRST_PAUSE, longest=LONGEST_PAUSE))
    _allowance: Allowance = field(default_factory=lambda: Allowance(WRITES_AT_ONCE, SECONDS_A_WRITE))
    _said: str = ""

    def offer(self) -> None:
        """There is a new report."""
        self._news.set()

    async def run(self) -> None:
        """Write, again and again. An API server that is away is asked ever more seldom."""
        await self._rest(random.uniform(0.0, self.spreads.start))
        while not self.stop.is_set():
            await self._until_offered()
            if self._due() is None:
                continue
            if self._written is not None:
                await self._rest(max(random.uniform(0.0, self.spreads.change), self._allowance.wait(self._time())))
            if not self.stop.is_set():
                await self._rest(await self._write())

    def _due(self) -> ReportObject | None:
        """The newest report, where it is due."""
        report = self.author.report
        if report is None:
            return None
        if self._made is None or self._made.spec is not report:
            self._made = node_object(self.node, report)
        return self._made if is_due(self._made, self._written, self._time(), self._draw) else None

    async def _write(self) -> float:
        """Write what is due by now; seconds to pause then. A server that is busy is asked again on one connection:
        to make another one for each try is what would keep it busy."""
        async with Client(self.connection, ONE_TRY) as client:
            while True:
                try:
                    await self._try(client)
                except ApiError as error:
                    pause = self._failed(error)
                    if error.code != _TOO_MANY or pause > KEEPS_CONNECTION or self.stop.is_set():
                        self._news.set()
                        return pause
                    await self._rest(pause)
                else:
                    return 0.0

    async def _try(self, client: Client) -> None:
        """Read, once, what the last process wrote; then write what is due. Raises ApiError."""
        if not self._remembered:
            await self._recall(client)
        wanted = self._due()
        if wanted is None:
            return
        await ReportWriter(client, MANAGER).apply(wanted)
        if self._written is None or self._said:
            log.info("the NodeReport is written", name=wanted.name)
        self._written = Written(wanted.content_hash(), self._time())
        self._allowance.take(self._time())
        self._draw = random.random()
        self._pauses.reset()
        self._said = ""
        self.told.wrote("apply", None, wanted.size)

    async def _recall(self, client: Client) -> None:
        """So that no port that was ever up is forgotten. What a cache has is new enough: the last process is over."""
        with suppress(NotFound):
            self.author.remember((await client.get_cached(NODE_REPORTS, self.node)).spec)
        self._remembered = True

    def _failed(self, error: ApiError) -> float:
        """Say why, once; the pause until the next try."""
        self.told.wrote(error.verb, error, 0)
        if str(error) != self._said:
            reached = not isinstance(error, Unavailable)
            log.error("the NodeReport is refused" if reached else "cannot reach the NodeReport", error=str(error))
        self._said = str(error)
        return max(self._pauses.pause(), error.retry_after or 0.0)

    async def _until_offered(self) -> None:
        await first_of(self._news, self.stop)
        self._news.clear()

    def _time(self) -> float:
        return asyncio.get_running_loop().time()

    async def _rest(self, seconds: float) -> None:
        await rest(self.stop, seconds)


async def rest(stop: asyncio.Event, seconds: float) -> None:
    """For so long, or until `stop` is set."""
    if seconds > 0.0:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await stop.wait()


async def first_of(*events: asyncio.Event) -> None:
    """Wait until one of them is set."""
    if any(event.is_set() for event in events):
        return
    waiting = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()
