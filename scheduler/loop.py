"""The loop: whatever changes, look at everything that waits, decide, bind, and say why the rest waits.

Level-triggered: a pass looks at the state as it is and not at how it came about, so a restart in the middle of a gang
only means that the first pass finds some of its pods bound. Bindings and releases run beside the passes; while a gang
is being bound or released, no pass looks at it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import structlog

from kube.client import Client
from scheduler import judging
from scheduler.applicants import Applicants
from scheduler.caches import Caches
from scheduler.fabric import Fabric
from scheduler.gang_binding import GangBinding
from scheduler.gangs import Candidate, Members
from scheduler.groups import GroupKey, Wishes
from scheduler.holdings import Holdings
from scheduler.kernel.outcome import Reason, Refusal
from scheduler.planning import Situation, by_priority, decide
from scheduler.releasing import GangRelease, Overdue
from scheduler.reporter import Reporter, Statement
from scheduler.role import Observer
from scheduler.roster import Roster
from scheduler.settings import SchedulerSettings
from scheduler.states import GroupState
from scheduler.verdict import Tally, Verdict, phase_of
from scheduler.wake import Wake

log = structlog.get_logger(__name__)

NO_ROOM = frozenset({Reason.DOES_NOT_FIT, Reason.BOUND_APART})
"""Refusals for which a partly bound gang may be released: another domain may take it, and its own is freed for others.
Every other refusal would only be given again."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A group with waiting pods, as one pass finds it."""

    key: GroupKey
    wishes: Wishes
    members: Members
    candidate: Candidate


