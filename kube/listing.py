"""Decoding what the server sends: objects, pages of lists, lines of a watch.

One object that does not fit its type never hides the others: a page is decoded at once, and object by object only when
that fails; what cannot be read is named in an `Unreadable`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar, cast

import aiohttp
import msgspec

from kube.errors import Gone, Unavailable, error_for, read_status
from kube.meta import Key, ListMeta, Object, ObjectList, ObjectMeta, Wire
from kube.resources import Resource

T = TypeVar("T", bound=Object)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An object that is there but does not fit its type, and why."""

    key: Key
    reason: str


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A part of a list, in the server's order."""

    items: tuple[T, ...]
    unreadable: tuple[Unreadable, ...]
    meta: ListMeta


@dataclass(frozen=True, slots=True)
class Listing(Generic[T]):
    """A whole list, and the version from which a watch continues it."""

    items: tuple[T, ...]
    unreadable: tuple[Unreadable, ...]
    resource_version: str


@dataclass(frozen=True, slots=True)
class Put(Generic[T]):
    """A watch says: this object is there, in this form (ADDED or MODIFIED; a resumed watch tells them not apart)."""

    item: T


@dataclass(frozen=True, slots=True)
class Removed(Generic[T]):
    """A watch says: this object has been deleted; its last form."""

    item: T


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A watch says: everything up to this version has been sent."""

    resource_version: str


@dataclass(frozen=True, slots=True)
class Garbled:
    """A watch sent an object that does not fit its type."""

    unreadable: Unreadable
    removed: bool
    resource_version: str


WatchEvent = Put[T] | Removed[T] | Bookmark | Garbled


class _Head(Wire, frozen=True, kw_only=True):
    metadata: ObjectMeta = ObjectMeta()


class _Line(Wire, frozen=True, kw_only=True):
    type: str
    object: msgspec.Raw


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:  # noqa: ANN401 - any type that msgspec takes
    return msgspec.json.Decoder(kind)


def decode(resource: Resource[T], body: bytes | msgspec.Raw) -> T:
    """One object; msgspec.ValidationError when it does not fit."""
    return cast("T", _decoder(resource.type).decode(body))


def decode_page(resource: Resource[T], body: bytes) -> Page[T]:
    """One page of a list; msgspec.DecodeError when it is no list at all."""
    try:
        whole: ObjectList[T] = _decoder(ObjectList[resource.type]).decode(body)  # type: ignore[name-defined]  # a runtime type
        return Page(whole.items or (), (), whole.metadata)
    except msgspec.ValidationError:
        pass
    raw: ObjectList[msgspec.Raw] = _decoder(ObjectList[msgspec.Raw]).decode(body)
    items: list[T] = []
    unreadable: list[Unreadable] = []
    for part in raw.items or ():
        read = _read(resource, part)
        if isinstance(read, Unreadable):
            unreadable.append(read)
        else:
            items.append(read)
    return Page(tuple(items), tuple(unreadable), raw.metadata)


def decode_line(resource: Resource[T], line: bytes) -> WatchEvent[T]:
    """One line of a watch; Gone for 410, another ApiError for an error that the server reports."""
    try:
        event: _Line = _decoder(_Line).decode(line)
    except msgspec.DecodeError as error:
        raise Unavailable("watch", resource.plural, f"a line is no watch event: {error}") from error
    if event.type == "ERROR":
        raise _reported(resource, bytes(event.object))
    if event.type == "BOOKMARK":
        return Bookmark(_decoder(_Head).decode(event.object).metadata.resource_version)
    read = _read(resource, event.object)
    if isinstance(read, Unreadable):
        return Garbled(read, event.type == "DELETED", _version(event.object))
    return Removed(read) if event.type == "DELETED" else Put(read)


async def lines(content: aiohttp.StreamReader) -> AsyncGenerator[bytes]:
    """The non-empty lines of a stream, of any length; ClientPayloadError when it ends inside one."""
    rest = b""
    while chunk := await content.readany():
        if b"\n" not in chunk:
            rest += chunk
            continue
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            if line:
                yield line
    if rest.strip():
        raise aiohttp.ClientPayloadError("the stream ended inside a line")


def _read(resource: Resource[T], raw: msgspec.Raw) -> T | Unreadable:
    try:
        return decode(resource, raw)
    except msgspec.DecodeError as error:
        return Unreadable(_key(raw), f"{resource.kind} does not fit its type: {error}")


def _key(raw: msgspec.Raw) -> Key:
    try:
        return cast("ObjectMeta", _decoder(_Head).decode(raw).metadata).key
    except msgspec.DecodeError:
        return Key("", "")


def _version(raw: msgspec.Raw) -> str:
    try:
        return str(_decoder(_Head).decode(raw).metadata.resource_version)
    except msgspec.DecodeError:
        return ""


def _reported(resource: Resource[T], body: bytes) -> Exception:
    status = read_status(body)
    code = status.code if status else 500
    if code == 410 or (status and status.reason in ("Expired", "Gone")):
        return Gone("watch", resource.plural, status.message if status else "expired", 410)
    return error_for("watch", resource.plural, code or 500, body)
