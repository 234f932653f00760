"""Where the objects are: in memory, under one revision counter, with a bounded history per resource for the watches.

Objects are kept as the JSON bytes that lists and watches send, so nothing that is stored can be changed by accident,
and a large cluster costs little memory.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from dataclasses import dataclass
from typing import Literal

import msgspec

from kube.embedded.kinds import JsonObject, Resource

Key = tuple[str, str]
"""Namespace ("" for a cluster-scoped kind) and name."""

FIRST_REVISION = 1000
"""Where counting starts: any smaller resourceVersion is older than everything that is kept."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One object at one revision, as JSON."""

    key: Key
    revision: int
    raw: bytes

    def decode(self) -> JsonObject:
        """The object; the caller may change it."""
        decoded: JsonObject = msgspec.json.decode(self.raw)
        return decoded


@dataclass(frozen=True, slots=True)
class Change:
    """One write. A deletion carries the last state under the revision of the deletion."""

    type: Literal["ADDED", "MODIFIED", "DELETED"]
    before: Stored | None
    after: Stored

    @property
    def revision(self) -> int:
        """The revision that this write made."""
        return self.after.revision


@dataclass(frozen=True, slots=True)
class History:
    """How much of the past is kept for each resource: whichever limit comes first."""

    changes: int = 20_000
    bytes: int = 64 * 1024 * 1024


class Shelf:
    """All objects of one resource and their latest changes."""

    def __init__(self, compacted: int, history: History) -> None:
        self.objects: dict[Key, Stored] = {}
        self.compacted = compacted
        """Changes up to this revision are no longer kept."""
        self.withdrawn = False
        """True once the resource is served no longer; its watches end."""
        self._history = history
        self._changes: list[Change] = []
        self._bytes = 0
        self._arrival = asyncio.Event()

    def record(self, change: Change) -> None:
        """Keep the change and wake the watches; the older half of a full history is dropped."""
        self._changes.append(change)
        self._bytes += len(change.after.raw)
        if len(self._changes) > self._history.changes or self._bytes > self._history.bytes:
            middle = (len(self._changes) + 1) // 2
            dropped, self._changes = self._changes[:middle], self._changes[middle:]
            self.compacted = dropped[-1].revision
            self._bytes -= sum(len(old.after.raw) for old in dropped)
        self.wake()

    def wake(self) -> None:
        """Let every waiting watch look again."""
        self._arrival.set()
        self._arrival = asyncio.Event()

    def since(self, revision: int) -> list[Change]:
        """The changes after a revision, oldest first. The revision must not be below `compacted`."""
        start = bisect_right(self._changes, revision, key=lambda change: change.revision)
        return self._changes[start:]

    def arrival(self) -> asyncio.Event:
        """Set at the next change."""
        return self._arrival

    def in_order(self, namespace: str | None) -> list[Stored]:
        """All objects (of one namespace), by namespace and name."""
        keys = self.objects if namespace is None else (key for key in self.objects if key[0] == namespace)
        return [self.objects[key] for key in sorted(keys)]


class Store:
    """The objects of all resources."""

    def __init__(self, history: History) -> None:
        self.revision = FIRST_REVISION
        self._history = history
        self._shelves: dict[Resource, Shelf] = {}

    def shelf(self, resource: Resource) -> Shelf:
        """The shelf of a resource, empty at first."""
        if resource not in self._shelves:
            self._shelves[resource] = Shelf(FIRST_REVISION, self._history)
        return self._shelves[resource]

    def get(self, resource: Resource, key: Key) -> Stored | None:
        """One object, or None."""
        return self.shelf(resource).objects.get(key)

    def put(self, resource: Resource, key: Key, value: JsonObject) -> Stored:
        """Store a value under the next revision, which is written into it."""
        shelf = self.shelf(resource)
        before = shelf.objects.get(key)
        after = self._stored(key, value)
        shelf.objects[key] = after
        shelf.record(Change("ADDED" if before is None else "MODIFIED", before, after))
        return after

    def remove(self, resource: Resource, key: Key) -> Stored:
        """Remove an object that exists; answers its last state under the revision of the deletion."""
        shelf = self.shelf(resource)
        before = shelf.objects.pop(key)
        after = self._stored(key, before.decode())
        shelf.record(Change("DELETED", before, after))
        return after

    def drop(self, resource: Resource) -> None:
        """Forget a resource: its objects are deleted, then its watches end."""
        shelf = self.shelf(resource)
        for key in list(shelf.objects):
            self.remove(resource, key)
        shelf.withdrawn = True
        shelf.wake()
        self._shelves[resource] = Shelf(self.revision, self._history)

    def close(self) -> None:
        """End every watch."""
        for shelf in self._shelves.values():
            shelf.withdrawn = True
            shelf.wake()

    def _stored(self, key: Key, value: JsonObject) -> Stored:
        self.revision += 1
        value["metadata"]["resourceVersion"] = str(self.revision)
        return Stored(key, self.revision, msgspec.json.encode(value))
