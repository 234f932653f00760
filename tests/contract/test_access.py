"""Who is let in, and what the server says of itself."""

from __future__ import annotations

import asyncio

import pytest

from tests.contract.api import Api
from tests.contract.conftest import ApiServer


@pytest.mark.parametrize("header", ["", "Bearer wrong", "Basic d3Jvbmc6d3Jvbmc=", "Bearer", "Basic ???"])
async def test_without_the_token_nothing_is_told(api_server: ApiServer, header: str) -> None:
    async with api_server.session({"Authorization": header} if header else {}) as session:
        for path in ("/api/v1/nodes", "/openapi/v3", "/api/v1/namespaces/default"):
            async with session.get(f"{api_server.url}{path}") as response:
                assert (await response.json())["reason"] in ("Unauthorized", "Forbidden")
                assert response.status in ((401,) if header == "Bearer wrong" else (401, 403))


async def test_health_and_version_are_open(api_server: ApiServer) -> None:
    async with api_server.session({}) as session:
        for path in ("/healthz", "/livez", "/readyz"):
            async with session.get(f"{api_server.url}{path}") as response:
                assert (response.status, await response.text()) == (200, "ok")
        async with session.get(f"{api_server.url}/version") as response:
            assert (await response.json())["major"] == "1"


async def test_groups_and_versions_are_discovered(api: Api) -> None:
    assert (await api.get("/api")).body["versions"] == ["v1"]
    groups = {group["name"]: group for group in (await api.get("/apis")).body["groups"]}
    assert {"apiextensions.k8s.io", "coordination.k8s.io", "scheduling.k8s.io"} <= groups.keys()
    assert groups["coordination.k8s.io"]["preferredVersion"]["groupVersion"] == "coordination.k8s.io/v1"
    core = {entry["name"]: entry for entry in (await api.get("/api/v1")).body["resources"]}
    assert core["pods"]["namespaced"]
    assert not core["nodes"]["namespaced"]
    assert {"pods/binding", "pods/eviction", "pods/status", "nodes/status"} <= core.keys()


async def test_each_group_version_has_an_openapi_document(api: Api) -> None:
    paths = (await api.get("/openapi/v3")).body["paths"]
    document = (await api.get("/openapi/v3/api/v1")).body
    assert "serverRelativeURL" in paths["api/v1"]
    patch = document["paths"]["/api/v1/namespaces/{namespace}/pods/{name}"]["patch"]
    assert "fieldValidation" in {parameter.get("name") for parameter in patch["parameters"]}


async def test_a_body_that_is_too_large_is_refused(api: Api, namespace: str) -> None:
    body = {"metadata": {"name": "big"}, "data": {"x": "y" * (4 * 1024 * 1024)}}
    answer = await api.post(f"/api/v1/namespaces/{namespace}/configmaps", body)
    assert (answer.status, answer.reason) == (413, "RequestEntityTooLarge")


@pytest.mark.parametrize("body", [b"{", b"[1]", b'"text"', b"\xff\xfe", b"[" * 5000])
async def test_a_body_that_is_no_object_is_a_bad_request(api: Api, namespace: str, body: bytes) -> None:
    path = f"{api.url}/api/v1/namespaces/{namespace}/configmaps"
    async with api.session.post(path, data=body, headers={"Content-Type": "application/json"}) as response:
        assert response.status == 400
        assert (await response.json())["reason"] == "BadRequest"


async def test_writers_that_race_lose_nothing(api: Api, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    await api.created(path, {"metadata": {"name": "counter"}, "data": {"value": "0"}})

    async def add_one() -> int:
        conflicts = 0
        while True:
            value = (await api.get(f"{path}/counter")).body
            value["data"]["value"] = str(int(value["data"]["value"]) + 1)
            if (await api.put(f"{path}/counter", value)).status == 200:
                return conflicts
            conflicts += 1

    await asyncio.gather(*(add_one() for _ in range(10)))
    assert (await api.get(f"{path}/counter")).body["data"]["value"] == "10"
