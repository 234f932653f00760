"""HTTP to verbs and back: who may ask, what the method and path mean, what goes into the answer."""

from __future__ import annotations

import base64
import binascii
import secrets
from dataclasses import dataclass, field

import msgspec
import structlog
import yaml
from aiohttp import web

from kube.embedded import applying, pods, verbs
from kube.embedded.cluster import Cluster, key_of
from kube.embedded.documents import describe
from kube.embedded.kinds import PODS
from kube.embedded.lists import Snapshots, list_page
from kube.embedded.refusals import (
    StatusError,
    bad_request,
    method_not_allowed,
    success,
    unauthorized,
    unsupported_media_type,
)
from kube.embedded.rendering import View, requested_view
from kube.embedded.requests import Target, parse_target, parse_write_options
from kube.embedded.selectors import Selector, parse_selector
from kube.embedded.store import History
from kube.embedded.verbs import Outcome
from kube.embedded.watches import follow, parse_watch

_log = structlog.get_logger()
_OPEN_PATHS = ("/healthz", "/livez", "/readyz", "/version")


@dataclass(frozen=True, slots=True)
class Limits:
    """How much the server keeps and takes."""

    history: History = field(default_factory=History)
    """What is kept of each resource's past for watches to resume from."""
    body_bytes: int = 3 * 1024 * 1024
    bookmark_seconds: float = 30.0


class Routes:
    """Answers every request to the server."""

    def __init__(self, cluster: Cluster, token: str, limits: Limits) -> None:
        self._cluster = cluster
        self._token = token
        self._limits = limits
        self._snapshots = Snapshots()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """The answer to a request; whatever goes wrong is a Status object and never ends the server."""
        try:
            self._check_token(request)
            return await self._answer(request)
        except StatusError as error:
            return _refusal(error)
        except RecursionError:
            return _refusal(bad_request("the body of the request is nested too deeply"))
        except web.HTTPRequestEntityTooLarge:
            limit = self._limits.body_bytes
            return _refusal(
                StatusError(413, "RequestEntityTooLarge", f"Request entity too large: limit is {limit} bytes")
            )
        except Exception:
            _log.exception("embedded API server: a request failed", method=request.method, path=request.path)
            message = "an error on the server prevented the request from succeeding"
            return _refusal(StatusError(500, "InternalError", message))

    def _check_token(self, request: web.Request) -> None:
        if request.path in _OPEN_PATHS:
            return
        scheme, _, sent = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "basic":
            sent = _basic_password(sent)
        if not secrets.compare_digest(sent.encode(), self._token.encode()):
            raise unauthorized()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        path = request.path.rstrip("/")
        if path in _OPEN_PATHS and path != "/version":
            return web.Response(text="ok")
        accept = request.headers.get("Accept", "")
        described = describe(self._cluster.catalogue, path, accept, request.host)
        if described is not None:
            media_type, document = described
            return web.Response(body=msgspec.json.encode(document), headers={"Content-Type": media_type})
        target = parse_target(self._cluster.catalogue, path)
        view = requested_view(target.kind, accept, request.query.get("includeObject", ""))
        if request.method == "GET" and not target.name and request.query.get("watch") in ("true", "1"):
            return await self._watch(request, target, view)
        body = await self._body(request) if request.method != "GET" else None
        return self._carry_out(request, target, view, body)

    def _carry_out(self, request: web.Request, target: Target, view: View, body: object) -> web.Response:
        options = parse_write_options(request.query, request.headers.get("User-Agent", ""))
        creates = target.subresource in ("binding", "eviction")
        if request.method != "GET" and target.kind.namespaced and target.namespace is None:
            raise method_not_allowed(request.method)  # all namespaces together are only looked at
        match request.method:
            case "GET" if target.name and not creates:
                return _json(view.one(self._cluster.live(target).raw))
            case "GET" if not target.name:
                selector = _selector(request, target)
                page = list_page(self._cluster.store, self._snapshots, target, selector, request.query)
                return _json(view.page(page))
            case "POST" if creates:
                act = pods.bind if target.subresource == "binding" else pods.evict
                return _json(msgspec.json.encode(act(self._cluster, target, body, options)), 201)
            case "POST" if not target.name:
                return _outcome(view, verbs.create(self._cluster, target, body, options))
            case "PUT" if target.name and not creates:
                return _outcome(view, verbs.update(self._cluster, target, body, options))
            case "PATCH" if target.name and not creates:
                return _outcome(view, applying.patch(self._cluster, target, request.content_type, body, options))
            case "DELETE" if not target.subresource:
                return self._delete(request, target, view, body)
        raise method_not_allowed(request.method)

    def _delete(self, request: web.Request, target: Target, view: View, body: object) -> web.Response:
        if target.name:
            asked = verbs.delete(self._cluster, target, body, request.query)
            if target.kind.resource == PODS or not asked.removed:
                return _json(view.one(asked.stored.raw))
            uid = asked.stored.decode()["metadata"]["uid"]
            return _json(msgspec.json.encode(success(target.kind, target.name, uid)))
        selector = _selector(request, target)
        page = list_page(self._cluster.store, self._snapshots, target, selector, request.query)
        for stored in page.items:
            one = Target(target.kind, stored.key[0] or None, stored.key[1])
            if self._cluster.store.get(target.kind.resource, key_of(one)) is not None:
                verbs.delete(self._cluster, one, body, request.query)
        return _json(view.page(page))

    async def _watch(self, request: web.Request, target: Target, view: View) -> web.StreamResponse:
        watch = parse_watch(request.query, _selector(request, target), view, target.namespace)
        response = web.StreamResponse(headers={"Content-Type": "application/json", "Cache-Control": "no-cache"})
        store = self._cluster.store
        shelf = store.shelf(target.kind.resource)
        await response.prepare(request)
        async for lines in follow(store, shelf, watch, self._limits.bookmark_seconds):
            try:
                await response.write(lines)
            except ConnectionError:
                return response
        await response.write_eof()
        return response

    async def _body(self, request: web.Request) -> object:
        raw = await request.read()
        if not raw:
            return None
        media_type = request.content_type
        if "protobuf" in media_type or "cbor" in media_type:
            accepted = ["application/json", "application/yaml"]
            instead = "write the object as YAML and use kubectl apply -f"
            raise unsupported_media_type(media_type, accepted, f"; the embedded API server reads no other: {instead}")
        try:
            return msgspec.json.decode(raw)
        except (msgspec.DecodeError, RecursionError) as error:
            if not media_type.endswith("yaml"):
                raise bad_request(f"the body of the request is not JSON: {error}") from error
        try:
            return yaml.safe_load(raw)
        except (yaml.YAMLError, RecursionError) as error:
            raise bad_request(f"the body of the request is not YAML: {error}") from error


def _selector(request: web.Request, target: Target) -> Selector:
    query = request.query
    return parse_selector(target.kind, query.get("labelSelector", ""), query.get("fieldSelector", ""))


def _outcome(view: View, outcome: Outcome) -> web.Response:
    response = _json(view.one(outcome.raw), 201 if outcome.created else 200)
    for warning in outcome.warnings:
        response.headers.add("Warning", '299 - "' + warning.replace("\\", "\\\\").replace('"', '\\"') + '"')
    return response


def _refusal(error: StatusError) -> web.Response:
    return _json(msgspec.json.encode(error.status()), error.code)


def _json(body: bytes, status: int = 200) -> web.Response:
    return web.Response(body=body, status=status, content_type="application/json")


def _basic_password(encoded: str) -> str:
    try:
        return base64.b64decode(encoded).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""
