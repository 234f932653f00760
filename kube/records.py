"""Small records in the API: Events, ConfigMaps, Leases. Sources: `core/v1/types.go`, `coordination/v1/types.go`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from kube.meta import ObjectMeta, Wire


class ObjectReference(Wire, frozen=True, kw_only=True):
    """What an Event is about."""

    api_version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""


class EventSource(Wire, frozen=True, kw_only=True):
    """Who reports an Event."""

    component: str = ""
    host: str = ""


class Event(Wire, frozen=True, kw_only=True):
    """One line of an object's story; type is Normal or Warning. Events of cluster-scoped objects live in `default`."""

    metadata: ObjectMeta = ObjectMeta()
    involved_object: ObjectReference = ObjectReference()
    reason: str = ""
    message: str = ""
    type: str = ""
    """Normal or Warning; it has no default here, for a default is not written."""
    count: int = 0
    first_timestamp: datetime | None = None
    last_timestamp: datetime | None = None
    source: EventSource = EventSource()
    reporting_component: str = ""


class ConfigMap(Wire, frozen=True, kw_only=True):
    """Texts by name, up to 1 MiB in all."""

    metadata: ObjectMeta = ObjectMeta()
    data: Mapping[str, str] = {}


class LeaseSpec(Wire, frozen=True, kw_only=True):
    """Who leads; times are MicroTime (six decimals are required by the server), so they stay text."""

    holder_identity: str = ""
    lease_duration_seconds: int = 0
    acquire_time: str = ""
    renew_time: str = ""
    lease_transitions: int = 0


class Lease(Wire, frozen=True, kw_only=True):
    """A leader's claim."""

    metadata: ObjectMeta = ObjectMeta()
    spec: LeaseSpec = LeaseSpec()
