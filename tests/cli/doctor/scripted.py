"""A cluster that answers from a table, and what the doctor finds of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from cli.doctor.finding import FINE, WRONG, Finding
from cli.doctor.looking import Where, look
from cli.uninstall.places import Places
from tests.kube.wire import client_of, failure, listing

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SYSTEM, ON_NODES = "/namespaces/hyperscout-system", "/namespaces/hyperscout-node"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
OURS, VOLCANO = "/apis/hyperscout.io/v1alpha1", "/apis/topology.volcano.sh/v1alpha1"
ALL_LEASES = "/apis/coordination.k8s.io/v1/leases"
LEASES = f"/apis/coordination.k8s.io/v1{SYSTEM}/leases"
CONFIG_MAPS = "/api/v1/namespaces/volcano-system/configmaps"
Json = dict[str, Any]


@dataclass(slots=True)
class Scripted:
    """A cluster that is as it should be, until a test changes something: collections by path, objects by name."""

    collections: dict[str, dict[str, Json]] = field(default_factory=dict)
    version: str = "v1.37.2"
    forbidden: str = ""
    refused: tuple[str, ...] = ()
    """Rights, as `verb resource`, that accounts lack."""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """As an API server would."""
        path = request.path
        if self.forbidden and self.forbidden in path:
            return failure(403, "Forbidden", "not for you")
        if path == "/version":
            return web.json_response({"gitVersion": self.version})
        if request.method == "POST":
            wanted = (await request.json())["spec"]["resourceAttributes"]
            allowed = f"{wanted['verb']} {wanted['resource']}" not in self.refused
            return web.json_response({"metadata": {}, "status": {"allowed": allowed}}, status=201)
        if path in self.collections:
            return listing(*self.collections[path].values())
        collection, _, name = path.rpartition("/")
        if name in self.collections.get(collection, {}):
            return web.json_response(self.collections[collection][name])
        served = {one.rpartition("/")[2] for one in self.collections if one.startswith(f"{path}/")}
        if served:
            return web.json_response({"resources": [{"name": plural} for plural in served]})
        return failure(404, "NotFound", "no such thing")


def named(*names: str, **more: Any) -> dict[str, Json]:  # noqa: ANN401 - any JSON
    return {name: {"metadata": {"name": name}, **more} for name in names}


async def findings(cluster: Scripted) -> tuple[Finding, ...]:
    async with client_of(cluster.answer) as client:
        return (await look(client, Where(Places(), "volcano-system"), NOW)).findings


async def the_finding(cluster: Scripted) -> str:
    """The one thing that is amiss."""
    (found,) = [one for one in await findings(cluster) if one.state != FINE]
    assert found.state == WRONG
    return found.sentence
