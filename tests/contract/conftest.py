"""The servers under contract, and objects that the tests begin with."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest

from kube.embedded.server import EmbeddedServer
from tests.cluster.control_plane import ControlPlane
from tests.cluster.fixtures import require
from tests.cluster.programs import KUBECTL
from tests.contract.api import Api, Json
from tests.contract.kubectl import Kubectl

WIDGETS_GROUP = "contract.hyperscout.test"
WIDGETS: Json = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"widgets.{WIDGETS_GROUP}"},
    "spec": {
        "group": WIDGETS_GROUP,
        "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "shortNames": ["wd"]},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "additionalPrinterColumns": [
                    {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
                    {"name": "Ready", "type": "string", "jsonPath": '.status.conditions[?(@.type=="Ready")].status'},
                    {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
                ],
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "required": ["size"],
                                "properties": {
                                    "size": {"type": "integer", "minimum": 0, "maximum": 100},
                                    "colour": {"type": "string", "enum": ["red", "green"], "default": "red"},
                                    "code": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 5},
                                    "tags": {"type": "array", "minItems": 1, "items": {"type": "string"}},
                                    "notes": {"type": "object", "additionalProperties": {"type": "string"}},
                                    "parts": {
                                        "type": "array",
                                        "x-kubernetes-list-type": "map",
                                        "x-kubernetes-list-map-keys": ["name"],
                                        "items": {
                                            "type": "object",
                                            "required": ["name"],
                                            "properties": {"name": {"type": "string"}, "count": {"type": "integer"}},
                                        },
                                    },
                                },
                            },
                            "status": {
                                "type": "object",
                                "properties": {
                                    "used": {"type": "integer"},
                                    "conditions": {
                                        "type": "array",
                                        "items": {
                                            "type": "object",
                                            "properties": {"type": {"type": "string"}, "status": {"type": "string"}},
                                        },
                                    },
                                },
                            },
                        },
                    }
                },
            }
        ],
    },
}


@dataclass(frozen=True, slots=True)
class ApiServer:
    """What the contract knows of a server."""

    url: str
    token: str
    kubeconfig: str
    tls: ssl.SSLContext | None = None

    def session(self, headers: Mapping[str, str]) -> aiohttp.ClientSession:
        """A session that trusts the server's certificate."""
        connector = aiohttp.TCPConnector(ssl=self.tls or True, limit=0)
        return aiohttp.ClientSession(headers=headers, connector=connector)


@pytest.fixture(params=["embedded", "real"])
async def api_server(request: pytest.FixtureRequest) -> AsyncIterator[ApiServer]:
    """A running server: the embedded one, a new one for each test; and a real kube-apiserver, which outlives it."""
    if request.param == "embedded":
        async with EmbeddedServer() as server:
            yield ApiServer(server.url, server.token, server.kubeconfig())
    else:
        plane: ControlPlane = request.getfixturevalue("control_plane")
        yield ApiServer(plane.url, plane.token, plane.kubeconfig(), plane.tls())


@pytest.fixture
async def api(api_server: ApiServer) -> AsyncIterator[Api]:
    """Requests with the server's token."""
    headers = {"Authorization": f"Bearer {api_server.token}", "User-Agent": "contract/1"}
    async with api_server.session(headers) as session:
        yield Api(session, api_server.url)


@pytest.fixture(scope="session")
def kubectl_path() -> Path:
    """A real kubectl; a machine without one skips, CI builds it."""
    return require(KUBECTL)[0]


@pytest.fixture
def kubectl(kubectl_path: Path, api_server: ApiServer, namespace: str, tmp_path: Path) -> Kubectl:
    """kubectl for the server, in a fresh namespace, with a home and a cache of its own."""
    (tmp_path / "kubeconfig").write_text(api_server.kubeconfig)
    return Kubectl(kubectl_path, tmp_path, namespace)


@pytest.fixture
async def namespace(api: Api) -> str:
    """A fresh namespace."""
    made = await api.created("/api/v1/namespaces", {"metadata": {"generateName": "contract-"}})
    return str(made["metadata"]["name"])


@pytest.fixture
async def widgets(api: Api, namespace: str) -> str:
    """The path of the widgets of a fresh namespace, once their definition is established and served."""
    answer = await api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", WIDGETS)
    assert answer.status in (201, 409), answer.body
    path = f"/apis/{WIDGETS_GROUP}/v1/namespaces/{namespace}/widgets"
    await served(api, path)
    return path


@pytest.fixture
def pods(namespace: str) -> str:
    """The path of the pods of a fresh namespace."""
    return f"/api/v1/namespaces/{namespace}/pods"


def widget(name: str = "", **spec: object) -> Json:
    """A widget of size 1, or as the spec says; without a name one is made by the server."""
    metadata = {"name": name} if name else {"generateName": "widget-"}
    api_version = f"{WIDGETS_GROUP}/v1"
    return {"apiVersion": api_version, "kind": "Widget", "metadata": metadata, "spec": {"size": 1} | spec}


def pod(name: str, **labels: str) -> Json:
    """A pod of one container."""
    containers = [{"name": "main", "image": "registry.test/main:1"}]
    metadata: Json = {"name": name, "labels": labels}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": containers}}


async def served(api: Api, path: str) -> None:
    """Return once a path is served: a real server serves a new kind a moment after it is established."""
    await _until(api, path, 200)


async def gone(api: Api, path: str) -> None:
    """Return once there is no such object: a real server collects what belongs together a moment later."""
    await _until(api, path, 404)


async def _until(api: Api, path: str, status: int) -> None:
    for _ in range(600):
        if (await api.get(path)).status == status:
            return
        await asyncio.sleep(0.05)
    pytest.fail(f"{path} does not answer {status} within 30 s: {(await api.get(path)).body}")
