"""A controller without an API server: looks at a site, and what it decides stands at the next look."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from controller.conclusion.memory import Memory
from controller.decide import Decision, Outcome, decide
from controller.settings import ControllerSettings
from controller.snapshot import Snapshot
from kube.types import HyperNode
from tests.controller.site import Site, meta
from topology.documents import Document, to_manifest
from topology.health import Condition
from topology.members import children_of


@dataclass(slots=True)
class Looks:
    """`objects` are the HyperNodes that stand, those of others included."""

    site: Site = field(default_factory=Site)
    settings: ControllerSettings = field(default_factory=ControllerSettings)
    objects: tuple[HyperNode, ...] = ()
    memory: Memory = field(default_factory=lambda: Memory(started=0.0))

    def look(self, now: float = 1.0) -> Decision:
        """One look at that time; nothing is written."""
        decision = decide(self.memory, self.snapshot(), now, self.settings)
        self.memory = decision.memory
        return decision

    def snapshot(self) -> Snapshot:
        return self.site.snapshot(self.objects)

    def write(self, now: float = 1.0) -> Outcome:
        """One look, and what it decides stands from now on."""
        outcome = self.look(now).outcome
        assert outcome is not None
        self.objects = (*self.snapshot().foreign, *as_objects(outcome.desired))
        return outcome

    def sweep_and_write(self, now: float = 1.0) -> Outcome:
        """The same after one more sweep."""
        self.site.sweep()
        return self.write(now)

    def restart(self, now: float) -> None:
        """Another process goes on; it knows what stands in the API."""
        self.memory = Memory(started=now)


def as_objects(tree: Iterable[Document]) -> tuple[HyperNode, ...]:
    """Documents as the server would hold them."""
    objects = (msgspec.convert(to_manifest(document), HyperNode) for document in tree)
    return tuple(
        msgspec.structs.replace(
            found,
            metadata=msgspec.structs.replace(
                meta(found.metadata.name), labels=found.metadata.labels, annotations=found.metadata.annotations
            ),
        )
        for found in objects
    )


def members(outcome: Outcome) -> dict[str, tuple[str, ...]]:
    """HyperNode to its members."""
    return {document.name: document.members for document in outcome.desired}


def chains(outcome: Outcome) -> dict[str, tuple[str, ...]]:
    """Node to the HyperNodes that hold it, the lowest first."""
    parents = {child: found.name for found in outcome.desired for child in children_of(found)}
    found: dict[str, tuple[str, ...]] = {}
    for document in outcome.desired:
        chain = [document.name]
        while chain[-1] in parents:
            chain.append(parents[chain[-1]])
        if document.member_kind == "Node":
            found |= dict.fromkeys(document.members, tuple(chain))
    return found


def condition(outcome: Outcome, name: str, kind: str) -> Condition:
    """One condition of a HyperNode."""
    return next(found for found in outcome.health.hyper_nodes[name].conditions if found.type == kind)
