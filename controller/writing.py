"""Writes one outcome: HyperNodes by the plan, then statuses side by side, then Events for what turned."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

import structlog

from controller.caches import AllEchoes
from controller.conclusion.evidence import switch_number
from controller.conclusion.findings import told_at
from controller.conclusion.lost_switches import Losses
from controller.decide import Outcome
from controller.hyper_nodes.carrying import Carrier
from controller.hyper_nodes.insisting import insist
from controller.hyper_nodes.put_backs import PutBacks
from controller.hyper_nodes.recreating import without_annotations
from controller.nodes.writing import CleanUp, NodeWriter, Write
from controller.reasons import Happening, as_event, condition_changed, switch_lost, taints_held_back
from controller.snapshot import Snapshot
from controller.statuses import as_conditions, write_hyper_node_status
from kube.client import Client
from kube.errors import ApiError
from kube.types import EVENTS, HyperNode
from topology import health
from topology.diff import Change, describe_changes, find_changes
from topology.documents import Document
from topology.plan import plan, state_after

log = structlog.get_logger(__name__)

AT_ONCE = 16
"""So many statuses are written side by side."""


@dataclass(slots=True)
class Writer:
    """Writes for one look. `may_write` is asked before every write; `now` is the time of transitions."""

    client: Client
    echoes: AllEchoes
    may_write: Callable[[], bool]
    now: datetime
    counts: dict[str, int] = field(default_factory=dict)
    """The nodes that each HyperNode was last said to have in this term; kept from look to look."""
    clean_up: CleanUp = field(default_factory=CleanUp)
    put_backs: PutBacks = field(default_factory=PutBacks)
    happenings: list[Happening] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    """What the steps of the plan that were done changed in the tree."""

    async def write(self, snapshot: Snapshot, outcome: Outcome) -> bool:
        """Everything that differs; False when something could not be written and has to be decided afresh.

        An ApiError while the plan is carried out ends this look; the tree is legal wherever it stopped.
        """
        for sentence in describe_changes(outcome.standing, outcome.desired, holders=outcome.holders):
            log.info("topology changes", change=sentence)
        nodes = NodeWriter(self.client, self.echoes, self.now, self.clean_up, self.happenings)
        urgent = await self._side_by_side([*nodes.renewals(outcome.nodes.claims)])
        ours = {found.metadata.name: found for found in snapshot.ours}
        carrier = Carrier(self.client, ours, self.echoes.hyper_nodes)
        try:
            if not await self._adopt(carrier, outcome):
                await carrier.carry_all(plan(outcome.standing, outcome.desired), self.may_write)
        finally:
            self.changes = _changes(outcome, state_after(outcome.standing, *carrier.done))
        self.happenings.extend(_lost_switches(snapshot, outcome.losses))
        self.happenings.extend(told_at(snapshot, outcome.news))
        self.happenings.extend(_held_back(snapshot, carrier, outcome))
        done = await self._side_by_side(
            [
                *(
                    partial(self._hyper_node, carrier.objects[document.name], outcome)
                    for document in outcome.desired
                    if document.name in carrier.objects
                ),
                *nodes.nodes(snapshot, outcome),
                *nodes.reports(snapshot, outcome),
            ]
        )
        await self._tell()
        return urgent and done and self.may_write()

    async def _adopt(self, carrier: Carrier, outcome: Outcome) -> bool:
        """Take over what is to be. True: all was, and the plan waits for the look that finds it among ours.

        What is refused hinders nothing; those that it may be the parent of are left alone until it succeeds.
        """
        for adoption in outcome.adoptions:
            if not self.may_write():
                return False
            try:
                self.happenings.append(await carrier.adopt(adoption))
            except ApiError as error:
                log.warning("cannot take over a HyperNode", error=str(error))
                return False
        return bool(outcome.adoptions)

    async def _side_by_side(self, writes: list[Write]) -> bool:
        """All writes, a bounded number at once; one that fails hinders no other. True when none did.

        A write begins when its turn comes: one whose turn never comes leaves nothing behind.
        """
        gate = asyncio.Semaphore(AT_ONCE)

        async def guarded(write: Write) -> bool:
            async with gate:
                if not self.may_write():
                    return False
                try:
                    await write()
                except ApiError as error:
                    log.warning("cannot write", error=str(error))
                    return False
                return True

        return all(await asyncio.gather(*(guarded(write) for write in writes)))

    async def _hyper_node(self, found: HyperNode, outcome: Outcome) -> None:
        """Conditions, and the count where it is another than we last said; that others count otherwise starts nothing.

        What a crash or a refusal kept us from saying was not said: the count follows at the next look.
        """
        name = found.metadata.name
        wanted, clock = outcome.node_counts[name], asyncio.get_running_loop().time
        status = (outcome.health.hyper_nodes[name].conditions, wanted)
        if not self.put_backs.due(name, status, clock()):
            return
        conditions = as_conditions(outcome.health.hyper_nodes[name].conditions, found)
        count = wanted if found.status.node_count is None or self.counts.get(name) != wanted else None

        async def write(found: HyperNode) -> HyperNode | None:
            return await write_hyper_node_status(self.client, found, conditions, count, self.now)

        answer = await insist(found, self.echoes.hyper_nodes, write)
        self.counts[name] = wanted
        if answer is None:
            self.put_backs.stands(name, status)
            return
        self.echoes.hyper_nodes.expect(answer.metadata)
        if self.put_backs.wrote(name, status, clock()):
            return
        for condition in conditions:
            if condition.type == health.LINKS_HEALTHY and name in outcome.losses.hyper_nodes:
                continue
            known = found.condition(condition.type)
            self._note(condition_changed(found, known.status if known is not None else None, condition))

    def _note(self, happening: Happening | None) -> None:
        if happening is not None:
            self.happenings.append(happening)

    async def _tell(self) -> None:
        """Events are a courtesy: one that cannot be written is logged and forgotten."""
        for happening in self.happenings:
            if not self.may_write():
                return
            try:
                await self.client.create(EVENTS, as_event(happening, self.now))
            except ApiError as error:
                log.warning("cannot write an Event", reason=happening.reason, error=str(error))


def _changes(outcome: Outcome, after: Sequence[Document]) -> list[Change]:
    """Without those of the annotations: how links are is told by conditions."""
    old, new = without_annotations(outcome.standing), without_annotations(after)
    return find_changes(list(old), list(new), outcome.holders) if old != new else []


def _held_back(snapshot: Snapshot, carrier: Carrier, outcome: Outcome) -> Iterator[Happening]:
    """One Event for all, at the first HyperNode whose limit is reached; at a Node where it is the cluster's alone."""
    if outcome.held_back:
        about = next((carrier.objects[held.place] for held in outcome.held_back if held.place in carrier.objects), None)
        first = outcome.held_back[0].nodes[0]
        node = next(node for node in snapshot.nodes if node.metadata.name == first)
        yield taints_held_back(about or node, outcome.held_back)


def _lost_switches(snapshot: Snapshot, losses: Losses) -> Iterator[Happening]:
    reports = {switch_number(report.spec): report for report in snapshot.switch_reports}
    for lost in losses.switches:
        report = reports.get(lost.guid)
        if report is not None:
            yield switch_lost(report, report.spec.description or report.metadata.name, lost.links, lost.hyper_nodes)
