"""What every Kubernetes object carries: metadata, keys, conditions, lists, the server's Status answer.

Structs hold only the fields that are used (the rest of an object is skipped while decoding); the names on the wire are
the camelCase of the names here. Source: apimachinery `meta/v1/types.go`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec

Body = dict[str, Any]
"""An object on its way to the server, as JSON maps: only `kube` and the code that fills one see it."""

T = TypeVar("T")


class Key(NamedTuple):
    """Where an object lives: namespace ("" for a cluster-scoped one) and name."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The common settings of all structs on the wire."""


class OwnerReference(Wire, frozen=True, kw_only=True):
    """Who made an object, and who goes with whom."""

    api_version: str
    kind: str
    name: str
    uid: str
    controller: bool | None = None
    block_owner_deletion: bool | None = None


class ObjectMeta(Wire, frozen=True, kw_only=True):
    """Name, identity and version of an object."""

    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: datetime | None = None
    deletion_timestamp: datetime | None = None
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    owner_references: tuple[OwnerReference, ...] = ()

    @property
    def key(self) -> Key:
        return Key(self.namespace, self.name)

    @property
    def deleting(self) -> bool:
        return self.deletion_timestamp is not None


class Object(Protocol):
    """Any object with metadata: what the client, the cache and the resources need of a type."""

    @property
    def metadata(self) -> ObjectMeta: ...


class Condition(Wire, frozen=True, kw_only=True):
    """metav1.Condition, whole: a list of them that is read and written back loses nothing."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    last_transition_time: datetime | None = None
    observed_generation: int | None = None


class LabelSelectorRequirement(Wire, frozen=True, kw_only=True):
    """One expression over labels: In, NotIn, Exists, DoesNotExist (for nodes also Gt, Lt)."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


class LabelSelector(Wire, frozen=True, kw_only=True):
    """metav1.LabelSelector: all of its parts must hold; an empty one matches what its user says."""

    match_labels: Mapping[str, str] = {}
    match_expressions: tuple[LabelSelectorRequirement, ...] = ()


class ListMeta(Wire, frozen=True, kw_only=True):
    """Version and paging of a list."""

    resource_version: str = ""
    continue_: str = msgspec.field(name="continue", default="")
    remaining_item_count: int | None = None


class ObjectList(Wire, Generic[T], frozen=True, kw_only=True):
    """One page of a list; `items` is null on the wire when there are none."""

    metadata: ListMeta = ListMeta()
    items: tuple[T, ...] | None = None


class StatusDetails(Wire, frozen=True, kw_only=True):
    """What a Status is about, and when to come back."""

    name: str = ""
    kind: str = ""
    retry_after_seconds: int = 0


class Status(Wire, frozen=True, kw_only=True):
    """The server's answer when it has no object to give: an error, or the news that something was deleted."""

    status: str = ""
    message: str = ""
    reason: str = ""
    code: int = 0
    details: StatusDetails | None = None
