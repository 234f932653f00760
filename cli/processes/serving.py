"""/healthz, /readyz and /metrics over HTTP or HTTPS, read-only; figures are for those whom the gate lets pass."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from cli.ending import CommandError
from cli.processes.authentication import Gate
from cli.processes.certificates import Certificate
from cli.processes.health import Health
from cli.processes.sections import Http, split_address

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def served(http: Http, health: Health, registry: CollectorRegistry, gate: Gate) -> AsyncIterator[str]:
    """Serve as long as the context is open; gives HOST:PORT with the port that was taken. CommandError if it cannot."""
    tls = _tls(http)
    app = web.Application()
    app.router.add_get("/healthz", _answer(health.trouble))
    app.router.add_get("/readyz", _answer(health.unready))
    app.router.add_get("/metrics", _behind(gate, _metrics(registry)))
    runner = web.AppRunner(app, handle_signals=False, access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    host, port = split_address(http.listen)
    try:
        try:
            await web.TCPSite(runner, host or None, port, ssl_context=tls).start()
        except OSError as error:
            reason = error.strerror or str(error)
            raise CommandError(f"cannot serve on {http.listen}: {reason}; set http.listen to a free address") from error
        yield f"{host}:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


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
