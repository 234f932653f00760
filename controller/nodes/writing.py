"""The writes of one look to Nodes and NodeReports: one after the other for each object, and only what differs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

import structlog

from controller.caches import AllEchoes
from controller.conclusion.placing import FOREIGN_HYPER_NODE, Placement
from controller.decide import Outcome
from controller.nodes.editing import write_labels, write_owners, write_taint
from controller.nodes.labels import Labels
from controller.nodes.marks import WRITTEN, is_spoilt
from controller.nodes.ownership import Claim
from controller.reasons import Happening, condition_changed
from controller.snapshot import Snapshot
from controller.statuses import stands_in_report, stands_on_node, write_node_condition, write_placement
from kube.client import Client
from kube.errors import Forbidden
from kube.types import Node, NodeReportObject
from topology import health

Write = Callable[[], Coroutine[Any, Any, None]]
"""One write that waits for its turn."""

log = structlog.get_logger(__name__)

MOST_REFUSALS = 32
"""So many edits that are forbidden are tried in one look."""
_SHOWN = 200
"""Characters of what others wrote."""

_NO_LINK = health.Condition(health.FABRIC_HEALTHY, "Unknown", "NoLinks", "no link of it is known")


@dataclass(slots=True)
class CleanUp:
    """Whether it was said that we may not take off what nobody asks for any more; kept from look to look."""

    told: bool = False


@dataclass(frozen=True, slots=True)
class _Due:
    """What is to be written to one Node; None where nothing is."""

    condition: health.Condition | None
    labels: Labels | None
    effect: str | None
    asked: bool
    """Whether the settings ask for labels or a taint; else they are only taken off."""
    told: bool
    """What the condition says is told at a switch."""


@dataclass(slots=True)
class NodeWriter:
    """Makes the writes of one look. `happenings` gets what turned."""

    client: Client
    echoes: AllEchoes
    now: datetime
    clean_up: CleanUp
    happenings: list[Happening]
    refusals: int = field(default=0, init=False)
    """Of edits, in this look."""

    def renewals(self, claims: Iterable[Claim]) -> Iterator[Write]:
        """One a report that the garbage collector is about to delete."""
        for claim in claims:
            if claim.renewed:
                yield partial(self._own, claim.report, claim.node)

    def reports(self, snapshot: Snapshot, outcome: Outcome) -> Iterator[Write]:
        """One a NodeReport whose status differs, or that does not name its Node yet."""
        owners = {claim.report.metadata.name: claim.node for claim in outcome.nodes.claims if not claim.renewed}
        for report in snapshot.node_reports:
            name = report.metadata.name
            placement, owner = outcome.placements.get(name), owners.get(name)
            if placement is not None and stands_in_report(report, placement):
                placement = None
            if placement is not None or owner is not None:
                yield partial(self._report, report, placement, owner)

    def nodes(self, snapshot: Snapshot, outcome: Outcome) -> Iterator[Write]:
        """One a Node whose condition, labels or taint differ."""
        work = outcome.nodes
        for node in snapshot.nodes:
            name = node.metadata.name
            condition = outcome.health.nodes.get(name) or _not_judged(node, outcome.holders.get(name))
            if condition is not None and stands_on_node(node, condition):
                condition = None
            labels, effect = work.labels.get(name), work.taints.changes.get(name)
            if condition is not None or labels is not None or effect is not None:
                told = name in outcome.losses.nodes
                yield partial(self._node, node, _Due(condition, labels, effect, work.asked, told))

    async def _report(self, report: NodeReportObject, placement: Placement | None, owner: Node | None) -> None:
        if placement is not None:
            report = await write_placement(self.client, report, placement, self.now)
            self.echoes.node_reports.expect(report.metadata)
        if owner is not None:
            await self._own(report, owner)

    async def _own(self, report: NodeReportObject, node: Node) -> None:
        answer = await write_owners(self.client, report, node)
        self.echoes.node_reports.expect(answer.metadata)

    async def _node(self, node: Node, due: _Due) -> None:
        if due.condition is not None:
            node = await self._condition(node, due.condition, told=due.told)
        if due.effect is not None:
            before, node = node, await self._edited(node, partial(write_taint, self.client, node, due.effect), due)
            if node is not before:
                log.info("tainted Node" if due.effect else "took the taint off Node", node=node.metadata.name)
        if due.labels is not None:
            if is_spoilt(node.metadata.annotations):
                spoilt = node.metadata.annotations[WRITTEN][:_SHOWN]
                log.warning(
                    "spoilt annotation of labels: those as they should be are ours",
                    node=node.metadata.name,
                    annotation=spoilt,
                )
            await self._edited(node, partial(write_labels, self.client, node, due.labels), due)

    async def _condition(self, node: Node, wanted: health.Condition, *, told: bool) -> Node:
        answer = await write_node_condition(self.client, node, wanted, self.now)
        self.echoes.nodes.expect(answer.metadata)
        known, written = node.condition(wanted.type), answer.condition(wanted.type)
        happening = condition_changed(node, known.status if known is not None else None, written) if written else None
        if happening is not None and not told:
            self.happenings.append(happening)
        return answer

    async def _edited(self, node: Node, edit: Callable[[], Awaitable[Node | None]], due: _Due) -> Node:
        """What is only taken off is taken off as far as we may: that it is forbidden hinders nothing else.

        Who is refused again and again stops asking until the next look.
        """
        if self.refusals >= MOST_REFUSALS:
            return node
        try:
            answer = await edit()
        except Forbidden as error:
            self.refusals += 1
            if due.asked:
                raise
            self._say(error)
            return node
        if answer is None:
            return node
        self.echoes.nodes.expect(answer.metadata)
        return answer

    def _say(self, error: Forbidden) -> None:
        if not self.clean_up.told:
            advice = "allow it until they are gone, or run hyperscout uninstall"
            log.warning("Nodes keep labels or taints that no setting asks for", error=str(error), advice=advice)
        self.clean_up.told = True


def _not_judged(node: Node, holder: str | None) -> health.Condition | None:
    """What was said of links that are not judged any more is not said for ever. `holder`: a HyperNode of others."""
    if node.condition(health.FABRIC_HEALTHY) is None:
        return None
    if holder is None:
        return _NO_LINK
    message = f"HyperNode {holder}, which is not ours, holds it"
    return health.Condition(health.FABRIC_HEALTHY, "Unknown", FOREIGN_HYPER_NODE, message)
