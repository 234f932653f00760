"""Lists in pages: every page of one list shows the same moment.

A list that does not fit its limit keeps a snapshot (references to the stored objects, which never change); a continue
token names the snapshot's revision and the last key served. Snapshots are few and go when newer ones come: then the
token is expired and the client lists again.
"""

from __future__ import annotations

import base64
import binascii
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from kube.embedded.kinds import Kind, Resource
from kube.embedded.refusals import bad_request, expired, too_large_resource_version
from kube.embedded.requests import Target, whole_number
from kube.embedded.selectors import Selector
from kube.embedded.store import Key, Store, Stored

_KEPT_SNAPSHOTS = 32


class _Token(msgspec.Struct, frozen=True):
    revision: int
    namespace: str | None
    after: Key


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list, and how to go on; `remaining` is None where it is not known."""

    items: list[Stored]
    revision: int
    token: str = ""
    remaining: int | None = None


class Snapshots:
    """The lists that are being paged through."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Resource, str | None, int], list[Stored]] = OrderedDict()

    def keep(self, resource: Resource, namespace: str | None, revision: int, items: list[Stored]) -> None:
        """Keep a list as it stood at a revision."""
        self._kept[resource, namespace, revision] = items
        self._kept.move_to_end((resource, namespace, revision))
        while len(self._kept) > _KEPT_SNAPSHOTS:
            self._kept.popitem(last=False)

    def find(self, kind: Kind, namespace: str | None, revision: int) -> list[Stored]:
        """The list as it stood at a revision. Raises a 410 where it is no longer kept."""
        found = self._kept.get((kind.resource, namespace, revision))
        if found is None:
            raise expired(
                "The provided continue parameter is too old to display a consistent list result. "
                "You must start a new list without the continue parameter."
            )
        return found


def list_page(store: Store, snapshots: Snapshots, target: Target, selector: Selector, query: Mapping[str, str]) -> Page:
    """One page of a list. Raises 400, 410 (an expired token or revision) or 504 (a revision from the future)."""
    kind, namespace = target.kind, target.namespace
    limit = whole_number(query, "limit") or 0
    if text := query.get("continue", ""):
        token = _read_token(text, namespace)
        items = snapshots.find(kind, namespace, token.revision)
        start = bisect_right(items, token.after, key=lambda stored: stored.key)
        revision = token.revision
    else:
        _check_revision(store, kind, query)
        items, start, revision = store.shelf(kind.resource).in_order(namespace), 0, store.revision
    taken: list[Stored] = []
    for index in range(start, len(items)):
        if selector and not selector.matches(items[index].decode()):
            continue
        if limit and len(taken) == limit:
            snapshots.keep(kind.resource, namespace, revision, items)
            rest = None if selector else len(items) - index
            return Page(taken, revision, _written_token(_Token(revision, namespace, taken[-1].key)), rest)
        taken.append(items[index])
    return Page(taken, revision)


def _check_revision(store: Store, kind: Kind, query: Mapping[str, str]) -> None:
    wanted = whole_number(query, "resourceVersion")
    match = query.get("resourceVersionMatch", "")
    if match not in ("", "Exact", "NotOlderThan"):
        raise bad_request(f"invalid resourceVersionMatch {match!r}: supported values: Exact, NotOlderThan")
    if match and wanted is None:
        raise bad_request("resourceVersionMatch is forbidden unless resourceVersion is provided")
    if wanted is None:
        return
    if wanted > store.revision:
        raise too_large_resource_version(wanted, store.revision)
    if match == "Exact" and wanted < _last_change(store, kind):
        raise expired(f"The resourceVersion for the provided list is too old: {wanted}")


def _last_change(store: Store, kind: Kind) -> int:
    shelf = store.shelf(kind.resource)
    changes = shelf.since(shelf.compacted)
    return changes[-1].revision if changes else shelf.compacted


def _written_token(token: _Token) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(token)).decode()


def _read_token(text: str, namespace: str | None) -> _Token:
    try:
        token = msgspec.json.decode(base64.urlsafe_b64decode(text), type=_Token)
    except (binascii.Error, ValueError, msgspec.MsgspecError) as error:
        raise bad_request(f"continue key is not valid: {error}") from error
    if token.namespace != namespace:
        raise bad_request("continue key is not valid: it belongs to another list")
    return token
