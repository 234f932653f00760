"""The controller's loop: look when something happened, decide, write what differs, say what changed.

It knows the API only, so it runs unchanged on a real cluster and on the embedded server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import structlog

from controller.caches import AllEchoes, Caches
from controller.conclusion.memory import Memory
from controller.decide import Decision, Outcome, decide
from controller.hyper_nodes.put_backs import PutBacks
from controller.hyper_nodes.recreating import Kept
from controller.journal.changes import of_changes, of_happening
from controller.journal.ring import Journal
from controller.nodes.writing import CleanUp
from controller.notices import Notice, happenings_of
from controller.role import ON_ITS_OWN, Role
from controller.settings import ControllerSettings
from controller.snapshot import Snapshot
from controller.writing import Writer
from kube.client import Client
from kube.errors import ApiError
from kube.guard import Permit
from kube.pace import BackOff

log = structlog.get_logger(__name__)


def wall_clock() -> datetime:
    """Now, to the second: conditions have no finer times."""
    return datetime.now(UTC).replace(microsecond=0)


async def run_controller(
    client: Client,
    settings: ControllerSettings,
    stop: asyncio.Event,
    now: Callable[[], datetime] = wall_clock,
    looked: Callable[[Decision], None] = lambda _: None,
    role: Role = ON_ITS_OWN,
) -> None:
    """Keep HyperNodes, conditions and placements true until `stop` is set; then no new write is begun.

    `now` is the time that transitions get; `looked` is told what every look decided, after it was written. Who does not
    lead looks, and writes nothing.
    """
    caches = Caches.of(client, settings.debounce)
    journal = Journal(settings.namespace) if settings.namespace else None
    looking = _Looking(client, settings, caches, AllEchoes.of(caches), stop, now, looked, role, journal)
    looking.kept = Kept(settings.namespace)
    loop = asyncio.get_running_loop()

    def led() -> None:
        loop.call_soon_threadsafe(caches.trigger.pull)

    unsubscribe = role.leading.subscribe(led)
    async with asyncio.TaskGroup() as group:
        runs = (*caches.runs(), _end_at(stop, caches), _begin(caches, role))
        beside = [group.create_task(run) for run in runs]
        try:
            await looking.until_stopped()
        finally:
            looking.end()
            unsubscribe()
            for task in beside:
                task.cancel()


async def _begin(caches: Caches, role: Role) -> None:
    """The first look comes as soon as there is all to look at, even if that is nothing."""
    await caches.whole()
    role.observer.synced()
    caches.trigger.pull()


async def _end_at(stop: asyncio.Event, caches: Caches) -> None:
    await stop.wait()
    caches.trigger.end()


@dataclass(slots=True)
class _Looking:
    client: Client
    settings: ControllerSettings
    caches: Caches
    echoes: AllEchoes
    stop: asyncio.Event
    now: Callable[[], datetime]
    looked: Callable[[Decision], None]
    role: Role
    journal: Journal | None = None
    kept: Kept = field(default_factory=lambda: Kept(""))
    recalled: int = 0
    """The term at whose begin we looked what was left undone."""
    pauses: BackOff = field(default_factory=BackOff)
    again: asyncio.TimerHandle | None = None
    """The next try of what was not written."""
    said: str = ""
    """The last reason for writing nothing, so that it is logged once."""
    noticed: frozenset[Notice] = frozenset()
    told: frozenset[Notice] = frozenset()
    """The notices that stood when we last led, so that each is an Event once."""
    counts: dict[int, dict[str, int]] = field(default_factory=dict)
    """By term what the writers of that term have counted."""
    clean_up: CleanUp = field(default_factory=CleanUp)
    put_backs: PutBacks = field(default_factory=PutBacks)
    taken: Mapping[str, str] = field(default_factory=dict)

    async def until_stopped(self) -> None:
        memory = Memory(started=asyncio.get_running_loop().time())
        while not self.stop.is_set():
            self.role.observer.turned()
            await self.caches.trigger.wait(self.settings.times.look_again)
            if not self.stop.is_set() and self.caches.synced:
                memory = await self._look(memory)

    async def _look(self, memory: Memory) -> Memory:
        """One look. What cannot be concluded or written leaves everything as it stands, and is tried again."""
        term, snapshot = self.role.leading.term, self.caches.snapshot()
        time = asyncio.get_running_loop().time()
        try:
            memory = await self._recall(memory, term)
            decision = await asyncio.to_thread(decide, memory, snapshot, time, self.settings)
        except ValueError as error:
            log.error("cannot conclude, nothing is changed", error=str(error))
            return memory
        except ApiError as error:
            log.warning("cannot read what a leader before left undone", error=str(error))
            self._try_again()
            return memory
        self._say(decision.waiting if decision.outcome is None else "" if term else "another replica leads")
        whole = True
        if decision.outcome is not None:
            self._report(decision.outcome)
            if term:
                whole = await self._write(term, snapshot, decision, decision.outcome)
        self.role.observer.reconciled(asyncio.get_running_loop().time() - time)
        self.looked(decision)
        if whole:
            self.end()
            self.pauses.reset()
        elif self._may_write(term):
            self._try_again()
        return decision.memory

    async def _recall(self, memory: Memory, term: int) -> Memory:
        """At the begin of a term: what was to be created again by whoever led before. Raises ApiError."""
        if term in (0, self.recalled):
            return memory
        left = await self.kept.load(self.client)
        self.recalled = term
        known = {document.name for document in left}
        return replace(memory, recreating=(*left, *(found for found in memory.recreating if found.name not in known)))

    def _may_write(self, term: int) -> bool:
        """Whether what was decided in that term may be written now."""
        return not self.stop.is_set() and term != 0 and self.role.leading.term == term

    async def _write(self, term: int, snapshot: Snapshot, decision: Decision, outcome: Outcome) -> bool:
        """Write an outcome, in the term in which it was decided only; False when not all of it stands."""

        def may_write() -> bool:
            return self._may_write(term)

        client = self.client.guarded(Permit(may_write, self.role.observer.wrote))
        self.counts = {term: self.counts.get(term, {})}
        writer = Writer(client, self.echoes, may_write, self.now(), self.counts[term], self.clean_up, self.put_backs)
        writer.happenings.extend(happenings_of(sorted(set(outcome.notices) - self.told), snapshot))
        self.told = frozenset(outcome.notices)
        try:
            await self.kept.save(client, outcome.recreating)
            whole = await writer.write(snapshot, outcome)
        except ApiError as error:
            log.warning("a step of the plan was refused", error=str(error))
            whole = False
        if may_write():
            await self.echoes.all_seen()
        await self._journal(client, writer, term)
        return whole

    async def _journal(self, client: Client, writer: Writer, term: int) -> None:
        """Note what this look changed, and write some of what waits."""
        journal = self.journal
        if journal is None:
            return
        journal.note(of_changes(writer.changes, writer.now))
        journal.note(of_happening(happening, writer.now) for happening in writer.happenings)
        if self._may_write(term):
            await journal.write(client, term)
        self.role.observer.journaled(len(journal.waiting), journal.lost)

    def _try_again(self) -> None:
        """After a pause, even if nothing else happens; what happens before is looked at as soon as ever."""
        self.end()
        self.again = asyncio.get_running_loop().call_later(self.pauses.pause(), self.caches.trigger.pull)

    def end(self) -> None:
        """No try is to come any more."""
        if self.again is not None:
            self.again.cancel()
        self.again = None

    def _say(self, waiting: str) -> None:
        if waiting and waiting != self.said:
            log.info("nothing is written yet", why=waiting)
        self.said = waiting

    def _report(self, outcome: Outcome) -> None:
        for notice in sorted(set(outcome.notices) - self.noticed):
            log.warning("notice", reason=notice.reason, hyper_node=notice.hyper_node, what=notice.sentence)
        self.noticed = frozenset(outcome.notices)
        for finding in sorted(outcome.news, key=lambda finding: finding.detail):
            log.warning("the evidence contradicts itself", kind=finding.kind, what=finding.detail)
        for key, sentence in outcome.nodes.taken.items():
            if self.taken.get(key) != sentence:
                log.warning("a label of others", key=key, what=sentence)
        self.taken = outcome.nodes.taken
