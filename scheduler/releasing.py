"""Give a gang up that has been partly bound for too long: evict its bound pods, if none of them loses by it.

A release is a delete, and a delete can end a Job. So it is begun only when every bound pod is made again at no cost
(`recreation`), goes through pods/eviction, where disruption budgets count, and names each pod by its UID. The first
refusal ends the attempt; the next look at the gang, after a pause, decides afresh with the pods that it then finds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import structlog

from kube.client import Client
from kube.errors import ApiError, Conflict, NotFound
from kube.events import Note, new_event
from kube.job import Job
from kube.resources import JOBS
from kube.types import EVENTS, POD_GROUPS, PODS, Key, Pod
from scheduler.gangs import Members
from scheduler.groups import GroupKey
from scheduler.names import RELEASED
from scheduler.recreation import job_of, obstacle
from scheduler.roster import Roster
from scheduler.settings import SCHEDULER_NAME
from scheduler.states import GroupState
from scheduler.wake import Wake

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Overdue:
    """A gang that has been partly bound for longer than it may."""

    key: GroupKey
    members: Members
    state: GroupState
    why: str
    """What keeps its other pods from their places."""


@dataclass(frozen=True, slots=True)
class GangRelease:
    """Releases gangs, each in a task of its own beside the passes; `state.busy` keeps passes away from it."""

    client: Client
    roster: Roster
    wake: Wake

    async def release(self, overdue: Overdue, stop: asyncio.Event) -> None:
        """Evict all bound pods; `state.kept` is then empty, or says why they, or some of them, are still there."""
        state, pods = overdue.state, [pod for pod, _ in overdue.members.bound]
        clock = asyncio.get_running_loop().time
        try:
            state.kept = await self._obstacle(pods) or ""
            if state.kept:
                state.release_at = clock() + state.releases.pause()
            else:
                await self._evict_all(overdue, pods, stop)
        finally:
            state.busy = False
            self.roster.touched.add(overdue.key)
            self.wake.up()

    async def _obstacle(self, pods: Sequence[Pod]) -> str | None:
        """What forbids the release, found at the first pod that must stay."""
        jobs: dict[Key, Job | str] = {}
        for pod in pods:
            wanted = job_of(pod)
            if wanted is not None and wanted not in jobs:
                jobs[wanted] = await self._job(wanted)
            found = obstacle(pod, jobs[wanted] if wanted is not None else None)
            if found is not None:
                return found
        return None

    async def _job(self, key: Key) -> Job | str:
        try:
            return await self.client.get(JOBS, key.name, key.namespace)
        except ApiError as error:
            return str(error)

    async def _evict_all(self, overdue: Overdue, pods: Sequence[Pod], stop: asyncio.Event) -> None:
        state, evicted = overdue.state, 0
        for pod in pods:
            if stop.is_set():
                break
            try:
                await self.client.evict(pod)
            except (NotFound, Conflict):
                continue  # it is gone, or another one has its name
            except ApiError as error:
                pause = max(state.releases.pause(), error.retry_after or 0.0)
                state.release_at = asyncio.get_running_loop().time() + pause
                state.kept = f"pod {pod.metadata.key} could not be evicted: {error}"
                break
            self.roster.evicted.add(pod.metadata.uid)
            evicted += 1
        log.info("released", group=str(overdue.key), evicted=evicted, of=len(pods), kept=state.kept)
        if evicted:
            await self._tell(overdue, f"{evicted} of {len(pods)} bound pods were evicted")
        if not state.kept:
            state.releases.reset()

    async def _tell(self, overdue: Overdue, what: str) -> None:
        """An Event on the PodGroup, or on a pod that waits."""
        message = f"{what}, fewer than min_member, so that the gang is placed afresh: {overdue.why}"
        note, now = Note(RELEASED, message, "Warning"), datetime.now(UTC)
        group = self.roster.pod_group(overdue.key)
        if group is not None:
            event = new_event(POD_GROUPS, group, note, SCHEDULER_NAME, now)
        else:
            event = new_event(PODS, overdue.members.waiting[0], note, SCHEDULER_NAME, now)
        try:
            await self.client.create(EVENTS, event)
        except ApiError as error:
            log.warning("cannot write an Event", group=str(overdue.key), error=str(error))
