"""Writes what `node_work` found: each for the object as it was read, so that nothing of others is lost.

Somebody else writes Nodes all the time, so a write that comes too late is decided afresh on what stands by then, a few
times; labels and taints of others are never in what we send, but for the list of taints, which the API has as a whole.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from controller.labels import Labels, change_labels
from controller.marks import TAINT, with_taint
from controller.ownership import Claim
from kube.client import Client
from kube.errors import Conflict
from kube.requests import Patch
from kube.types import NODE_REPORTS, NODES, Body, Node, NodeReportObject

ATTEMPTS = 8
"""So often a Node is read again when somebody was faster."""


async def write_owners(client: Client, claim: Claim) -> NodeReportObject:
    """The owner references of a NodeReport. Conflict when it is not what was read any more."""
    metadata = claim.report.metadata
    owners = [msgspec.to_builtins(owner) for owner in claim.owners]
    body = {"metadata": {"uid": metadata.uid, "ownerReferences": owners}}
    patch = Patch(body, resource_version=metadata.resource_version)
    return await client.patch(NODE_REPORTS, metadata.name, patch)


async def write_labels(client: Client, node: Node, wanted: Labels) -> Node | None:
    """All labels that a Node should have from us; None when they stand by now. Conflict: it is another Node."""
    metadata = node.metadata
    change = change_labels(metadata.labels, metadata.annotations, wanted)
    try:
        patch = Patch(change.body(), resource_version=metadata.resource_version)
        return await client.patch(NODES, metadata.name, patch) if change.changes else None
    except Conflict:
        pass

    def edit(document: Body) -> Body | None:
        metadata = document["metadata"]
        change = change_labels(metadata.get("labels") or {}, metadata.get("annotations") or {}, wanted)
        return change.body() if change.changes else None

    return await _edit(client, node, edit)


async def write_taint(client: Client, node: Node, effect: str) -> Node | None:
    """Our taint with that effect, or without it (""); None when it stands so by now. Conflict: it is another Node."""

    def edit(document: Body) -> Body | None:
        taints = document.get("spec", {}).get("taints") or []
        ours = [taint.get("effect") for taint in taints if taint.get("key") == TAINT]
        return {"spec": {"taints": with_taint(taints, effect)}} if ours != ([effect] if effect else []) else None

    return await _edit(client, node, edit)


async def _edit(client: Client, node: Node, edit: Callable[[Body], Body | None]) -> Node | None:
    """Read, change, write with the version that was read; again on 409."""
    attempt = 0
    while True:
        attempt += 1
        document = await client.get_document(NODES, node.metadata.name)
        if document["metadata"]["uid"] != node.metadata.uid:
            raise Conflict("patch", f"Node {node.metadata.name}", "another Node has this name by now")
        body = edit(document)
        if body is None:
            return None
        try:
            patch = Patch(body, resource_version=document["metadata"]["resourceVersion"])
            return await client.patch(NODES, node.metadata.name, patch)
        except Conflict:
            if attempt == ATTEMPTS:
                raise
