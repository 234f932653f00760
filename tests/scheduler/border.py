"""A border in front of an API server: everything passes, except what the test answers itself."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer

Fault = Callable[[web.Request], Awaitable[web.StreamResponse | None]]
"""Looks at a request before it passes: None lets it pass, an answer is given in the server's place."""

Rewrite = Callable[[bytes], bytes]
"""Changes one line of an answer about pods: a list, or an event of a watch."""

HOP = ("Host", "Content-Length", "Transfer-Encoding", "Connection")


class Border:
    """Passes requests on to `target`; `fault` may answer them instead, `rewrite` changes what is read of pods."""

    def __init__(self, target: str) -> None:
        self.fault: Fault | None = None
        self.rewrite: Rewrite = bytes
        self.url = ""
        self._target = target
        self._session: aiohttp.ClientSession | None = None

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if self.fault is not None and (given := await self.fault(request)) is not None:
            return given
        assert self._session is not None
        headers = {name: text for name, text in request.headers.items() if name not in HOP}
        async with self._session.request(
            request.method, self._target + request.raw_path, headers=headers, data=await request.read()
        ) as inner:
            response = web.StreamResponse(status=inner.status)
            response.content_type = inner.content_type
            await response.prepare(request)
            reads_pods = request.method == "GET" and request.path.endswith("/pods")
            rest = b""
            async for part in inner.content.iter_any():
                if not reads_pods:
                    await response.write(part)
                    continue
                *lines, rest = (rest + part).split(b"\n")
                await response.write(b"".join(self.rewrite(line) + b"\n" for line in lines))
            if rest:
                await response.write(self.rewrite(rest))
        return response

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Border]:
        """Stand between, for as long as the context is open."""
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self.answer)
        timeout = aiohttp.ClientTimeout(total=None)
        async with (
            aiohttp.ClientSession(timeout=timeout, auto_decompress=False) as self._session,
            TestServer(app) as one,
        ):
            self.url = str(one.make_url("")).rstrip("/")
            yield self


def is_binding(request: web.Request) -> bool:
    """Whether the request binds a pod."""
    return request.path.endswith("/binding")


def is_eviction(request: web.Request) -> bool:
    """Whether the request evicts a pod."""
    return request.path.endswith("/eviction")


def refusal(code: int, reason: str, message: str) -> web.Response:
    """A Status of the API server."""
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "code": code,
        "reason": reason,
        "message": message,
    }
    return web.json_response(body, status=code)
