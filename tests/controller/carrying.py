"""Carries decisions out in memory, step by step, and holds what stands after each step against the rules of a tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import msgspec

from controller.conclusion.adoption import Adoption
from controller.decide import Outcome
from kube.hypernodes import read_document
from kube.types import HyperNode
from tests.controller.looking import Looks, as_objects
from tests.topology.trees import broken_invariants
from topology.documents import Document
from topology.plan import plan, state_after


class StoppedError(Exception):
    """The process ended here."""


@dataclass(slots=True)
class Carried:
    """The writes that were done; after `most` of them the process ends."""

    looks: Looks
    most: int = 1_000_000
    writes: int = 0
    kept: tuple[Document, ...] = ()
    """What is kept outside of the process."""

    def restarted(self, now: float) -> Carried:
        """Another process goes on with what stands and what is kept."""
        self.looks.restart(now)
        self.looks.memory = replace(self.looks.memory, recreating=self.kept)
        self.looks.site.sweep()
        return Carried(self.looks, kept=self.kept)

    def until_settled(self, now: float = 1.0) -> Outcome:
        """Look and write until a look finds nothing to do. Raises StoppedError."""
        for _ in range(20):
            outcome = self.looks.look(now).outcome
            assert outcome is not None
            if not outcome.adoptions and set(outcome.standing) == set(outcome.desired):
                return outcome
            self.kept = outcome.recreating
            for objects in states(self.looks.objects, outcome):
                if self.writes == self.most:
                    raise StoppedError
                self.writes += 1
                self.looks.objects = objects
                assert broken_invariants(as_documents(objects)) == []
        raise AssertionError("it never settles")


def states(objects: tuple[HyperNode, ...], outcome: Outcome) -> Iterator[tuple[HyperNode, ...]]:
    """All objects after each write of an outcome: what is taken over, or else the steps of the plan."""
    for adoption in outcome.adoptions:
        objects = tuple(adopted(found, adoption) for found in objects)
        yield objects
    if outcome.adoptions:
        return
    tree = outcome.standing
    names = {document.name for document in (*outcome.standing, *outcome.desired)}
    foreign = tuple(found for found in objects if found.metadata.name not in names)
    for step in plan(outcome.standing, outcome.desired):
        tree = state_after(tree, step)
        yield (*foreign, *as_objects(tree))


def adopted(found: HyperNode, adoption: Adoption) -> HyperNode:
    """The object as the server merges what is applied to it."""
    if found.metadata.name != adoption.found.metadata.name:
        return found
    metadata, manifest = found.metadata, adoption.manifest
    labels = {**metadata.labels, **manifest["metadata"]["labels"]}
    annotations = {**metadata.annotations, **manifest["metadata"]["annotations"]}
    spec = msgspec.convert(manifest["spec"], type(found.spec)) if "spec" in manifest else found.spec
    changed = msgspec.structs.replace(metadata, labels=labels, annotations=annotations)
    return msgspec.structs.replace(found, metadata=changed, spec=spec)


def as_documents(objects: tuple[HyperNode, ...]) -> list[Document]:
    """All HyperNodes, whoever's."""
    return [read_document(found, Document) for found in objects]
