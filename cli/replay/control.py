"""The controller, played: decides from the objects as they stand, and what it decides stands at its next look."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

import msgspec

from controller.conclusion.evidence import switch_number
from controller.conclusion.findings import told_at
from controller.conclusion.memory import Memory
from controller.decide import Decision, Outcome, decide
from controller.notices import happenings_of
from controller.reasons import Happening, condition_changed, switch_lost
from controller.settings import ControllerSettings
from controller.snapshot import Snapshot
from controller.statuses import as_conditions
from kube.conditions import merge_conditions
from kube.types import Condition, HyperNode, Node, NodeCondition
from topology.documents import Document, to_manifest
from topology.health import LINKS_HEALTHY
from topology.health import Condition as Judged


class NoTreeError(Exception):
    """What came out is no tree; the message says why."""


@dataclass(frozen=True, slots=True)
class Told:
    """Something that the controller would tell in an Event."""

    second: int
    happening: Happening


@dataclass(slots=True)
class PlayedController:
    """All its looks. Its clock begins with the recording."""

    settings: ControllerSettings = field(default_factory=ControllerSettings)
    told: list[Told] = field(default_factory=list)
    hyper_nodes: dict[str, HyperNode] = field(default_factory=dict)
    nodes: dict[str, NodeCondition] = field(default_factory=dict)
    """FabricHealthy of each Node."""
    last: Decision | None = None
    outcome: Outcome | None = None
    """Of the last look that decided anything."""
    _memory: Memory = field(default_factory=lambda: Memory(started=0.0))
    _noticed: frozenset[object] = frozenset()

    def look(self, snapshot: Snapshot, second: int, now: datetime) -> None:
        """One look. Raises NoTreeError."""
        snapshot = _with_hyper_nodes(snapshot, self._standing())
        try:
            self.last = decide(self._memory, snapshot, float(second), self.settings)
        except ValueError as error:
            raise NoTreeError(str(error)) from error
        self._memory = self.last.memory
        if self.last.outcome is None:
            return
        self.outcome = self.last.outcome
        happenings = [
            *happenings_of(sorted(set(self.outcome.notices) - self._noticed), snapshot),
            *_lost_switches(snapshot, self.outcome),
            *told_at(snapshot, self.outcome.news),
            *self._write_hyper_nodes(self.outcome, now),
            *self._write_nodes(snapshot.nodes, self.outcome, now),
        ]
        self._noticed = frozenset(self.outcome.notices)
        self.told += [Told(second, happening) for happening in happenings]

    def _standing(self) -> tuple[HyperNode, ...]:
        return tuple(self.hyper_nodes[name] for name in sorted(self.hyper_nodes))

    def _write_hyper_nodes(self, outcome: Outcome, now: datetime) -> Iterator[Happening]:
        """What differs; what stays is the same object."""
        wanted = {document.name: document for document in outcome.desired}
        self.hyper_nodes = {name: found for name, found in self.hyper_nodes.items() if name in wanted}
        standing = {document.name: document for document in outcome.standing}
        for name, document in wanted.items():
            found = self.hyper_nodes.get(name)
            if found is None or standing.get(name) != document:
                found = _written(document, found)
            conditions = as_conditions(outcome.health.hyper_nodes[name].conditions, found)
            merged = merge_conditions(found.status.conditions, conditions, now)
            if merged is not None:
                yield from _turned(found, conditions, told=name in outcome.losses.hyper_nodes)
                status = msgspec.structs.replace(found.status, conditions=merged)
                found = msgspec.structs.replace(found, status=status)
            self.hyper_nodes[name] = found

    def _write_nodes(self, nodes: Iterable[Node], outcome: Outcome, now: datetime) -> Iterator[Happening]:
        for node in nodes:
            name = node.metadata.name
            wanted = outcome.health.nodes.get(name)
            known = self.nodes.get(name)
            if wanted is None or (known is not None and _same(known, wanted)):
                continue
            self.nodes[name] = condition = NodeCondition(
                type=wanted.type,
                status=wanted.status,
                reason=wanted.reason,
                message=wanted.message,
                last_transition_time=now,
            )
            happening = condition_changed(node, known.status if known is not None else None, condition)
            if happening is not None and name not in outcome.losses.nodes:
                yield happening


def _with_hyper_nodes(snapshot: Snapshot, hyper_nodes: tuple[HyperNode, ...]) -> Snapshot:
    """The snapshot with the HyperNodes that stand."""
    return Snapshot(
        nodes=snapshot.nodes,
        node_reports=snapshot.node_reports,
        switch_reports=snapshot.switch_reports,
        sweeps=snapshot.sweeps,
        hyper_nodes=hyper_nodes,
    )


def _written(document: Document, before: HyperNode | None) -> HyperNode:
    found = msgspec.convert(to_manifest(document), HyperNode)
    metadata = msgspec.structs.replace(found.metadata, uid=f"uid-{document.name}", resource_version="1")
    status = before.status if before is not None else found.status
    return msgspec.structs.replace(found, metadata=metadata, status=status)


def _turned(found: HyperNode, conditions: Iterable[Condition], *, told: bool) -> Iterator[Happening]:
    """`told`: that its links were lost, or are back, is told at a switch."""
    for condition in conditions:
        if condition.type == LINKS_HEALTHY and told:
            continue
        known = found.condition(condition.type)
        happening = condition_changed(found, known.status if known is not None else None, condition)
        if happening is not None:
            yield happening


def _lost_switches(snapshot: Snapshot, outcome: Outcome) -> Iterator[Happening]:
    reports = {switch_number(report.spec): report for report in snapshot.switch_reports}
    for lost in outcome.losses.switches:
        report = reports.get(lost.guid)
        if report is not None:
            yield switch_lost(report, report.spec.description or report.metadata.name, lost.links, lost.hyper_nodes)


def _same(known: NodeCondition, wanted: Judged) -> bool:
    return (known.status, known.reason, known.message) == (wanted.status, wanted.reason, wanted.message)
