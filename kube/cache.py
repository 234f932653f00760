"""A copy of all objects of a kind, kept true by a list and a watch, with typed news for those who follow it.

The whole list is read first (paged), then a watch continues it from that version, and from the last version seen after
every break. Only when the server has forgotten that version (410) is the list read again; then the difference to the
full list tells what is new, changed and gone, so that nothing is missed and nothing is dropped on the way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Generic, TypeVar

import structlog

from kube.client import Client
from kube.errors import ApiError, Gone, NotFound, Unavailable
from kube.listing import Bookmark, Garbled, Listing, Put, Removed, Unreadable, WatchEvent
from kube.meta import Key, Object
from kube.pace import BackOff
from kube.requests import EVERYWHERE, Selection
from kube.resources import Resource

T = TypeVar("T", bound=Object)

log = structlog.get_logger(__name__)

STEADY = 10.0
"""Seconds after which a watch that ends counts as one that worked."""
LOOK_AGAIN = 30.0
"""Seconds between looks for a kind that the server does not know."""


@dataclass(frozen=True, slots=True)
class Added(Generic[T]):
    """An object that was not there before."""

    new: T


@dataclass(frozen=True, slots=True)
class Changed(Generic[T]):
    """The same object (same UID) in a new form."""

    old: T
    new: T


@dataclass(frozen=True, slots=True)
class Deleted(Generic[T]):
    """An object that is gone."""

    old: T
    through_relist: bool
    """Nobody saw its deletion: a full list did not hold it any more."""


Change = Added[T] | Changed[T] | Deleted[T]
Handler = Callable[[Change[T]], None]


class Cache(Generic[T]):
    """All objects of a kind (or of a selection), by key. `run` fills and keeps it; until `synced` it is not whole."""

    def __init__(
        self,
        client: Client,
        resource: Resource[T],
        selection: Selection = EVERYWHERE,
        shape: Callable[[T], T] = lambda item: item,
    ) -> None:
        """`shape` makes of an object the one that is kept."""
        self.resource = resource
        self.synced = asyncio.Event()
        self.absent = False
        """The server does not know the kind (its CustomResourceDefinition is not installed)."""
        self.unreadable: dict[Key, str] = {}
        """Objects that do not fit the type, and why; their last readable form stays in the cache."""
        self._shape = shape
        self._client = client
        self._selection = selection
        self._objects: dict[Key, T] = {}
        self._order: list[Key] | None = None
        self._version = ""
        self._handlers: list[Handler[T]] = []

    def get(self, key: Key) -> T | None:
        """The object as last seen."""
        return self._objects.get(key)

    def values(self) -> Iterable[T]:
        """All objects as last seen, in no order."""
        return self._objects.values()

    def ordered(self) -> tuple[T, ...]:
        """The same in the order of their keys, which is made only when objects came or went."""
        if self._order is None:
            self._order = sorted(self._objects)
        return tuple(map(self._objects.__getitem__, self._order))

    def __len__(self) -> int:
        return len(self._objects)

    def subscribe(self, handler: Handler[T]) -> None:
        """Call the handler with every change from now on, in order; what is there already comes as Added at once."""
        for item in self._objects.values():
            handler(Added(item))
        self._handlers.append(handler)

    async def run(self) -> None:
        """List, watch, and begin again after every trouble, until cancelled."""
        pauses = BackOff()
        while True:
            try:
                self._take(await self._client.list(self.resource, self._selection))
                await self._follow(pauses)
            except NotFound:
                self._note_absent()
                await asyncio.sleep(LOOK_AGAIN)
            except Gone:
                log.info("relist", resource=self.resource.plural, version=self._version)
                await asyncio.sleep(pauses.pause())
            except ApiError as error:
                log.warning("cannot list", resource=self.resource.plural, error=str(error))
                await asyncio.sleep(max(pauses.pause(), error.retry_after or 0.0))

    async def _follow(self, pauses: BackOff) -> None:
        """Watch, and watch again from the last version after every break; raises Gone when that is too old."""
        clock = asyncio.get_running_loop().time
        while True:
            opened, before = clock(), self._version
            try:
                async with aclosing(self._client.watch(self.resource, self._version, self._selection)) as events:
                    async for event in events:
                        self._handle(event)
            except Unavailable as error:
                log.info("watch broke", resource=self.resource.plural, error=str(error))
            if self._version != before or clock() - opened >= STEADY:
                pauses.reset()
            await asyncio.sleep(pauses.pause())

    def _take(self, listing: Listing[T]) -> None:
        """Make the full list the truth: the difference to what was known is what happened."""
        self.absent = False
        self.unreadable = {}
        for unreadable in listing.unreadable:
            self._note_unreadable(unreadable)
        listed = {item.metadata.key for item in listing.items}
        for key in [key for key in self._objects if key not in listed and key not in self.unreadable]:
            self._tell(Deleted(self._objects.pop(key), through_relist=True))
        for item in listing.items:
            self._put(item, through_relist=True)
        self._version = listing.resource_version
        self.synced.set()

    def _handle(self, event: WatchEvent[T]) -> None:
        match event:
            case Put(item):
                self.unreadable.pop(item.metadata.key, None)
                self._put(item, through_relist=False)
                self._version = item.metadata.resource_version
            case Removed(item):
                self._remove(item.metadata.key)
                self._version = item.metadata.resource_version
            case Bookmark(version):
                self._version = version
            case Garbled(unreadable, removed, version):
                if removed:
                    self._remove(unreadable.key)
                else:
                    self._note_unreadable(unreadable)
                self._version = version or self._version

    def _put(self, item: T, *, through_relist: bool) -> None:
        key = item.metadata.key
        old = self._objects.get(key)
        if old is not None and old.metadata.resource_version == item.metadata.resource_version:
            return
        item = self._shape(item)
        self._objects[key] = item
        if old is not None and old.metadata.uid == item.metadata.uid:
            self._tell(Changed(old, item))
            return
        if old is not None:
            self._tell(Deleted(old, through_relist))
        self._tell(Added(item))

    def _remove(self, key: Key) -> None:
        self.unreadable.pop(key, None)
        old = self._objects.pop(key, None)
        if old is not None:
            self._tell(Deleted(old, through_relist=False))

    def _tell(self, change: Change[T]) -> None:
        if not isinstance(change, Changed):
            self._order = None
        for handler in self._handlers:
            handler(change)

    def _note_unreadable(self, unreadable: Unreadable) -> None:
        self.unreadable[unreadable.key] = unreadable.reason
        log.warning(
            "unreadable object", resource=self.resource.plural, object=str(unreadable.key), why=unreadable.reason
        )

    def _note_absent(self) -> None:
        """A kind that is not served has no objects; but what was there once is not gone because of that."""
        if not self.absent:
            log.info("kind is not served", resource=f"{self.resource.plural}.{self.resource.group}".strip("."))
        self.absent = True
        self.synced.set()