class Scheduler:
    """The parts of a scheduler, wired together."""

    def __init__(self, client: Client, settings: SchedulerSettings, observer: Observer) -> None:
        caches, wake, holdings = Caches.of(client), Wake(), Holdings()
        self._settings = settings
        self._observer = observer
        self._caches = caches
        self._wake = wake
        self._fabric = Fabric(caches.nodes, caches.hyper_nodes, holdings, wake)
        self._roster = Roster(settings.scheduler_names, caches, holdings, wake)
        self._applicants = Applicants(self._roster, self._fabric, caches.storage)
        self._binding = GangBinding(client, settings, self._roster, holdings, self._fabric.nodes, wake)
        self._release = GangRelease(client, self._roster, wake)
        self._reporter = Reporter(client, settings.status_interval, self._binding.still_waits)
        self._states: dict[GroupKey, GroupState] = {}
        self._overdue: list[Overdue] = []

    async def run(self, stop: asyncio.Event, turn: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Follow the cluster, wait for our turn, and schedule until `stop` is set; then end what is under way."""
        async with asyncio.TaskGroup() as background:
            followers = [background.create_task(cache.run()) for cache in self._caches.all()]
            followers.append(background.create_task(self._reporter.run()))
            async with asyncio.TaskGroup() as work:
                await _first(stop, self._caches.synced())
                if not stop.is_set():
                    self._observer.synced()
                await _first(stop, turn())
                if not stop.is_set():
                    log.info("scheduling", names=sorted(self._settings.scheduler_names))
                while not stop.is_set():
                    await self._pass(work, stop)
                    await _first(stop, self._wake.wait(self._settings.resync))
                    await _first(stop, asyncio.sleep(self._settings.debounce))
            for follower in followers:
                follower.cancel()

    async def _pass(self, work: asyncio.TaskGroup, stop: asyncio.Event) -> None:
        """Look at all that changed or waits, decide, begin to bind or to release, and say what is to be said."""
        self._observer.turned()
        looked = (self._find(key) for key in sorted(self._roster.take()))
        findings = {finding.key: finding for finding in looked if finding is not None}
        if findings:
            await self._decide(findings, work, stop)
        for overdue in self._overdue:
            work.create_task(self._release.release(overdue, stop))
        self._overdue = []

    async def _decide(self, findings: dict[GroupKey, Finding], work: asyncio.TaskGroup, stop: asyncio.Event) -> None:
        situation = Situation(self._fabric.tree(), self._fabric.facts(), self._fabric.links())
        candidates = by_priority([finding.candidate for finding in findings.values()])
        for decision in await asyncio.to_thread(decide, situation, candidates):
            finding = findings[decision.candidate.key]
            state = self._states[finding.key]
            if isinstance(decision.outcome, Refusal):
                self._refuse(finding, decision.outcome, state)
            elif self._binding.holds(decision):
                self._binding.assume(decision, state)
                work.create_task(self._binding.bind(decision, finding.wishes, state, stop))
            else:
                self._roster.touched.add(finding.key)
                self._wake.up()

    def _find(self, key: GroupKey) -> Finding | None:
        """Look at a group; one over which we stumble costs itself its turn, and nobody else."""
        try:
            return self._look_at(key)
        except Exception:
            log.exception("cannot look at a group", group=str(key))
            return None

    def _look_at(self, key: GroupKey) -> Finding | None:
        """A group that applies for places; of every other it is said at once how it stands."""
        now = asyncio.get_running_loop().time()
        if not self._roster.pods_of(key):
            self._vacant(key)
            return None
        state = self._states.setdefault(key, GroupState())
        if state.busy:
            return None
        members, wishes = self._roster.members_of(key), self._roster.wishes_of(key)
        if wishes is None:
            state.stuck.note(False, now)
            self._say(key, members, judging.missing_pod_group(key, members) if members.waiting else None)
            return None
        pods = self._roster.pods_of(key)
        stuck = judging.lacks_only_places(wishes, members, pods, datetime.now(UTC))
        state.note(judging.partly_bound(wishes, members, pods), stuck, now)
        if not members.waiting:
            self._applicants.forget(key)
            stands = members.bound and len(members.bound) >= judging.least_of(wishes, members)
            self._say(key, members, judging.bound(self._fabric.tree(), members, None) if stands else None)
            return None
        if now < state.not_before:
            self._wake.at(state.not_before)
            if state.failure:
                self._unbound(key, members, state)
            return None
        torn = state.partial.since is not None
        applying = judging.least_lacking(wishes, members) if torn else members
        made = self._applicants.candidate(key, wishes, applying, state.avoided(now))
        return Finding(key, wishes, members, replace(made, torn=torn))

    def _unbound(self, key: GroupKey, members: Members, state: GroupState) -> None:
        """The server refused a binding, and it is too early to try again."""
        verdict = judging.bind_failed(state.failure, members, self._partial(members, state))
        if not self._give_up(key, members, state, verdict.message):
            self._say(key, members, verdict)

    def _refuse(self, finding: Finding, refusal: Refusal, state: GroupState) -> None:
        key, members = finding.key, finding.members
        verdict = judging.refused(refusal, members, self._partial(members, state))
        if len(members.bound) >= judging.least_of(finding.wishes, members):
            self._say(key, members, judging.bound(self._fabric.tree(), members, verdict))
        elif refusal.reason not in NO_ROOM or not self._give_up(key, members, state, verdict.message):
            self._say(key, members, verdict)

    def _partial(self, members: Members, state: GroupState) -> judging.Partial | None:
        """What is to be said of a partly bound gang; the loop wakes when its time is over."""
        since, now = state.partial.since, asyncio.get_running_loop().time()
        if since is None:
            return None
        until = since + self._settings.gang_bind_deadline
        if now < until:
            self._wake.at(until)
        return judging.Partial(len(members.bound), now >= until, state.kept)

    def _give_up(self, key: GroupKey, members: Members, state: GroupState, why: str) -> bool:
        """Release a gang whose time is over; False when it is not, or when it is too early to try again."""
        since, now = state.stuck.since, asyncio.get_running_loop().time()
        if since is None or not all(pod.spec.node_name for pod, _ in members.bound):
            return False
        due = max(since + self._settings.gang_bind_deadline, state.release_at)
        if now < due:
            self._wake.at(due)
            return False
        state.busy = True
        self._overdue.append(Overdue(key, members, state, why))
        return True

    def _vacant(self, key: GroupKey) -> None:
        """A group without pods of ours: forgotten, or a PodGroup that waits for the sign to make its pods."""
        self._states.pop(key, None)
        self._applicants.forget(key)
        self._observer.gone(key)
        group = self._roster.pod_group(key)
        if group is None or not self._roster.is_ours(group):
            self._reporter.forget(key)
            return
        phase = judging.vacant_phase(group, self._fabric.facts())
        if phase == "Pending":
            self._wake.at(asyncio.get_running_loop().time() + self._settings.resync)
            self._roster.touched.add(key)
        self._reporter.say(Statement(key, None, group, phase, Tally(0, 0, 0, 0), None))

    def _say(self, key: GroupKey, members: Members, verdict: Verdict | None) -> None:
        state, group = self._states[key], self._roster.pod_group(key)
        pods = self._roster.pods_of(key)
        tally = Tally.of(pods, len(members.bound))
        fresh, state.fresh = state.fresh, False
        phase = phase_of(group, tally) if group is not None else ""
        about = members.waiting[0] if members.waiting else pods[0]
        patient = verdict is not None and verdict.reason == Reason.TOO_FEW_PODS
        statement = Statement(key, verdict, group, phase, tally, about, fresh, patient)
        self._observer.judged(statement, pods)
        self._reporter.say(statement)


async def _first(stop: asyncio.Event, work: Coroutine[Any, Any, object]) -> None:
    """Wait for the work, or for `stop`; what is left of the other is cancelled."""
    tasks = [asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
