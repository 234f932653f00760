"""The door to the embedded API server.

    async with EmbeddedServer() as server:
        server.url             # http://127.0.0.1:PORT
        server.token           # send it as `Authorization: Bearer TOKEN`
        server.kubeconfig()    # text of a kubeconfig for kubectl

It listens on the loopback address alone, keeps everything in memory, and is not for production: one user who may do
everything, no admission policies or webhooks, no disruption budgets, no kubelet. Pods are removed at once; with
`run_bound_pods` a bound pod comes to run. What Kubernetes collects a moment after a deletion is collected with it.
"""

from __future__ import annotations

import secrets
from types import TracebackType
from typing import Self

import yaml
from aiohttp import web

from kube.embedded.cluster import Cluster
from kube.embedded.kinds import BUILT_IN, NAMESPACES, Catalogue
from kube.embedded.requests import Target, WriteOptions
from kube.embedded.routes import Limits, Routes
from kube.embedded.store import Store
from kube.embedded.verbs import create

HOST = "127.0.0.1"
_FIRST_NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")


class EmbeddedServer:
    """An API server inside this process, for as long as its context is open. Port 0 takes a free one."""

    def __init__(
        self, port: int = 0, token: str | None = None, run_bound_pods: bool = False, limits: Limits | None = None
    ) -> None:
        self.token = token or secrets.token_urlsafe(24)
        self._port = port
        self._limits = limits or Limits()
        self._cluster = Cluster(Store(self._limits.history), Catalogue(), run_bound_pods)
        self._runner: web.AppRunner | None = None
        for name in _FIRST_NAMESPACES:
            kind = next(kind for kind in BUILT_IN if kind.resource == NAMESPACES)
            create(self._cluster, Target(kind), {"metadata": {"name": name}}, WriteOptions("hyperscout-embedded"))

    @property
    def url(self) -> str:
        """Where the server listens. Raises RuntimeError before it is started."""
        if self._runner is None:
            raise RuntimeError("the embedded API server is not started: use it as `async with EmbeddedServer()`")
        return f"http://{HOST}:{self._port}"

    async def start(self) -> None:
        """Begin to listen."""
        app = web.Application(client_max_size=self._limits.body_bytes)
        routes = Routes(self._cluster, self.token, self._limits)
        app.router.add_route("*", "/{path:.*}", routes.answer)
        self._runner = web.AppRunner(
            app, handle_signals=False, access_log=None, handler_cancellation=True, shutdown_timeout=1.0
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, HOST, self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """End every watch and stop listening."""
        self._cluster.store.close()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    def kubeconfig(self) -> str:
        """A kubeconfig for this server.

        The token stands in the URL as a password, because client-go sends a bearer token over TLS only.
        """
        address = self.url.replace("://", f"://hyperscout:{self.token}@", 1)
        name = "hyperscout-embedded"
        return yaml.safe_dump(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "clusters": [{"name": name, "cluster": {"server": address}}],
                "users": [{"name": name, "user": {}}],
                "contexts": [{"name": name, "context": {"cluster": name, "user": name, "namespace": "default"}}],
                "current-context": name,
            },
            sort_keys=False,
        )

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()
