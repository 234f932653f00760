"""The client: get, list, watch, create, replace, apply, patch, delete, bind, evict, for any `Resource`.

Every call has a time-out, obeys the rate limit, and is repeated only when that is safe; what goes wrong is an ApiError
(`kube.errors`) with what was asked and what to do. Lists are paged and consistent (no resourceVersion is sent: with
resourceVersion=0 servers ignore the limit and answer with everything at once).
"""

from __future__ import annotations

import copy
import random
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from types import TracebackType
from typing import Any, Self, TypeVar

import aiohttp
import msgspec

from kube.connection import Connection
from kube.errors import ApiError, Gone, Invalid, NotFound, Unavailable
from kube.guard import Guard
from kube.listing import Listing, Unreadable, WatchEvent, decode, decode_line, decode_page, lines
from kube.meta import Body, Object, ObjectMeta
from kube.pace import Limits
from kube.pod import Pod
from kube.requests import EVERYWHERE, FieldManager, Patch, Preconditions, Selection
from kube.resources import PODS, Resource
from kube.transport import Call, Repeat, Transport

T = TypeVar("T", bound=Object)

PAGE = 500
"""Objects a page of a list."""
WATCH_SECONDS = (480, 600)
"""How long the server keeps a watch open: something between, so that not all are opened again at once."""
APPLY = "application/apply-patch+yaml"
METADATA_ALONE = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json"


class Client:
    """One API server, spoken to in types. Use it as an async context manager."""

    def __init__(self, connection: Connection, limits: Limits | None = None) -> None:
        self.connection = connection
        self._transport = Transport(connection, limits or Limits())
        self._guard: Guard | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End all connections."""
        await self._transport.close()

    def guarded(self, guard: Guard) -> Client:
        """The same client, over the same connections, whose writes are asked for and told to the guard."""
        other = copy.copy(self)
        other._guard = guard
        return other

    async def _send(self, call: Call) -> bytes:
        if self._guard is None or call.method == "GET":
            return await self._transport.send(call)
        try:
            answer = await self._transport.send(call, self._guard.may_write)
        except ApiError as error:
            self._guard.wrote(call.verb, error)
            raise
        self._guard.wrote(call.verb, None)
        return answer

    async def version(self) -> str:
        """The server's version as it calls itself (`v1.37.2`)."""
        call = Call("get", "the server's version", "GET", "/version", repeat=Repeat.SAFE)
        return str(msgspec.json.decode(await self._send(call)).get("gitVersion", ""))

    async def get(self, resource: Resource[T], name: str, namespace: str = "") -> T:
        """One object, decoded; Invalid when it does not fit its type."""
        call = _on("get", resource, name, namespace)
        return _decoded(resource, call, await self._send(call))

    async def get_cached(self, resource: Resource[T], name: str, namespace: str = "") -> T:
        """One object as this server's cache has it, which may be some moments old; a fifth of the work of `get`."""
        call = replace(_on("get", resource, name, namespace), query={"resourceVersion": "0"})
        return _decoded(resource, call, await self._send(call))

    async def get_document(self, resource: Resource[T], name: str, namespace: str = "") -> Body:
        """One object whole, as JSON maps, to be changed and given to `replace`."""
        document: Body = msgspec.json.decode(await self._send(_on("get", resource, name, namespace)))
        return document

    async def serves(self, resource: Resource[Any]) -> bool:
        """Whether the server knows the kind at all (discovery)."""
        call = Call("discover", resource.plural, "GET", resource.group_path, repeat=Repeat.SAFE)
        try:
            found = msgspec.json.decode(await self._send(call))
        except NotFound:
            return False
        return any(entry.get("name") == resource.plural for entry in found.get("resources") or ())

    async def list(self, resource: Resource[T], selection: Selection = EVERYWHERE) -> Listing[T]:
        """All objects of a kind at one version.

        When the list expires between two pages (410) it begins again; the third time it is read in one page.
        """
        for limit in (PAGE, PAGE, 0):
            try:
                return await self._list(resource, selection, limit)
            except Gone:
                if not limit:
                    raise
        raise AssertionError("the last pass returns or raises")

    async def _list(self, resource: Resource[T], selection: Selection, limit: int) -> Listing[T]:
        items: list[T] = []
        unreadable: list[Unreadable] = []
        query = selection.query | ({"limit": str(limit)} if limit else {})
        path = resource.collection_path(selection.namespace)
        while True:
            call = Call("list", resource.plural, "GET", path, dict(query), repeat=Repeat.SAFE)
            body = await self._send(call)
            try:
                page = decode_page(resource, body)
            except msgspec.DecodeError as error:
                raise Unavailable(call.verb, call.target, f"the answer is no list: {error}") from error
            items.extend(page.items)
            unreadable.extend(page.unreadable)
            if not page.meta.continue_:
                return Listing(tuple(items), tuple(unreadable), page.meta.resource_version)
            query["continue"] = page.meta.continue_

    async def watch(
        self, resource: Resource[T], resource_version: str, selection: Selection = EVERYWHERE
    ) -> AsyncGenerator[WatchEvent[T]]:
        """What happens from a version on, bookmarks included, until the server ends the watch (in about ten minutes).

        Raises Gone when the version is too old (list again), Unavailable when the connection is lost or silent (watch
        again from the last version seen). Close it with `contextlib.aclosing`.
        """
        query = selection.query | {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "resourceVersion": resource_version,
            "timeoutSeconds": str(random.randint(*WATCH_SECONDS)),
        }
        call = Call("watch", resource.plural, "GET", resource.collection_path(selection.namespace), query)
        try:
            async with self._transport.stream(call) as content, aclosing(lines(content)) as received:
                async for line in received:
                    yield decode_line(resource, line)
        except (aiohttp.ClientError, OSError) as error:
            raise Unavailable("watch", resource.plural, str(error) or type(error).__name__) from error

    async def create(self, resource: Resource[T], body: Body | msgspec.Struct) -> T:
        """Make an object (POST). AlreadyExists when the name is taken; after Unavailable it may exist all the same."""
        document = _document(resource, body)
        path = resource.collection_path(document["metadata"].get("namespace", ""))
        target = f"{resource.kind} {document['metadata'].get('name', '')}".strip()
        call = Call("create", target, "POST", path, body=msgspec.json.encode(document))
        return _decoded(resource, call, await self._send(call))

    async def replace(self, resource: Resource[T], document: Body) -> T:
        """Write a whole object (PUT). Conflict when its metadata.resourceVersion is not the server's any more."""
        call = _with(resource, document, "replace", "PUT")
        return _decoded(resource, call, await self._send(call))

    async def apply(self, resource: Resource[T], document: Body, manager: FieldManager) -> T:
        """Server-side apply.

        With metadata.uid or metadata.resourceVersion in the document only that object is changed (else Conflict); a
        field that another manager holds is a Conflict too, unless the manager forces.
        """
        repeat = Repeat.UNSENT if "resourceVersion" in document["metadata"] else Repeat.SAFE
        call = _with(resource, document, "apply", "PATCH", query=manager.query, content_type=APPLY, repeat=repeat)
        return _decoded(resource, call, await self._send(call))

    async def apply_whole(self, resource: Resource[Any], document: Body, manager: FieldManager) -> None:
        """Server-side apply of what its only writer made by its own types, as reports are: the server need neither look
        for fields that it does not know nor send the object back, which is a tenth of its work."""
        query = {**manager.query, "fieldValidation": "Ignore"}
        call = _with(resource, document, "apply", "PATCH", query=query, content_type=APPLY, repeat=Repeat.SAFE)
        await self._send(replace(call, accept=METADATA_ALONE))

    async def patch(self, resource: Resource[T], name: str, patch: Patch, namespace: str = "") -> T:
        """Change a part of an object, or of its status."""
        call = Call(
            "patch",
            _target(resource, name, namespace),
            "PATCH",
            resource.object_path(name, namespace, patch.subresource),
            body=patch.encoded(),
            content_type=patch.kind.value,
            repeat=Repeat.UNSENT if patch.resource_version else Repeat.SAFE,
        )
        return _decoded(resource, call, await self._send(call))

    async def delete(self, resource: Resource[T], metadata: ObjectMeta, only: Preconditions | None = None) -> None:
        """Delete an object; with preconditions only that one (else Conflict). NotFound when it is gone already."""
        options: Body = {"kind": "DeleteOptions", "apiVersion": "v1"}
        if only is not None:
            options["preconditions"] = only.body()
        call = Call(
            "delete",
            _target(resource, metadata.name, metadata.namespace),
            "DELETE",
            resource.object_path(metadata.name, metadata.namespace),
            body=msgspec.json.encode(options),
            repeat=Repeat.SAFE if only is not None and only.uid else Repeat.UNSENT,
        )
        await self._send(call)

    async def bind(self, pod: Pod, node: str) -> None:
        """Bind a pod, by its UID, to a node.

        Conflict when it is bound, gated or another one by now; after Unavailable read the pod before anything else.
        """
        body = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": pod.metadata.name, "namespace": pod.metadata.namespace, "uid": pod.metadata.uid},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node},
        }
        await self._send(_about(pod, "bind", "binding", body, Repeat.UNSENT))

    async def evict(self, pod: Pod) -> None:
        """Ask for a pod's eviction, by its UID. Unavailable with code 429: a disruption budget forbids it now."""
        body = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": pod.metadata.name, "namespace": pod.metadata.namespace},
            "deleteOptions": {"preconditions": {"uid": pod.metadata.uid}},
        }
        await self._send(_about(pod, "evict", "eviction", body, Repeat.NEVER))


