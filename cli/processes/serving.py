"""/healthz, /readyz and /metrics over HTTP or HTTPS, read-only; figures are for those whom the gate lets pass.

Anybody may connect, so a connection is for one answer, lasts for a bounded time and is one of a bounded number. A
request that is no HTTP is answered with 400 and leaves nothing in the log.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from cli.ending import CommandError
from cli.processes.authentication import Gate
from cli.processes.certificates import Certificate
from cli.processes.health import Health
from cli.processes.sections import Http, split_address

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
MOST = 200
"""Connections at a time; beyond that the oldest makes room."""
LONGEST = 30.0
"""Seconds after which a connection may be ended; after twice as many it is."""
LINGERING = 1.0
"""Seconds for a body that nobody reads."""


@asynccontextmanager
async def served(http: Http, health: Health, registry: CollectorRegistry, gate: Gate) -> AsyncIterator[str]:
    """Serve as long as the context is open; gives HOST:PORT with the port that was taken. CommandError if it cannot."""
    tls = _tls(http)
    app = web.Application(middlewares=[_closing])
    app.router.add_get("/healthz", _answer(health.trouble))
    app.router.add_get("/readyz", _answer(health.unready))
    app.router.add_get("/metrics", _behind(gate, _metrics(registry)))
    runner = web.AppRunner(
        app,
        handle_signals=False,
        access_log=None,
        shutdown_timeout=0.5,
        lingering_time=LINGERING,
        auto_decompress=False,
        logger=_logger(),
    )
    await runner.setup()
    assert runner.server is not None, "it was set up"
    try:
        listening = await _listen(runner.server, http.listen, tls)
        ending = asyncio.create_task(_end_old(runner.server))
        try:
            yield f"{split_address(http.listen)[0]}:{listening.sockets[0].getsockname()[1]}"
        finally:
            ending.cancel()
            listening.close()
    finally:
        await runner.cleanup()


async def _listen(server: web.Server, listen: str, tls: ssl.SSLContext | None) -> asyncio.Server:
    def accept() -> asyncio.Protocol:
        for oldest in server.connections[: 1 - MOST]:
            _end(oldest)
        return server()

    host, port = split_address(listen)
    try:
        return await asyncio.get_running_loop().create_server(accept, host or None, port, ssl=tls)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CommandError(f"cannot serve on {listen}: {reason}; set http.listen to a free address") from error


async def _end_old(server: web.Server) -> None:
    """Whoever is there at two looks has had the time."""
    before: list[web.RequestHandler] = []
    while True:
        await asyncio.sleep(LONGEST)
        now = server.connections
        for connection in before:
            if connection in now:
                _end(connection)
        before = now


def _end(connection: web.RequestHandler) -> None:
    """At once: whoever does not read would never take the rest."""
    if connection.transport is not None:
        connection.transport.abort()


@web.middleware
async def _closing(request: web.Request, handler: Handler) -> web.StreamResponse:
    response = await handler(request)
    response.force_close()
    return response


def _logger() -> logging.Logger:
    """For what fails here; a request that is no HTTP is a fault of whoever sent it."""
    logger = logging.getLogger(__name__)
    logger.addFilter(_is_ours)
    return logger


def _is_ours(record: logging.LogRecord) -> bool:
    return not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError | web.RequestPayloadError))


def _tls(http: Http) -> ssl.SSLContext | None:
    if not http.tls_certificate:
        return None
    return Certificate(Path(http.tls_certificate), Path(http.tls_key)).server_context()


def _behind(gate: Gate, handler: Handler) -> Handler:
    """The handler, for those only whom the gate lets pass."""

    async def guarded(request: web.Request) -> web.StreamResponse:
        refusal = await gate.refusal(request.path, request.headers.get("Authorization", ""))
        if refusal is None:
            return await handler(request)
        headers = {"WWW-Authenticate": "Bearer"} if refusal.status == 401 else {}
        return web.Response(status=refusal.status, text=refusal.sentence + "\n", headers=headers)

    return guarded


def _answer(trouble: Callable[[], str]) -> Handler:
    async def answer(request: web.Request) -> web.Response:
        del request
        sentence = trouble()
        return web.Response(status=503 if sentence else 200, text=(sentence or "ok") + "\n")

    return answer


def _metrics(registry: CollectorRegistry) -> Handler:
    async def metrics(request: web.Request) -> web.Response:
        del request
        return web.Response(body=generate_latest(registry), headers={"Content-Type": CONTENT_TYPE_LATEST})

    return metrics
