"""Carries a plan out: one step, one write, each refused by the server when the object is not what was planned on.

Create is a POST, update a server-side apply with uid and resourceVersion, delete has both as preconditions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial

import structlog

from controller.conclusion.adoption import ADOPTED, Adoption
from controller.echo import Echoes
from controller.hyper_nodes.insisting import insist
from controller.notices import refer_to
from controller.reasons import Happening
from kube.client import Client
from kube.hypernodes import pinned
from kube.meta import Body
from kube.requests import FieldManager, Preconditions
from kube.types import HYPER_NODES, HyperNode
from topology.documents import to_manifest
from topology.plan import Create, Delete, Step, Update

log = structlog.get_logger(__name__)

MANAGER = FieldManager("hyperscout", force=True)
"""Ours alone are written, so what others set in them is taken back."""


@dataclass(slots=True)
class Carrier:
    """Takes the steps of one plan. `objects`: our HyperNodes by name, kept as the server answers; `done`: what was
    written."""

    client: Client
    objects: dict[str, HyperNode]
    echoes: Echoes[HyperNode]
    done: list[Step] = field(default_factory=list)

    async def carry_all(self, steps: Iterable[Step], may_go_on: Callable[[], bool]) -> set[str]:
        """All steps in their order, as long as they may; the names written. An ApiError ends it where it is safe."""
        written: set[str] = set()
        for step in steps:
            if not may_go_on():
                break
            written.add(await self._carry(step))
            self.done.append(step)
            log.info("wrote HyperNode", step=step.sentence)
        return written

    async def adopt(self, adoption: Adoption) -> Happening:
        """Take over one HyperNode of others as it was read; what is to be told of it."""
        answer = await self.client.apply(HYPER_NODES, pinned(adoption.manifest, adoption.found), MANAGER)
        self.echoes.expect(answer.metadata)
        log.info("took over HyperNode", hyper_node=answer.metadata.name, what=adoption.sentence)
        return Happening(refer_to(answer), "Normal", ADOPTED, adoption.sentence)

    async def _carry(self, step: Step) -> str:
        match step:
            case Create(document):
                self._note(await self.client.create(HYPER_NODES, to_manifest(document)))
                return document.name
            case Update(_, after):
                manifest = to_manifest(after)
                self._note(await insist(self.objects[after.name], self.echoes, partial(self._apply, manifest)))
                return after.name
            case Delete(before):
                found = self.objects.pop(before.name)
                await insist(found, self.echoes, self._delete)
                self.echoes.expect_gone(found.metadata)
                return before.name

    async def _apply(self, manifest: Body, found: HyperNode) -> HyperNode:
        return await self.client.apply(HYPER_NODES, pinned(manifest, found), MANAGER)

    async def _delete(self, found: HyperNode) -> None:
        only = Preconditions(found.metadata.uid, found.metadata.resource_version)
        await self.client.delete(HYPER_NODES, found.metadata, only)

    def _note(self, answer: HyperNode) -> None:
        self.objects[answer.metadata.name] = answer
        self.echoes.expect(answer.metadata)
