"""/healthz, /readyz and /metrics over HTTP: read-only; on the loopback address unless an operator says otherwise."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from cli.ending import CommandError
from cli.processes.health import Health
from cli.processes.sections import split_address

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def served(listen: str, health: Health, registry: CollectorRegistry) -> AsyncIterator[str]:
    """Serve as long as the context is open; gives HOST:PORT with the port that was taken. CommandError if it cannot."""
    app = web.Application()
    app.router.add_get("/healthz", _answer(health.trouble))
    app.router.add_get("/readyz", _answer(health.unready))
    app.router.add_get("/metrics", _metrics(registry))
    runner = web.AppRunner(app, handle_signals=False, access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    host, port = split_address(listen)
    try:
        try:
            await web.TCPSite(runner, host or None, port).start()
        except OSError as error:
            reason = error.strerror or str(error)
            raise CommandError(f"cannot serve on {listen}: {reason}; set http.listen to a free address") from error
        yield f"{host}:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


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