def _target(resource: Resource[T], name: str, namespace: str) -> str:
    return f"{resource.kind} {namespace}/{name}" if namespace else f"{resource.kind} {name}"


def _on(verb: str, resource: Resource[T], name: str, namespace: str) -> Call:
    path = resource.object_path(name, namespace)
    return Call(verb, _target(resource, name, namespace), "GET", path, repeat=Repeat.SAFE)


def _document(resource: Resource[T], body: Body | msgspec.Struct) -> Body:
    """The body as JSON maps, with the kind that the server asks for."""
    content = msgspec.to_builtins(body) if isinstance(body, msgspec.Struct) else body
    return {"metadata": {}, **content, "apiVersion": resource.api_version, "kind": resource.kind}


def _with(resource: Resource[T], document: Body, verb: str, method: str, **more: Any) -> Call:  # noqa: ANN401 - Call's own
    metadata = document["metadata"]
    name, namespace = metadata["name"], metadata.get("namespace", "")
    body = msgspec.json.encode(_document(resource, document))
    path = resource.object_path(name, namespace)
    return Call(verb, _target(resource, name, namespace), method, path, body=body, **more)


def _about(pod: Pod, verb: str, subresource: str, body: Body, repeat: Repeat) -> Call:
    path = PODS.object_path(pod.metadata.name, pod.metadata.namespace, subresource)
    return Call(verb, f"Pod {pod.metadata.key}", "POST", path, body=msgspec.json.encode(body), repeat=repeat)


def _decoded(resource: Resource[T], call: Call, body: bytes) -> T:
    try:
        return decode(resource, body)
    except msgspec.DecodeError as error:
        raise Invalid(call.verb, call.target, f"the answer does not fit {resource.kind}: {error}") from error
