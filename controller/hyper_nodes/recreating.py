"""HyperNodes that a plan deletes and creates again: what they were is kept until they stand again.

Other tier numbers take the tree down from its root and build it again from its leaves. Whoever goes on after an
interruption in between finds here the names, members and lost links that the API does not show meanwhile.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec
import structlog

from controller.conclusion.standing import ADOPTED_AS
from controller.journal.changes import NAMES as JOURNAL
from controller.journal.ring import find_config_map
from kube.client import Client
from kube.requests import Patch
from kube.resources import CONFIG_MAPS
from topology.documents import Document
from topology.hierarchy import has_number, tier_number
from topology.plan import Delete, plan

log = structlog.get_logger(__name__)

NAME = "hyperscout-recreating"
KEY = "documents"
OWN_CONFIG_MAPS = (*JOURNAL, NAME)
"""All ConfigMaps that the controller writes."""
LABELS = {"app.kubernetes.io/part-of": "hyperscout", "app.kubernetes.io/component": "recreating"}


def stand_in(
    kept: Sequence[Document], standing: Sequence[Document], taken: Iterable[str], tiers: Mapping[str, int]
) -> tuple[Document, ...]:
    """The tree that stands, with those in their places that are to be created again. `taken`: names of others."""
    there = {document.name for document in standing} | set(taken)
    missing = (document for document in kept if document.name not in there)
    return (*standing, *(_renumbered(document, tiers) for document in missing))


def _renumbered(document: Document, tiers: Mapping[str, int]) -> Document:
    name = dict(document.annotations).get(ADOPTED_AS, document.tier_name)
    return replace(document, tier=tier_number(tiers, name)) if has_number(tiers, name) else document


def to_recreate(
    kept: Sequence[Document], standing: Sequence[Document], desired: Sequence[Document]
) -> tuple[Document, ...]:
    """What has to be kept from now on: those to be deleted and created again, and those that still do not stand."""
    if without_annotations(standing) == without_annotations(desired):
        return ()
    wanted, there = {document.name for document in desired}, {document.name for document in standing}
    deleted = [step.before for step in plan(standing, desired) if isinstance(step, Delete)]
    waiting = [document for document in kept if document.name not in there]
    return tuple(document for document in (*deleted, *waiting) if document.name in wanted)


def without_annotations(tree: Iterable[Document]) -> set[Document]:
    """The tree alone: of links and their state the plan deletes nothing."""
    return {replace(document, annotations=()) for document in tree}


@dataclass(slots=True)
class Kept:
    """The ConfigMap in which they are kept, where there is a namespace for it."""

    namespace: str
    _text: str | None = None
    """As it stands; None: nobody knows."""
    _version: str = ""

    async def load(self, client: Client) -> tuple[Document, ...]:
        """What a process before left; nothing where it cannot be read."""
        if not self.namespace:
            return ()
        found = await find_config_map(client, NAME, self.namespace)
        self._text, self._version = "", ""
        if found is not None:
            self._text, self._version = found.data.get(KEY, ""), found.metadata.resource_version
        try:
            return _read(self._text)
        except (ValueError, zlib.error, msgspec.MsgspecError) as error:
            log.warning("what was to be created again cannot be read", config_map=NAME, why=str(error))
            return ()

    async def save(self, client: Client, documents: Sequence[Document]) -> None:
        """Keep these and no others. ApiError: they are not kept, and nothing should be deleted yet."""
        if not self.namespace:
            return
        if self._text is None:
            await self.load(client)
        text = _written(documents)
        if text == self._text:
            return
        self._text = None  # until the server has answered
        metadata = {"name": NAME, "namespace": self.namespace, "labels": LABELS}
        if self._version:
            patch = Patch({"data": {KEY: text}}, resource_version=self._version)
            answer = await client.patch(CONFIG_MAPS, NAME, patch, self.namespace)
        else:
            answer = await client.create(CONFIG_MAPS, {"metadata": metadata, "data": {KEY: text}})
        self._text, self._version = text, answer.metadata.resource_version


def _written(documents: Sequence[Document]) -> str:
    """Compressed: thousands of nodes have names that are much alike, and a ConfigMap takes 1 MiB."""
    return base64.b64encode(zlib.compress(msgspec.json.encode(documents), 9)).decode() if documents else ""


def _read(text: str) -> tuple[Document, ...]:
    if not text:
        return ()
    return msgspec.json.decode(zlib.decompress(base64.b64decode(text, validate=True)), type=tuple[Document, ...])
