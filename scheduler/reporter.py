"""Says verdicts: conditions on waiting pods, status of PodGroups, Events on transitions; no more often than is useful.

Each group is written at most once in `interval` seconds, and only where something changed; a verdict that comes too
early waits, and only the latest is said. A write that fails is tried again after the interval.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf
from uuid import uuid4

import msgspec
import structlog

from kube.client import Client
from kube.errors import ApiError, Conflict, NotFound, NotOurs
from kube.events import Note, new_event
from kube.requests import Patch, PatchKind
from kube.types import EVENTS, POD_GROUPS, PODS, Pod, PodGroup
from scheduler.groups import GroupKey
from scheduler.settings import SCHEDULER_NAME
from scheduler.verdict import UNSCHEDULABLE, Stamp, Tally, Verdict, pod_patch, status_change, write_status
from scheduler.wake import Wake

log = structlog.get_logger(__name__)

PATCHES_AT_ONCE = 8
"""Status writes leave most of the connections to bindings."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What is to be said of one group."""

    key: GroupKey
    verdict: Verdict | None
    """None: only the phase and the counters."""
    pod_group: PodGroup | None
    phase: str
    """Of the PodGroup, if there is one."""
    tally: Tally
    about: Pod | None
    """The pod that carries the Event of a gang without PodGroup."""
    fresh: bool = False
    """We have just bound pods of it: an Event is due even if no other write is."""
    patient: bool = False
    """It may well pass by itself (pods that are still being made): said only when it still holds after the interval."""


class Reporter:
    """Collects statements and writes them. `still_waits` gives a pod as last seen, or None when it waits no more."""

    def __init__(self, client: Client, interval: float, still_waits: Callable[[Pod], Pod | None]) -> None:
        self._client = client
        self._interval = interval
        self._still_waits = still_waits
        self._pending: dict[GroupKey, Statement] = {}
        self._written: dict[GroupKey, float] = {}
        self._patient_since: dict[GroupKey, float] = {}
        self._told: dict[GroupKey, tuple[bool, str]] = {}
        """What the last Event of a group said: placed or not, and the reason."""
        self._busy: set[GroupKey] = set()
        self._wake = Wake()
        self._slots = asyncio.Semaphore(PATCHES_AT_ONCE)

    def say(self, statement: Statement) -> None:
        """Write this as soon as the group's interval allows; a later statement replaces it until then."""
        if self._differs(statement):
            if statement.patient:
                self._patient_since.setdefault(statement.key, asyncio.get_running_loop().time())
            else:
                self._patient_since.pop(statement.key, None)
            self._pending[statement.key] = statement
            self._wake.up()
        else:
            self._pending.pop(statement.key, None)

    def forget(self, key: GroupKey) -> None:
        """The group is gone."""
        for memory in (self._pending, self._written, self._patient_since, self._told):
            memory.pop(key, None)

    async def run(self) -> None:
        """Write what is due, until cancelled."""
        clock = asyncio.get_running_loop().time
        async with asyncio.TaskGroup() as writes:
            while True:
                now = clock()
                for key in [key for key in self._pending if key not in self._busy]:
                    last = max(self._written.get(key, -inf), self._patient_since.get(key, -inf))
                    due = last + self._interval
                    if due > now:
                        self._wake.at(due)
                        continue
                    self._written[key] = now
                    self._busy.add(key)
                    writes.create_task(self._write(self._pending.pop(key)))
                await self._wake.wait(3600.0)

    def _differs(self, statement: Statement) -> bool:
        """Whether anything is to be written. What all objects say already was said before our time: no Event for it."""
        group, verdict = statement.pod_group, statement.verdict
        differs = group is not None and status_change(group, statement.phase, verdict)
        if verdict is None:
            return differs
        stamp = Stamp(datetime.now(UTC), "")
        differs = differs or any(pod_patch(verdict, pod, stamp) is not None for pod in verdict.waiting)
        if not differs and not statement.fresh:
            self._told.setdefault(statement.key, (verdict.placed, verdict.reason))
        return differs or self._news(statement)

    def _news(self, statement: Statement) -> bool:
        verdict = statement.verdict
        return verdict is not None and self._told.get(statement.key) != (verdict.placed, verdict.reason)

    async def _write(self, statement: Statement) -> None:
        """Everything that the statement concerns; what cannot be written is tried again, and hinders nothing else."""
        stamp = Stamp(datetime.now(UTC), str(uuid4()))
        try:
            whole = [await self._tried(statement, part) for part in self._parts(statement, stamp)]
            if not all(whole):
                self._pending.setdefault(statement.key, statement)
        finally:
            self._busy.discard(statement.key)
            self._wake.up()

    def _parts(self, statement: Statement, stamp: Stamp) -> Iterator[Awaitable[object]]:
        if statement.pod_group is not None:
            yield self._write_group(statement, statement.pod_group, stamp)
        if statement.verdict is not None:
            verdict = statement.verdict
            yield asyncio.gather(*(self._write_pod(verdict, pod, stamp) for pod in verdict.waiting))
            yield self._write_event(statement, verdict, stamp)

    async def _tried(self, statement: Statement, part: Awaitable[object]) -> bool:
        try:
            await part
        except NotFound:
            pass  # deleted meanwhile
        except (Conflict, NotOurs):
            return False
        except ApiError as error:
            log.warning("cannot write a status", group=str(statement.key), error=str(error))
            return False
        return True

    async def _write_group(self, statement: Statement, group: PodGroup, stamp: Stamp) -> None:
        """Read the whole object, change its status, write it whole: PodGroup has no status subresource."""
        document = await self._client.get_document(POD_GROUPS, group.metadata.name, group.metadata.namespace)
        current = msgspec.convert(document, PodGroup)
        if current.metadata.uid == group.metadata.uid and status_change(current, statement.phase, statement.verdict):
            write_status(document, statement.phase, statement.tally, statement.verdict, stamp)
            await self._client.replace(POD_GROUPS, document)

    async def _write_pod(self, verdict: Verdict, pod: Pod, stamp: Stamp) -> None:
        async with self._slots:
            current = self._still_waits(pod)
            patch = pod_patch(verdict, current, stamp) if current is not None else None
            if current is None or patch is None:
                return
            meta = current.metadata
            wanted = Patch(patch, PatchKind.STRATEGIC, meta.resource_version, "status")
            try:
                await self._client.patch(PODS, meta.name, wanted, meta.namespace)
            except (Conflict, NotFound):
                return  # bound, changed or gone meanwhile

    async def _write_event(self, statement: Statement, verdict: Verdict, stamp: Stamp) -> None:
        if not self._news(statement):
            return
        self._told[statement.key] = (verdict.placed, verdict.reason)
        if verdict.placed:
            note = Note(verdict.reason, verdict.message)
        else:
            note = Note(UNSCHEDULABLE, f"{verdict.reason}: {verdict.message}", "Warning")
        if statement.pod_group is not None:
            event = new_event(POD_GROUPS, statement.pod_group, note, SCHEDULER_NAME, stamp.now)
        elif statement.about is not None:
            event = new_event(PODS, statement.about, note, SCHEDULER_NAME, stamp.now)
        else:
            return
        await self._client.create(EVENTS, event)
