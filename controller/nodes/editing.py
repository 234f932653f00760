"""Edits of Nodes and of NodeReports' metadata: each for the object as it was read, so that nothing of others is lost.

Somebody else writes Nodes all the time, so an edit that comes too late is made afresh on what stands by then, a few
times. Labels and taints of others are never in what we send, but for the list of taints, which the API has as a whole.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from controller.nodes.labels import Labels, change_labels
from controller.nodes.marks import TAINT, with_taint
from controller.nodes.ownership import owners_of
from kube.client import Client
from kube.errors import Conflict
from kube.pace import BackOff
from kube.requests import Patch
from kube.types import NODE_REPORTS, NODES, Body, Node, NodeReportObject

ATTEMPTS = 10
"""So often a Node is read again when somebody was faster."""


async def write_owners(client: Client, report: NodeReportObject, node: Node) -> NodeReportObject:
    """The Node as owner of its report. Conflict when the report is not what was read any more."""
    metadata = report.metadata
    owners = [msgspec.to_builtins(owner) for owner in owners_of(report, node)]
    body = {"metadata": {"uid": metadata.uid, "ownerReferences": owners}}
    return await client.patch(NODE_REPORTS, metadata.name, Patch(body, resource_version=metadata.resource_version))


async def write_labels(client: Client, node: Node, wanted: Labels) -> Node | None:
    """All labels that a Node should have from us; None when they stand by now. Conflict: it is another Node."""
    metadata = node.metadata
    change = change_labels(metadata.labels, metadata.annotations, wanted)
    try:
        patch = Patch(change.body(), resource_version=metadata.resource_version)
        return await client.patch(NODES, metadata.name, patch) if change.changes else None
    except Conflict:
        return await _edit(client, node, lambda document: _label(document, wanted))


def _label(document: Body, wanted: Labels) -> Body | None:
    metadata = document["metadata"]
    change = change_labels(metadata.get("labels") or {}, metadata.get("annotations") or {}, wanted)
    return change.body() if change.changes else None


async def write_taint(client: Client, node: Node, effect: str) -> Node | None:
    """Our taint with that effect, or without it (""); None when it stands so by now. Conflict: it is another Node.

    The Node is read first: of the taints of others we keep what we do not know, too.
    """
    return await _edit(client, node, lambda document: _taint(document, effect))


def _taint(document: Body, effect: str) -> Body | None:
    taints = document.get("spec", {}).get("taints") or []
    standing = [taint.get("effect") for taint in taints if taint.get("key") == TAINT]
    return None if standing == ([effect] if effect else []) else {"spec": {"taints": with_taint(taints, effect)}}


async def _edit(client: Client, node: Node, edit: Callable[[Body], Body | None]) -> Node | None:
    """Read, change, write with the version that was read; again on 409."""
    pauses = BackOff(first=0.02, longest=0.5)
    for attempt in range(1, ATTEMPTS + 1):
        document = await client.get_document(NODES, node.metadata.name)
        if document["metadata"]["uid"] != node.metadata.uid:
            break
        body = edit(document)
        if body is None:
            return None
        try:
            patch = Patch(body, resource_version=document["metadata"]["resourceVersion"])
            return await client.patch(NODES, node.metadata.name, patch)
        except Conflict:
            if attempt == ATTEMPTS:
                raise
            await asyncio.sleep(pauses.pause())
    raise Conflict("patch", f"Node {node.metadata.name}", "another Node has this name by now")
