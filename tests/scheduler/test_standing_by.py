"""Two schedulers: one binds, the other stands by with full caches and goes on where it stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry

from kube.client import Client
from kube.connection import connect_to
from kube.errors import ApiError
from kube.pod import Pod
from kube.tenure import Tenure
from scheduler.groups import GroupKey
from scheduler.metrics import SchedulerMetrics
from scheduler.reporter import Statement
from scheduler.role import Role
from scheduler.running import run_scheduler
from tests.scheduler.lab import PATIENCE, QUICK, Lab

DEADLINE = 10.0


@dataclass
class Clock:
    """One that only the test moves."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Watching:
    """Counts, and notes what an observer is told."""

    registry: CollectorRegistry = field(default_factory=CollectorRegistry)
    whole: asyncio.Event = field(default_factory=asyncio.Event)
    resting: asyncio.Event = field(default_factory=asyncio.Event)
    turns: int = 0
    writes: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.metrics = SchedulerMetrics(self.registry)

    def synced(self) -> None:
        self.whole.set()

    def turned(self) -> None:
        self.turns += 1
        self.resting.clear()

    def rests(self) -> None:
        self.resting.set()

    def judged(self, statement: Statement, pods: Sequence[Pod]) -> None:
        self.metrics.judged(statement, pods)

    def gone(self, key: GroupKey) -> None:
        self.metrics.gone(key)

    def wrote(self, verb: str, error: ApiError | None) -> None:
        self.writes.append((verb, "" if error is None else type(error).__name__))

    def figure(self, name: str, **labels: str) -> float:
        return self.registry.get_sample_value(name, labels) or 0.0


async def test_the_one_that_leads_binds_and_the_other_goes_on_after_it(lab: Lab) -> None:
    clock = Clock()
    tenures, watchers, stop = (
        [Tenure(DEADLINE, clock), Tenure(DEADLINE, clock)],
        [Watching(), Watching()],
        asyncio.Event(),
    )
    await lab.rack("rack", 4)
    async with Client(connect_to(lab.border.url, lab.token)) as client, asyncio.TaskGroup() as replicas:
        for tenure, watching in zip(tenures, watchers, strict=True):
            replicas.create_task(run_scheduler(client, QUICK, stop, Role(tenure, watching)))
        async with asyncio.timeout(PATIENCE):
            await watchers[0].whole.wait()
            await watchers[1].whole.wait()
        tenures[0].renewed(clock.now)
        await lab.pod_group("one", 2)
        await lab.pods("one", range(2))
        await lab.all_bound("one", 2)
        clock.now += 60  # the first does not renew any more
        async with asyncio.timeout(PATIENCE):
            await watchers[0].resting.wait()
        tenures[1].renewed(clock.now)
        await lab.pod_group("two", 2)
        await lab.pods("two", range(2))
        await lab.all_bound("two", 2)
        stop.set()
    assert watchers[0].writes.count(("bind", "")) == 2
    assert watchers[1].writes.count(("bind", "")) == 2


async def test_gangs_that_wait_and_gangs_that_are_placed_are_counted_once(lab: Lab) -> None:
    clock, watching, stop = Clock(), Watching(), asyncio.Event()
    tenure = Tenure(DEADLINE, clock)
    tenure.renewed(clock.now)
    await lab.rack("rack", 2)
    async with Client(connect_to(lab.border.url, lab.token)) as client, asyncio.TaskGroup() as replicas:
        replicas.create_task(run_scheduler(client, QUICK, stop, Role(tenure, watching)))
        await lab.pod_group("wide", 3)
        await lab.pods("wide", range(3))
        await lab.until(lambda: "DoesNotFit" in lab.message_of("wide"))
        assert watching.figure("hyperscout_gang_wait_seconds_count") == 0
        await lab.rack("more", 1)
        await lab.all_bound("wide", 3)
        await lab.until(lambda: lab.group("wide").status.phase == "Running")
        stop.set()
    assert watching.figure("hyperscout_gang_refusals_total", reason="DoesNotFit") == 1
    assert watching.figure("hyperscout_gang_wait_seconds_count") == 1
