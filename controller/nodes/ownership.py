"""A NodeReport belongs to its Node: the owner reference by which it goes when the Node goes. Others' are kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from controller.snapshot import Snapshot
from kube.types import Node, NodeReportObject, OwnerReference


@dataclass(frozen=True, slots=True)
class Claim:
    """A report that does not name its Node as it is now."""

    report: NodeReportObject
    node: Node
    renewed: bool
    """It names an earlier Node of that name: the garbage collector is about to delete it."""


def find_claims(snapshot: Snapshot) -> tuple[Claim, ...]:
    """Those to write, the urgent ones first. A report of a Node that there is not is left alone."""
    return tuple(sorted(_claims(snapshot), key=lambda claim: not claim.renewed))


def _claims(snapshot: Snapshot) -> Iterator[Claim]:
    nodes = {node.metadata.name: node for node in snapshot.nodes}
    for report in snapshot.node_reports:
        node, owners = nodes.get(report.metadata.name), report.metadata.owner_references
        if node is None or (owners and owners[-1].uid == node.metadata.uid):  # the usual case, asked of all each time
            continue
        if report.metadata.deleting or any(found.uid == node.metadata.uid for found in owners):
            continue
        yield Claim(report, node, renewed=any(_is(found, node) for found in owners))


def owners_of(report: NodeReportObject, node: Node) -> tuple[OwnerReference, ...]:
    """All that a report should name: others as they are, then the Node as it is now."""
    others = (found for found in report.metadata.owner_references if not _is(found, node))
    return (*others, _owner(node))


def _owner(node: Node) -> OwnerReference:
    """It waits for nothing and controls nothing."""
    name, uid = node.metadata.name, node.metadata.uid
    return OwnerReference(
        api_version="v1", kind="Node", name=name, uid=uid, controller=False, block_owner_deletion=False
    )


def _is(found: OwnerReference, node: Node) -> bool:
    """That Node, or an earlier one of its name."""
    return (found.api_version, found.kind, found.name) == ("v1", "Node", node.metadata.name)
