"""Watches: a client follows the changes of one resource from a revision on.

A watch has no queue of its own: it keeps the revision up to which it has told everything and reads the shelf's history
from there, so a slow client costs nothing; one that falls behind the history gets the 410 that tells it to list again.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

import msgspec

from kube.embedded.kinds import JsonObject
from kube.embedded.refusals import StatusError, bad_request, expired, invalid_options, too_large_resource_version
from kube.embedded.rendering import View
from kube.embedded.requests import whole_number
from kube.embedded.selectors import Selector
from kube.embedded.store import Change, Shelf, Store, Stored

_INITIAL_EVENTS_END = "k8s.io/initial-events-end"


@dataclass(frozen=True, slots=True)
class Watch:
    """What one watch asks for."""

    selector: Selector
    view: View
    namespace: str | None
    start: int | None = None
    """The revision to go on from; None or 0: begin with all objects as they are."""
    bookmarks: bool = False
    initial_events: bool = False
    timeout: float | None = None

    def sees(self, stored: Stored) -> bool:
        """True for an object inside the watch."""
        if self.namespace is not None and stored.key[0] != self.namespace:
            return False
        return not self.selector or self.selector.matches(stored.decode())


def parse_watch(query: Mapping[str, str], selector: Selector, view: View, namespace: str | None) -> Watch:
    """Read a watch's parameters. Raises a 400."""
    initial = query.get("sendInitialEvents", "")
    if initial and query.get("resourceVersionMatch") != "NotOlderThan":
        message = "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
        raise invalid_options("ListOptions", "resourceVersionMatch", "FieldValueForbidden", message)
    if initial not in ("", "true", "false", "1", "0"):
        raise bad_request(f"invalid sendInitialEvents {initial!r}: true or false")
    timeout = whole_number(query, "timeoutSeconds")
    return Watch(
        selector=selector,
        view=view,
        namespace=namespace,
        start=whole_number(query, "resourceVersion"),
        bookmarks=query.get("allowWatchBookmarks") in ("true", "1"),
        initial_events=initial in ("true", "1"),
        timeout=timeout or None,
    )


async def follow(store: Store, shelf: Shelf, watch: Watch, bookmark_every: float) -> AsyncIterator[bytes]:
    """The watch's lines in batches. An ERROR event ends it where the history does not reach back far enough."""
    loop = asyncio.get_running_loop()
    ends = loop.time() + (watch.timeout or math.inf)
    told = watch.start or 0
    try:
        if watch.initial_events or not told:
            told = store.revision
            yield _initial(watch, shelf, told)
        elif told > store.revision:
            raise too_large_resource_version(told, store.revision)
        next_bookmark = loop.time() + bookmark_every if watch.bookmarks else math.inf
        while True:
            arrival = shelf.arrival()
            if told < shelf.compacted:
                raise expired(f"too old resource version: {told} ({shelf.compacted})")
            lines = [line for change in shelf.since(told) if (line := _line(watch, change))]
            told = store.revision
            if lines:
                yield b"".join(lines)
            elif loop.time() >= next_bookmark:
                yield _bookmark(watch, told)
                next_bookmark = loop.time() + bookmark_every
            if shelf.withdrawn or loop.time() >= ends:
                return
            await _wait(arrival, min(next_bookmark, ends))
    except StatusError as error:
        yield msgspec.json.encode({"type": "ERROR", "object": error.status()}) + b"\n"


async def _wait(arrival: asyncio.Event, until: float) -> None:
    """Until something arrives, or the loop's clock reaches the time."""
    with suppress(TimeoutError):
        async with asyncio.timeout_at(until if until < math.inf else None):
            await arrival.wait()


def _initial(watch: Watch, shelf: Shelf, revision: int) -> bytes:
    lines = [watch.view.event("ADDED", stored) for stored in shelf.in_order(watch.namespace) if watch.sees(stored)]
    if watch.initial_events and watch.bookmarks:
        lines.append(_bookmark(watch, revision, {_INITIAL_EVENTS_END: "true"}))
    return b"".join(lines)


def _line(watch: Watch, change: Change) -> bytes:
    """A change as this watch sees it: what enters its selection is added, what leaves it is deleted."""
    was = change.before is not None and watch.sees(change.before)
    now = change.type != "DELETED" and watch.sees(change.after)
    if now:
        return watch.view.event("MODIFIED" if was else "ADDED", change.after)
    return watch.view.event("DELETED", change.after) if was else b""


def _bookmark(watch: Watch, revision: int, annotations: Mapping[str, str] | None = None) -> bytes:
    metadata: JsonObject = {"resourceVersion": str(revision), "creationTimestamp": None}
    if annotations:
        metadata["annotations"] = dict(annotations)
    kind = watch.view.kind
    marked = {"kind": kind.kind, "apiVersion": kind.api_version, "metadata": metadata}
    return msgspec.json.encode({"type": "BOOKMARK", "object": marked}) + b"\n"
