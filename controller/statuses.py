"""Writes what was concluded into statuses: only what changed, foreign conditions kept, times only on transitions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from controller.conclusion.placing import IN_HYPER_NODE, Placement
from discovery import reports
from kube.client import Client
from kube.conditions import merge_conditions
from kube.requests import Patch, PatchKind
from kube.types import HYPER_NODES, NODE_REPORTS, NODES, Condition, HyperNode, Node, NodeCondition, NodeReportObject
from topology import health

PLACED = "Placed"


async def write_hyper_node_status(
    client: Client, found: HyperNode, ours: Sequence[Condition], node_count: int | None, now: datetime
) -> HyperNode | None:
    """Merge our conditions, set the count (None leaves it alone); None when nothing had to be written.

    The write is for the object as it was read; Conflict when somebody else was faster.
    """
    merged = merge_conditions(found.status.conditions, ours, now)
    if merged is None and (node_count is None or node_count == found.status.node_count):
        return None
    status: dict[str, Any] = {}
    if merged is not None:
        # The schema asks for a message even where it says nothing.
        status["conditions"] = [{"message": "", **msgspec.to_builtins(condition)} for condition in merged]
    if node_count is not None:
        status["nodeCount"] = node_count
    patch = Patch({"status": status}, PatchKind.MERGE, found.metadata.resource_version, "status")
    return await client.patch(HYPER_NODES, found.metadata.name, patch)


def stands_on_node(node: Node, wanted: health.Condition) -> bool:
    """Whether a Node has the condition already."""
    known = node.condition(wanted.type)
    return known is not None and _same(known, wanted)


async def write_node_condition(client: Client, node: Node, wanted: health.Condition, now: datetime) -> Node:
    """Set one condition of a Node; the server merges them by type, so those of others stay as they are by then.

    Refused (Invalid) when the name is another Node's by now.
    """
    known = node.condition(wanted.type)
    kept = known is not None and known.status == wanted.status and known.last_transition_time is not None
    condition = NodeCondition(
        type=wanted.type,
        status=wanted.status,
        reason=wanted.reason,
        message=wanted.message,
        last_heartbeat_time=now,
        last_transition_time=known.last_transition_time if known is not None and kept else now,
    )
    body = {"metadata": {"uid": node.metadata.uid}, "status": {"conditions": [msgspec.to_builtins(condition)]}}
    return await client.patch(NODES, node.metadata.name, Patch(body, PatchKind.STRATEGIC, subresource="status"))


def stands_in_report(report: NodeReportObject, placement: Placement) -> bool:
    """Whether a NodeReport has the condition Placed and the HyperNode already."""
    known = _placed(report)
    return (
        known is not None and _same(known, _as_condition(placement)) and report.status.hyperNode == placement.hyper_node
    )


async def write_placement(
    client: Client, report: NodeReportObject, placement: Placement, now: datetime
) -> NodeReportObject:
    """Set the condition Placed and the HyperNode of a NodeReport."""
    known, wanted = _placed(report), _as_condition(placement)
    kept = known is not None and known.status == wanted.status and known.lastTransitionTime is not None
    condition = reports.Condition(
        type=PLACED,
        status=wanted.status,
        reason=wanted.reason,
        message=wanted.message,
        lastTransitionTime=known.lastTransitionTime if known is not None and kept else now,
    )
    others = [found for found in report.status.conditions if found.type != PLACED]
    body = {
        "metadata": {"uid": report.metadata.uid},
        "status": {
            "conditions": msgspec.to_builtins([*others, condition]),
            "hyperNode": placement.hyper_node,
        },
    }
    return await client.patch(NODE_REPORTS, report.metadata.name, Patch(body, subresource="status"))


def _placed(report: NodeReportObject) -> reports.Condition | None:
    return next((found for found in report.status.conditions if found.type == PLACED), None)


def _as_condition(placement: Placement) -> health.Condition:
    status = "True" if placement.reason == IN_HYPER_NODE else "False"
    return health.Condition(PLACED, status, placement.reason, placement.message)


def _same(known: NodeCondition | reports.Condition, wanted: health.Condition) -> bool:
    return (known.status, known.reason, known.message) == (wanted.status, wanted.reason, wanted.message)


def as_conditions(wanted: Sequence[health.Condition], found: HyperNode) -> tuple[Condition, ...]:
    """The conditions of the topology room in the form of the wire, to be written to that object.

    An age of evidence that nobody knows yet takes the place of no earlier word, so a restart turns nothing.
    """
    return tuple(
        Condition(type=new.type, status=new.status, reason=new.reason, message=new.message)
        for new in wanted
        if not (new.type == health.EVIDENCE_FRESH and new.status == "Unknown" and found.condition(new.type))
    )
