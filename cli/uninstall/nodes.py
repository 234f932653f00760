"""Our marks on Nodes: taint, condition, labels and an annotation (`controller.nodes.marks`). The rest stays."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from controller.nodes.marks import CONDITION, TAINT, WRITTEN, our_labels, with_taint
from kube.client import Client
from kube.errors import Conflict, NotFound
from kube.meta import Body
from kube.node import Node
from kube.pace import BackOff
from kube.requests import Patch, PatchKind
from kube.resources import NODES

ATTEMPTS = 20
"""Of one Node that others write all the time."""


@dataclass(frozen=True, slots=True)
class Marks:
    """How many of each kind one Node carries."""

    node: str
    taints: int
    conditions: int
    labels: int
    annotations: int

    def __bool__(self) -> bool:
        return bool(self.taints or self.conditions or self.labels or self.annotations)


def marks_of(node: Node) -> Marks:
    """What there is to take off."""
    return Marks(
        node=node.metadata.name,
        taints=sum(taint.key == TAINT for taint in node.spec.taints),
        conditions=int(node.condition(CONDITION) is not None),
        labels=len(our_labels(node.metadata.labels, node.metadata.annotations)),
        annotations=int(WRITTEN in node.metadata.annotations),
    )


async def take_off(client: Client, name: str) -> None:
    """Take all marks off one Node. The taints are an atomic list: read, ours left out, written to that version only."""
    pauses = BackOff(first=0.05, longest=2.0)
    for attempt in range(1, ATTEMPTS + 1):
        try:
            await _take_off(client, name)
            return
        except NotFound:
            return
        except Conflict:
            if attempt == ATTEMPTS:
                raise
            await asyncio.sleep(pauses.pause())


async def _take_off(client: Client, name: str) -> None:
    document = await client.get_document(NODES, name)
    change = _change(document)
    if change:
        version = document["metadata"]["resourceVersion"]
        await client.patch(NODES, name, Patch(change, PatchKind.MERGE, version))
    conditions = document.get("status", {}).get("conditions") or ()
    if any(condition.get("type") == CONDITION for condition in conditions):
        gone = {"status": {"conditions": [{"type": CONDITION, "$patch": "delete"}]}}
        await client.patch(NODES, name, Patch(gone, PatchKind.STRATEGIC, "", "status"))


def _change(document: Body) -> Body:
    """A merge patch that takes off what the object itself carries; empty where there is nothing."""
    labels = document["metadata"].get("labels") or {}
    annotations = document["metadata"].get("annotations") or {}
    metadata: Body = {}
    ours = our_labels(labels, annotations)
    if ours:
        metadata["labels"] = dict.fromkeys(sorted(ours))
    if WRITTEN in annotations:
        metadata["annotations"] = {WRITTEN: None}
    change: Body = {"metadata": metadata} if metadata else {}
    taints = (document.get("spec") or {}).get("taints") or []
    others = with_taint(taints, "")
    if len(others) < len(taints):
        change["spec"] = {"taints": others or None}
    return change
