"""A server of the tests' own that misbehaves on command: each test scripts what it answers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

from kube.client import Client
from kube.connection import connect_to
from kube.pace import Limits

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def client_of(handler: Handler, limits: Limits | None = None) -> AsyncIterator[Client]:
    """A client of a server that gives every request to the handler."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    async with TestServer(app) as server, Client(connect_to(str(server.make_url("")), "secret"), limits) as client:
        yield client


def node(name: str, version: int = 1, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    """A Node on the wire."""
    return {"metadata": {"name": name, "uid": f"uid-{name}", "resourceVersion": str(version)}, **more}


def listing(*items: dict[str, Any], version: int = 1, rest: str = "") -> web.Response:
    """A page of a list; `rest` is the continue token."""
    return web.json_response({"metadata": {"resourceVersion": str(version), "continue": rest}, "items": list(items)})


def failure(code: int, reason: str = "", message: str = "", **headers: str) -> web.Response:
    """An error with a Status, as the API server answers it."""
    body = {"kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": message}
    return web.json_response(
        body, status=code, headers={name.replace("_", "-"): text for name, text in headers.items()}
    )


async def stream(request: web.Request, *lines: bytes | dict[str, Any]) -> web.StreamResponse:
    """The open answer of a watch, after these lines; the handler decides how it ends."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    response.enable_chunked_encoding()
    await response.prepare(request)
    for line in lines:
        await response.write(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n")
    return response


def event(type_: str, item: dict[str, Any]) -> dict[str, Any]:
    """One line of a watch."""
    return {"type": type_, "object": item}


def drop(request: web.Request) -> None:
    """Cut the connection without a word."""
    assert request.transport is not None
    request.transport.abort()
