"""Conditions: lists that are written whole, so ours are merged into them and foreign ones kept.

`transition` keeps the time of a condition whose status did not change; nothing is written when nothing changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from kube.client import Client
from kube.errors import Conflict
from kube.meta import Body, Condition
from kube.node import Node, NodeCondition
from kube.requests import Patch, PatchKind
from kube.resources import HYPER_NODES, NODES

TRIES = 5
"""Reads and writes of one status while others write it too."""


def merge_conditions(
    present: Sequence[Condition], ours: Iterable[Condition], now: datetime
) -> tuple[Condition, ...] | None:
    """The list to write: ours in the place of those of the same type, or at the end; None when nothing changes.

    `now` becomes the transition time of those whose status is new; times given in `ours` are not looked at.
    """
    merged = {condition.type: condition for condition in present}
    for condition in ours:
        known = merged.get(condition.type)
        same = known is not None and known.status == condition.status and known.last_transition_time is not None
        since = known.last_transition_time if known is not None and same else now
        merged[condition.type] = msgspec.structs.replace(condition, last_transition_time=since)
    result = tuple(merged.values())
    return None if result == tuple(present) else result


def condition_body(condition: Condition) -> Body:
    """The wire form: metav1.Condition requires reason and message even where they are empty."""
    return {"reason": "", "message": "", **msgspec.to_builtins(condition)}


async def write_hyper_node_conditions(client: Client, name: str, ours: Sequence[Condition], now: datetime) -> bool:
    """Put our conditions into a HyperNode's status and keep all others; True when something was written.

    Reads the object, writes with its resourceVersion, and reads again after a Conflict; the last Conflict is raised.
    """
    for last in (False,) * (TRIES - 1) + (True,):
        current = await client.get(HYPER_NODES, name)
        merged = merge_conditions(current.status.conditions, ours, now)
        if merged is None:
            return False
        body = {"status": {"conditions": [condition_body(condition) for condition in merged]}}
        try:
            version = current.metadata.resource_version
            await client.patch(HYPER_NODES, name, Patch(body, PatchKind.MERGE, version, "status"))
        except Conflict:
            if last:
                raise
        else:
            return True
    raise AssertionError("the last try returns or raises")


async def write_node_condition(client: Client, node: Node, condition: NodeCondition, now: datetime) -> bool:
    """Put one condition into a Node's status; the server merges Node conditions by type. True when written."""
    known = node.condition(condition.type)
    if known is not None and (known.status, known.reason, known.message) == (
        condition.status,
        condition.reason,
        condition.message,
    ):
        return False
    same = known is not None and known.status == condition.status and known.last_transition_time is not None
    since = known.last_transition_time if known is not None and same else now
    full = msgspec.structs.replace(condition, last_transition_time=since, last_heartbeat_time=now)
    body = {"status": {"conditions": [msgspec.to_builtins(full)]}}
    await client.patch(NODES, node.metadata.name, Patch(body, PatchKind.STRATEGIC, subresource="status"))
    return True
