"""Objects as the client wants to see them: whole, as rows of a Table, or their metadata alone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import msgspec

from kube.embedded.kinds import JsonObject, Kind
from kube.embedded.lists import Page
from kube.embedded.refusals import StatusError
from kube.embedded.store import Stored
from kube.embedded.tables import column_definitions, row


class Form(Enum):
    """How objects are shown."""

    WHOLE = "whole"
    TABLE = "Table"
    METADATA = "PartialObjectMetadata"


@dataclass(frozen=True, slots=True)
class View:
    """What a request wants to see of the objects of a kind."""

    kind: Kind
    form: Form = Form.WHOLE
    row_object: str = "Metadata"
    """What a Table's row carries of its object: None, Metadata or Object."""

    def one(self, raw: bytes) -> bytes:
        """A single object, given by its JSON."""
        if self.form is Form.WHOLE:
            return raw
        value = msgspec.json.decode(raw)
        if self.form is Form.METADATA:
            return msgspec.json.encode(metadata_only(value))
        return self._table([value], {"resourceVersion": value["metadata"].get("resourceVersion", "")})

    def page(self, page: Page) -> bytes:
        """A list."""
        meta: JsonObject = {"resourceVersion": str(page.revision)}
        if page.token:
            meta["continue"] = page.token
        if page.remaining is not None:
            meta["remainingItemCount"] = page.remaining
        if self.form is Form.TABLE:
            return self._table([stored.decode() for stored in page.items], meta)
        if self.form is Form.METADATA:
            kind, version = "PartialObjectMetadataList", "meta.k8s.io/v1"
            items = [msgspec.json.encode(metadata_only(stored.decode())) for stored in page.items]
        else:
            kind, version = f"{self.kind.kind}List", self.kind.api_version
            items = [stored.raw for stored in page.items]
        head = msgspec.json.encode({"kind": kind, "apiVersion": version, "metadata": meta})
        return b"".join((head[:-1], b',"items":[', b",".join(items), b"]}"))

    def event(self, change: str, stored: Stored) -> bytes:
        """One line of a watch."""
        return b"".join((b'{"type":"', change.encode(), b'","object":', self.one(stored.raw), b"}\n"))

    def _table(self, values: list[JsonObject], meta: JsonObject) -> bytes:
        table = {
            "kind": "Table",
            "apiVersion": "meta.k8s.io/v1",
            "metadata": meta,
            "columnDefinitions": column_definitions(self.kind),
            "rows": [self._row(value) for value in values],
        }
        return msgspec.json.encode(table)

    def _row(self, value: JsonObject) -> JsonObject:
        found: JsonObject = {"cells": row(self.kind, value)}
        if self.row_object == "Object":
            found["object"] = value
        elif self.row_object == "Metadata":
            found["object"] = metadata_only(value)
        return found


def metadata_only(value: JsonObject) -> JsonObject:
    """The object's metadata as an object of its own."""
    return {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": value["metadata"]}


def requested_view(kind: Kind, accept: str, row_object: str) -> View:
    """The first form in an Accept header that is spoken here. Raises a 406 where there is none."""
    for part in (accept or "*/*").split(","):
        media, *parameters = (piece.strip() for piece in part.split(";"))
        if media not in ("application/json", "application/*", "*/*"):
            continue
        form = dict(parameter.partition("=")[::2] for parameter in parameters).get("as", "")
        form = form.removesuffix("List")
        if form in ("", "Table", "PartialObjectMetadata"):
            return View(kind, Form(form) if form else Form.WHOLE, row_object or "Metadata")
    message = "only the following media types are accepted: application/json"
    raise StatusError(406, "NotAcceptable", message)
