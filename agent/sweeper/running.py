"""The sweeper's loop: while it leads, sweep every few minutes, judge the sweep, write what it changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

import structlog

from agent.sweeper.judging import Known, Patience, judge
from agent.sweeper.publishing import Span, SweepWriter, report_of
from agent.sweeper.reading import Sweep
from discovery.reports import FAILED, SweepReport, SwitchReport
from kube.client import Client
from kube.errors import ApiError
from kube.guard import Permit
from kube.pace import BackOff
from kube.tenure import Leading, next_term

log = structlog.get_logger(__name__)


class Observer(Protocol):
    """Told what the sweeper does, in its event loop, at once."""

    def begins(self) -> None:
        """A sweep begins."""
        ...

    def rests(self) -> None:
        """Nothing is due for a while."""
        ...

    def swept(self, report: SweepReport, seconds: float) -> None:
        """A sweep is over and written."""
        ...

    def wrote(self, verb: str, error: ApiError | None) -> None:
        """A write is over; None is success."""
        ...


class Reader(Protocol):
    """Reads a fabric of one kind: `agent.sweeper.infiniband`, `agent.sweeper.ethernet`."""

    async def read(self, own: Mapping[str, SwitchReport]) -> Sweep:
        """One sweep, beside the reports that this sweeper has standing. Never raises: what fails is its trouble."""
        ...


@dataclass(frozen=True, slots=True)
class SweeperSettings:
    """Times are in seconds."""

    name: str = "default"
    period: float = 300.0
    patience: Patience = field(default_factory=Patience)


@dataclass(slots=True)
class Sweeper:
    """Sweeps one fabric until `stop` is set; only in its own terms, and a term writes nothing of another's sweep."""

    client: Client
    reader: Reader
    settings: SweeperSettings
    stop: asyncio.Event
    leading: Leading
    observer: Observer
    now: Callable[[], datetime] = lambda: datetime.now(UTC).replace(microsecond=0)
    _own: Mapping[str, SwitchReport] = field(default_factory=dict)
    """The reports of this sweeper as it last wrote them, or found them."""
    _said: str = ""
    _last: tuple[object, ...] = ()
    """What was told of the sweep before."""

    async def run(self) -> None:
        """Take up in every term what the API knows, then sweep; what fails is told and tried again."""
        pauses = BackOff(first=1.0, longest=60.0)
        while not self.stop.is_set():
            self.observer.rests()
            term = await self._term()
            if not term:
                return
            try:
                await self._lead(term)
            except ApiError as error:
                self._say(str(error))
                await self._rest(max(pauses.pause(), error.retry_after or 0.0))
            else:
                pauses.reset()

    async def _term(self) -> int:
        """The number of the next term; 0 at the end."""
        waiting, stopping = asyncio.create_task(next_term(self.leading)), asyncio.create_task(self.stop.wait())
        try:
            await asyncio.wait({waiting, stopping}, return_when=asyncio.FIRST_COMPLETED)
            return waiting.result() if waiting.done() and not self.stop.is_set() else 0
        finally:
            waiting.cancel()
            stopping.cancel()

    async def _lead(self, term: int) -> None:
        """One term. Raises ApiError, after which all is read from the API again."""
        client = self.client.guarded(Permit(lambda: self._may_write(term), self.observer.wrote))
        writer = SweepWriter(client, self.settings.name)
        self._own = (await writer.standing()).own
        known = await writer.recover(self._own)
        clock = asyncio.get_running_loop().time
        while self._may_write(term):
            begin = clock()
            self.observer.begins()
            known = await self._sweep(writer, known)
            self.observer.rests()
            await self._rest(self.settings.period - (clock() - begin))

    async def _sweep(self, writer: SweepWriter, known: Known) -> Known:
        start, begin = self.now(), asyncio.get_running_loop().time()
        sweep = await self._read()
        if sweep is None:
            return known
        judgement = judge(sweep.view, known, self.settings.patience)
        standing = await writer.standing()
        due = sweep.due(standing.own, judgement.outcome)
        outcome = await writer.write(due, standing)
        self._own = {**standing.own, **{name: due[name] for name in due if name not in standing.foreign}}
        report = report_of(judgement, sweep, Span(start, self.now()), outcome)
        await writer.write_sweep(report)
        if judgement.left and not outcome.failures:
            await writer.remove(judgement.left)
        seconds = asyncio.get_running_loop().time() - begin
        self._tell(report, seconds, any(standing.own.get(name) != one for name, one in due.items()))
        self.observer.swept(report, seconds)
        return judgement.known

    async def _read(self) -> Sweep | None:
        """One sweep; None where we are to stop before it is over."""
        reading, stopping = asyncio.create_task(self.reader.read(self._own)), asyncio.create_task(self.stop.wait())
        try:
            await asyncio.wait({reading, stopping}, return_when=asyncio.FIRST_COMPLETED)
            return reading.result() if reading.done() else None
        finally:
            stopping.cancel()
            reading.cancel()
            with suppress(asyncio.CancelledError):
                await reading

    def _may_write(self, term: int) -> bool:
        return not self.stop.is_set() and self.leading.term == term

    def _tell(self, report: SweepReport, seconds: float, wrote: bool) -> None:
        """One line where something changed; a sweep that failed has an event of its own."""
        why = "; ".join(report.reasons[:3])
        last, self._last = self._last, (report.outcome, report.switches, report.hosts, why, len(report.missing))
        if report.outcome == FAILED:
            if last != self._last:
                log.error("the sweep failed", why=why)
            self._said = ""
            return
        self._say(why)
        if wrote or last != self._last:
            log.info(
                "swept",
                outcome=report.outcome,
                switches=report.switches,
                hosts=report.hosts,
                missing=len(report.missing),
                seconds=round(seconds, 1),
            )

    def _say(self, trouble: str) -> None:
        if trouble and trouble != self._said:
            log.warning("the sweep is not whole, or not alone", why=trouble)
        self._said = trouble

    async def _rest(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, seconds)):
                await self.stop.wait()
