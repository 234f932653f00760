"""What goes into a call besides the object itself: selections, patches, preconditions, field managers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import msgspec

from kube.meta import Body


@dataclass(frozen=True, slots=True)
class Selection:
    """Which objects of a kind: one namespace or all ("") of them, narrowed by label and field selectors."""

    namespace: str = ""
    labels: str = ""
    fields: str = ""

    @property
    def query(self) -> dict[str, str]:
        """The query parameters."""
        wanted = {"labelSelector": self.labels, "fieldSelector": self.fields}
        return {name: value for name, value in wanted.items() if value}


EVERYWHERE = Selection()


class PatchKind(Enum):
    """How a patch is understood; the value is its media type."""

    MERGE = "application/merge-patch+json"
    STRATEGIC = "application/strategic-merge-patch+json"


@dataclass(frozen=True, slots=True)
class Patch:
    """A change to one object. With a resource_version it is made only to that version (else Conflict)."""

    body: Body
    kind: PatchKind = PatchKind.MERGE
    resource_version: str = ""
    subresource: str = ""
    """`status`, or nothing for the object itself."""

    def encoded(self) -> bytes:
        """The wire form, resource version included."""
        if not self.resource_version:
            return msgspec.json.encode(self.body)
        metadata = {**self.body.get("metadata", {}), "resourceVersion": self.resource_version}
        return msgspec.json.encode({**self.body, "metadata": metadata})


@dataclass(frozen=True, slots=True)
class Preconditions:
    """What must still hold when a deletion reaches the server; an empty one is not asked."""

    uid: str = ""
    resource_version: str = ""

    def body(self) -> Body:
        """As part of DeleteOptions."""
        wanted = {"uid": self.uid, "resourceVersion": self.resource_version}
        return {name: value for name, value in wanted.items() if value}


@dataclass(frozen=True, slots=True)
class FieldManager:
    """Who applies, and whether fields that others hold are taken over."""

    name: str = "hyperscout"
    force: bool = False

    @property
    def query(self) -> dict[str, str]:
        """The query parameters."""
        return {"fieldManager": self.name, "force": "true" if self.force else "false"}
