"""Two replicas look and one writes; what was decided in a term that is over is not written, by whom it may be."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from controller.role import Role
from kube.errors import ApiError
from kube.tenure import Tenure
from tests.controller.cluster import Cluster, controller

DEADLINE = 10.0
HYPER_NODES = "/apis/topology.volcano.sh/v1alpha1/hypernodes"
TREE = {"ib-leaf-cf-leaf-001", "ib-leaf-cf-leaf-002", "ib-spine-cf-spine-001"}


@dataclass
class Clock:
    """One that only the test moves."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now

    def freeze(self) -> None:
        """A minute in which nothing was done."""
        self.now += 60.0


@dataclass
class Watching:
    """Notes what an observer is told."""

    whole: asyncio.Event = field(default_factory=asyncio.Event)
    turns: int = 0
    looks: list[float] = field(default_factory=list)
    writes: list[tuple[str, str]] = field(default_factory=list)
    after_write: Callable[[], None] = lambda: None

    def synced(self) -> None:
        self.whole.set()

    def turned(self) -> None:
        self.turns += 1

    def reconciled(self, seconds: float) -> None:
        self.looks.append(seconds)

    def wrote(self, verb: str, error: ApiError | None) -> None:
        self.writes.append((verb, "" if error is None else type(error).__name__))
        self.after_write()

    def journaled(self, waiting: int, lost: int) -> None:
        raise AssertionError("it keeps no journal")


async def test_who_does_not_lead_looks_and_writes_nothing_and_begins_when_it_leads(cluster: Cluster) -> None:
    clock = Clock()
    tenure, watching = Tenure(DEADLINE, clock), Watching()
    await cluster.sweep()
    before = len(cluster.writes())
    async with controller(cluster, role=Role(tenure, watching)) as watched:
        decision = await watched.swept(1)
        assert decision.outcome is not None
        assert {document.name for document in decision.outcome.desired} == TREE
        assert watching.whole.is_set()
        assert (len(cluster.writes()), watching.writes) == (before, [])
        await asyncio.to_thread(tenure.renewed, clock.now)
        await watched.settled()
    assert set(await cluster.hyper_nodes()) == TREE
    assert watching.writes.count(("create", "")) == 3
    assert len(watching.looks) == len(watched.decisions) <= watching.turns


async def test_of_two_replicas_one_writes_and_the_other_goes_on_when_it_is_gone(cluster: Cluster) -> None:
    clock = Clock()
    first, second = Tenure(DEADLINE, clock), Tenure(DEADLINE, clock)
    leader, standby = Watching(), Watching()
    first.renewed(clock.now)
    await cluster.sweep()
    async with controller(cluster, role=Role(second, standby)) as other:
        async with controller(cluster, role=Role(first, leader)) as one:
            await one.swept(1)
            await one.settled()
        assert leader.writes
        assert standby.writes == []
        cluster.site.cut.add(cluster.site.host_cables("node-00000")[0])
        second.renewed(clock.now)
        await cluster.sweep()
        await other.swept(2)
    assert standby.writes
    assert {error for _, error in (*leader.writes, *standby.writes)} == {""}


async def test_a_leader_frozen_past_its_lease_writes_nothing_of_its_old_plan(cluster: Cluster) -> None:
    """It freezes when its first HyperNode is written; resumed, it goes on only when it leads again, and afresh."""
    clock = Clock()
    tenure, watching = Tenure(DEADLINE, clock), Watching()
    watching.after_write = clock.freeze
    tenure.renewed(clock.now)
    await cluster.sweep()
    before = len(cluster.writes())
    async with controller(cluster, role=Role(tenure, watching)) as watched:
        await watched.swept(1)
        assert cluster.writes()[before:] == [("POST", HYPER_NODES)]
        watching.after_write = lambda: None
        tenure.renewed(clock.now)
        await watched.settled()
    assert set(await cluster.hyper_nodes()) == TREE


async def test_an_old_plan_ends_even_where_the_renewing_thread_wakes_first(cluster: Cluster) -> None:
    """Then it leads already when the plan would go on: in another term."""
    clock = Clock()
    tenure, watching = Tenure(DEADLINE, clock), Watching()
    written: list[int] = []

    def freeze_and_renew() -> None:
        clock.freeze()
        tenure.renewed(clock.now)

    watching.after_write = freeze_and_renew
    tenure.renewed(clock.now)
    await cluster.sweep()
    async with controller(cluster, role=Role(tenure, watching)) as watched:
        for _ in TREE:
            await watched.until(lambda decision: decision.outcome is not None)
            written.append([path for _, path in cluster.writes()].count(HYPER_NODES))
        watching.after_write = lambda: None
        await watched.settled()
    assert written == [1, 2, 3]
    assert set(await cluster.hyper_nodes()) == TREE
