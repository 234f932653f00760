"""What we wrote comes back through the watch; until it does, a look at the cache would show the past.

That it comes back is no news either: it starts no look where somebody is told of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from kube.cache import Cache, Change, Deleted
from kube.meta import Key, Object, ObjectMeta

T = TypeVar("T", bound=Object)

PATIENCE = 5.0
"""Seconds to wait at most; whatever was decided on old objects is refused by the server anyhow."""


Version = tuple[Key, str]
"""An object and its resourceVersion."""


def _ignore(version: Version) -> None:
    del version


class Echoes(Generic[T]):
    """Waits until a cache has seen our own writes; `ours` is told of each of them that it has seen."""

    def __init__(self, cache: Cache[T], ours: Callable[[Version], None] = _ignore) -> None:
        self._cache = cache
        self._ours = ours
        self._coming: set[Version] = set()
        self._awaited: dict[Key, str] = {}
        self._all_seen = asyncio.Event()
        self._all_seen.set()
        self._news: dict[Key, asyncio.Event] = {}
        cache.subscribe(self._see)

    def expect(self, written: ObjectMeta) -> None:
        """That version of the object, or a later one, is to come."""
        cached, version = self._cache.get(written.key), (written.key, written.resource_version)
        if cached is None or not _reached(cached.metadata.resource_version, written.resource_version):
            self._coming.add(version)
            self._await(*version)
        else:
            self._ours(version)

    def expect_gone(self, deleted: ObjectMeta) -> None:
        """The object is to go."""
        if self._cache.get(deleted.key) is not None:
            self._await(deleted.key, "")

    async def newer(self, known: ObjectMeta, seconds: float) -> T | None:
        """The object, the same one, in a later version, as soon as the cache shows it; None if it does not in time."""
        news = self._news.setdefault(known.key, asyncio.Event())
        try:
            async with asyncio.timeout(seconds):
                while True:
                    found = self._cache.get(known.key)
                    if found is None or found.metadata.uid != known.uid:
                        return None
                    if not _reached(known.resource_version, found.metadata.resource_version):
                        return found
                    news.clear()
                    await news.wait()
        except TimeoutError:
            return None
        finally:
            self._news.pop(known.key, None)

    async def all_seen(self) -> None:
        """Wait for everything that is expected, but not for ever."""
        try:
            async with asyncio.timeout(PATIENCE):
                await self._all_seen.wait()
        except TimeoutError:
            self._awaited.clear()
            self._coming.clear()
            self._all_seen.set()

    def _await(self, key: Key, version: str) -> None:
        self._awaited[key] = version
        self._all_seen.clear()

    def _see(self, change: Change[T]) -> None:
        metadata = change.old.metadata if isinstance(change, Deleted) else change.new.metadata
        seen = (metadata.key, metadata.resource_version)
        if seen in self._coming:
            self._coming.discard(seen)
            self._ours(seen)
        if metadata.key in self._news:
            self._news[metadata.key].set()
        version = self._awaited.get(metadata.key)
        if version is None:
            return
        if isinstance(change, Deleted) or (version and _reached(metadata.resource_version, version)):
            del self._awaited[metadata.key]
            if not self._awaited:
                self._all_seen.set()


def _reached(seen: str, wanted: str) -> bool:
    """Versions are numbers that rise with every write."""
    if seen.isdecimal() and wanted.isdecimal():
        return int(seen) >= int(wanted)
    return seen == wanted
