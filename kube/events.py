"""Events: one line of an object's story, as it is created in the API."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeVar
from uuid import uuid4

from kube.meta import Object, ObjectMeta
from kube.records import Event, EventSource, ObjectReference
from kube.resources import Resource

T = TypeVar("T", bound=Object)

MESSAGE_LIMIT = 1024
"""Characters of a message (the API server refuses longer ones)."""
CLUSTER_NAMESPACE = "default"
"""Where the Events of cluster-scoped objects live."""


@dataclass(frozen=True, slots=True)
class Note:
    """What happened: a CamelCase reason, a sentence, Normal or Warning."""

    reason: str
    message: str
    type: Literal["Normal", "Warning"] = "Normal"


def new_event(resource: Resource[T], about: T, note: Note, component: str, now: datetime) -> Event:
    """The Event to create (`client.create(EVENTS, event)`); its name is the object's and a random part."""
    meta = about.metadata
    namespace = meta.namespace or CLUSTER_NAMESPACE
    message = note.message if len(note.message) <= MESSAGE_LIMIT else note.message[: MESSAGE_LIMIT - 1] + "…"
    return Event(
        metadata=ObjectMeta(name=f"{meta.name[:220]}.{uuid4().hex[:16]}", namespace=namespace),
        involved_object=ObjectReference(
            api_version=resource.api_version,
            kind=resource.kind,
            name=meta.name,
            namespace=meta.namespace,
            uid=meta.uid,
            resource_version=meta.resource_version,
        ),
        reason=note.reason,
        message=message,
        type=note.type,
        count=1,
        first_timestamp=now,
        last_timestamp=now,
        source=EventSource(component=component),
        reporting_component=component,
    )
