"""What an operator should know and may have to act on: told once, in the log, and at the object as an Event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from controller.reasons import Happening
from controller.snapshot import Snapshot
from kube.types import HyperNode, ObjectReference

FOREIGN = "ForeignHyperNode"
WAITING = "WaitingForSubnetManager"
"""At the root of a fabric. What is written of the ports themselves stays as it was: they are not down."""


@dataclass(frozen=True, slots=True, order=True)
class Notice:
    """One sentence about a HyperNode; a `reason` of "" is told in the log only."""

    reason: str
    hyper_node: str
    sentence: str


def happenings_of(notices: Iterable[Notice], snapshot: Snapshot) -> Iterator[Happening]:
    """Those that have a reason and an object."""
    known = {found.metadata.name: found for found in snapshot.hyper_nodes}
    for notice in notices:
        if notice.reason and notice.hyper_node in known:
            yield Happening(refer_to(known[notice.hyper_node]), "Warning", notice.reason, notice.sentence)


def refer_to(found: HyperNode) -> ObjectReference:
    """An Event's reference to a HyperNode."""
    metadata = found.metadata
    return ObjectReference(
        api_version="topology.volcano.sh/v1alpha1", kind="HyperNode", name=metadata.name, uid=metadata.uid
    )
