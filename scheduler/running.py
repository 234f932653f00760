"""A scheduler among replicas: it follows the cluster, works in the terms in which it leads, and begins afresh in each.

What a scheduler holds in mind (places that it assumes taken) is true only while nobody else binds, so each term has a
scheduler of its own; it stands by with full caches until the term begins.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from kube.client import Client
from kube.guard import Permit
from kube.tenure import Leading, end_of, next_term
from scheduler.loop import Scheduler
from scheduler.role import ON_ITS_OWN, Role
from scheduler.settings import SchedulerSettings


async def run_scheduler(
    client: Client, settings: SchedulerSettings, stop: asyncio.Event, role: Role = ON_ITS_OWN
) -> None:
    """Schedule our pods over one API server until `stop` is set; then begin nothing new and end what is under way."""
    while not stop.is_set():
        turn = _Turn(role.leading, stop)
        guarded = client.guarded(Permit(turn.may_write, role.observer.wrote))
        watching = asyncio.create_task(turn.end())
        role.observer.rests()
        try:
            await Scheduler(guarded, settings, role.observer).run(turn.over, turn.begins)
        finally:
            watching.cancel()


@dataclass(slots=True)
class _Turn:
    """One term, from standing by for it until it or the process ends."""

    leading: Leading
    stop: asyncio.Event
    over: asyncio.Event = field(default_factory=asyncio.Event)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    term: int = 0

    def may_write(self) -> bool:
        """Whether the term is the present one, and we are not about to stop."""
        return not self.stop.is_set() and self.term != 0 and self.leading.term == self.term

    async def begins(self) -> None:
        """Wait for the term."""
        self.term = await next_term(self.leading)
        self.begun.set()

    async def end(self) -> None:
        """Set `over` when it is."""
        ends = [asyncio.create_task(self._term_ends()), asyncio.create_task(self.stop.wait())]
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in ends:
                task.cancel()
        self.over.set()

    async def _term_ends(self) -> None:
        await self.begun.wait()
        await end_of(self.leading, self.term)
