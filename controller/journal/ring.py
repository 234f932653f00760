"""The journal of the last changes: writes them into a ring of ConfigMaps, one write a look at most.

It hinders nothing: what cannot be written now waits in memory, up to a bound, and is tried again after growing pauses.
Every write is for the version of the ConfigMap that was read, so two writers cannot overwrite each other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field

import structlog

from controller.journal.changes import BATCH, CLOSED_AT, NAMES, Entry, batches, key_of, next_number, written
from kube.client import Client
from kube.errors import ApiError, NotFound
from kube.pace import BackOff
from kube.records import ConfigMap
from kube.requests import Patch
from kube.resources import CONFIG_MAPS

log = structlog.get_logger(__name__)

MOST_WAITING = 1000
"""Changes that wait in memory at most; the oldest are given up first."""
LONGEST = 2.0
"""Seconds that a look waits for its journal at most."""
LABELS = {"app.kubernetes.io/part-of": "hyperscout", "app.kubernetes.io/component": "journal"}


@dataclass(slots=True)
class Journal:
    """One process's hand at the journal in a namespace. `lost` counts changes that were never written."""

    namespace: str
    waiting: list[Entry] = field(default_factory=list)
    lost: int = 0
    _ring: _Ring | None = None
    _term: int = 0
    _unsure: tuple[int, str] | None = None
    """A batch, by its number, of which nobody knows whether it was written."""
    _pauses: BackOff = field(default_factory=lambda: BackOff(first=1.0, longest=60.0))
    _not_before: float = 0.0

    def note(self, entries: Iterable[Entry]) -> None:
        """These changes are to be written."""
        self.waiting.extend(entries)
        over = len(self.waiting) - MOST_WAITING
        if over > 0:
            del self.waiting[:over]
            self.lost += over
            self._unsure = None
            log.warning("the journal cannot be written, the oldest changes are given up", given_up=over)

    async def write(self, client: Client, term: int) -> None:
        """One batch of what waits, if any does; what goes wrong is logged and tried again after a pause."""
        clock = asyncio.get_running_loop().time
        if not self.waiting or clock() < self._not_before:
            return
        if term != self._term:  # somebody else may have written in between
            self._ring, self._term = None, term
        try:
            async with asyncio.timeout(LONGEST):
                await self._append(client)
        except (ApiError, TimeoutError) as error:
            self._ring = None
            why = str(error) or f"no answer within {LONGEST:g} s"
            log.warning("cannot write the journal", waiting=len(self.waiting), why=why)
            self._not_before = clock() + self._pauses.pause()
        else:
            self._pauses.reset()

    async def _append(self, client: Client) -> None:
        if self._ring is None:
            self._ring = await _Ring.read(client, self.namespace)
        ring = self._ring
        if self._unsure is not None and ring.holds(*self._unsure):
            del self.waiting[: self._unsure[1].count("\n")]
        self._unsure = None
        batch = self.waiting[:BATCH]
        if not batch:
            return
        text = written(batch)
        self._unsure = (ring.number, text)
        await ring.append(client, text)
        self._unsure = None
        del self.waiting[: len(batch)]


@dataclass(slots=True)
class _Ring:
    """The ConfigMaps as they stand, by their place in the ring; and the number of the change that comes next."""

    namespace: str
    held: dict[int, ConfigMap]
    number: int = 0

    @staticmethod
    async def read(client: Client, namespace: str) -> _Ring:
        """All that there are."""
        held = {
            place: found
            for place, name in enumerate(NAMES)
            if (found := await find_config_map(client, name, namespace)) is not None
        }
        return _Ring(namespace, held, max(map(next_number, held.values()), default=0))

    def holds(self, number: int, text: str) -> bool:
        """Whether that batch is there."""
        return any(batches(found).get(number) == text for found in self.held.values())

    async def append(self, client: Client, text: str) -> None:
        """Write a batch, in one ConfigMap."""
        place = self._open()
        found, batch = self.held.get(place), {key_of(self.number): text}
        if found is None:
            metadata = {"name": NAMES[place], "namespace": self.namespace, "labels": LABELS}
            self.held[place] = await client.create(CONFIG_MAPS, {"metadata": metadata, "data": batch})
        else:
            gone = dict.fromkeys(found.data) if _count(found) >= CLOSED_AT else {}
            patch = Patch({"data": {**gone, **batch}}, resource_version=found.metadata.resource_version)
            self.held[place] = await client.patch(CONFIG_MAPS, NAMES[place], patch, self.namespace)
        self.number += text.count("\n")

    def _open(self) -> int:
        """The place that is written to: where the newest change is, or the next one when that is closed."""
        newest = max(self.held, key=lambda place: next_number(self.held[place]), default=0)
        if newest in self.held and _count(self.held[newest]) >= CLOSED_AT:
            return (newest + 1) % len(NAMES)
        return newest


def _count(held: ConfigMap) -> int:
    return sum(text.count("\n") for text in batches(held).values())


async def find_config_map(client: Client, name: str, namespace: str) -> ConfigMap | None:
    """One ConfigMap; None when there is none of that name."""
    try:
        return await client.get(CONFIG_MAPS, name, namespace)
    except NotFound:
        return None
