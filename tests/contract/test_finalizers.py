"""Finalizers hold an object that is being deleted, and namespaces and definitions wait for what is in them."""

from __future__ import annotations

import asyncio
import copy
import uuid

import pytest

from tests.contract.api import JSON_PATCH, Api
from tests.contract.conftest import WIDGETS, gone, served, widget
from tests.contract.test_definitions import DEFINITIONS

HOLD = "contract.test/hold"


@pytest.fixture
def configs(namespace: str) -> str:
    """The path of the config maps of a fresh namespace."""
    return f"/api/v1/namespaces/{namespace}/configmaps"


async def test_a_held_object_is_marked_and_goes_when_it_is_released(api: Api, widgets: str) -> None:
    body = widget("one")
    body["metadata"]["finalizers"] = [HOLD]
    made = await api.created(widgets, body)
    async with api.watch(widgets, resourceVersion=made["metadata"]["resourceVersion"]) as stream:
        marked = await api.delete(f"{widgets}/one")
        assert (marked.status, marked.body["kind"]) == (200, "Widget")
        assert marked.body["metadata"]["deletionTimestamp"]
        assert (marked.body["metadata"]["deletionGracePeriodSeconds"], marked.body["metadata"]["generation"]) == (0, 2)
        assert (await api.delete(f"{widgets}/one")).body == marked.body, "asking again changes nothing"
        released = await api.patch(f"{widgets}/one", {"metadata": {"finalizers": None}})
        assert released.status == 200
        assert "finalizers" not in released.body["metadata"]
        assert (await api.get(f"{widgets}/one")).status == 404
        assert [(await stream.next())["type"] for _ in range(2)] == ["MODIFIED", "DELETED"]


async def test_each_of_several_finalizers_holds(api: Api, configs: str) -> None:
    await api.created(configs, {"metadata": {"name": "one", "finalizers": [HOLD, "contract.test/other"]}})
    await api.delete(f"{configs}/one")
    await api.patch(f"{configs}/one", [{"op": "remove", "path": "/metadata/finalizers/0"}], JSON_PATCH)
    left = await api.get(f"{configs}/one")
    assert left.body["metadata"]["finalizers"] == ["contract.test/other"]
    await api.patch(f"{configs}/one", {"metadata": {"finalizers": []}})
    assert (await api.get(f"{configs}/one")).status == 404


async def test_an_object_that_is_being_deleted_changes_but_is_held_by_nothing_new(api: Api, configs: str) -> None:
    await api.created(configs, {"metadata": {"name": "one", "finalizers": [HOLD]}})
    marked = (await api.delete(f"{configs}/one")).body
    assert (await api.patch(f"{configs}/one", {"data": {"a": "b"}})).body["data"] == {"a": "b"}
    more = await api.patch(f"{configs}/one", {"metadata": {"finalizers": [HOLD, "contract.test/new"]}})
    assert (more.status, more.reason) == (422, "Invalid")
    assert "no new finalizers can be added if the object is being deleted" in more.body["message"]
    revived = await api.patch(f"{configs}/one", {"metadata": {"deletionTimestamp": None}})
    assert revived.body["metadata"]["deletionTimestamp"] == marked["metadata"]["deletionTimestamp"]


async def test_nobody_creates_an_object_that_is_being_deleted(api: Api, configs: str) -> None:
    body = {"metadata": {"name": "one", "finalizers": [HOLD], "deletionTimestamp": "2020-01-01T00:00:00Z"}}
    assert "deletionTimestamp" not in (await api.created(configs, body))["metadata"]


@pytest.mark.parametrize("name", ["plain", "with space.test/x"])
async def test_finalizers_of_built_in_kinds_have_a_domain(api: Api, configs: str, name: str) -> None:
    answer = await api.post(configs, {"metadata": {"name": "one", "finalizers": [name]}})
    assert answer.status == 422
    assert answer.body["details"]["causes"][0]["field"].startswith("metadata.finalizers")


async def test_finalizers_are_applied_one_by_one(api: Api, widgets: str) -> None:
    mine, yours = widget("one"), widget("one")
    mine["metadata"]["finalizers"] = [HOLD]
    yours["metadata"]["finalizers"] = ["contract.test/other"]
    await api.apply(f"{widgets}/one", mine, "first")
    both = await api.apply(f"{widgets}/one", yours, "second")
    assert both.body["metadata"]["finalizers"] == [HOLD, "contract.test/other"]
    await api.delete(f"{widgets}/one")
    left = await api.apply(f"{widgets}/one", widget("one"), "first")
    assert left.body["metadata"]["finalizers"] == ["contract.test/other"]
    assert (await api.apply(f"{widgets}/one", widget("one"), "second")).status == 200
    assert (await api.get(f"{widgets}/one")).status == 404


async def test_a_namespace_waits_for_what_is_held_in_it(api: Api, namespace: str, configs: str) -> None:
    await api.created(configs, {"metadata": {"name": "held", "finalizers": [HOLD]}})
    await api.created(configs, {"metadata": {"name": "free"}})
    marked = await api.delete(f"/api/v1/namespaces/{namespace}")
    assert (marked.status, marked.body["status"]["phase"]) == (200, "Terminating")
    late = await api.post(configs, {"metadata": {"name": "late"}})
    assert (late.status, late.body["details"]["causes"][0]["reason"]) == (403, "NamespaceTerminating")
    await gone(api, f"{configs}/free")
    assert (await api.get(f"{configs}/held")).body["metadata"]["deletionTimestamp"]
    assert (await api.get(f"/api/v1/namespaces/{namespace}")).status == 200
    assert (await api.patch(f"{configs}/held", {"metadata": {"finalizers": None}})).status == 200
    assert (await api.get(f"{configs}/held")).status == 404


async def test_a_definition_waits_for_what_is_held_of_its_kind(api: Api, namespace: str) -> None:
    definition = copy.deepcopy(WIDGETS)
    group = definition["spec"]["group"] = f"g{uuid.uuid4().hex[:8]}.hyperscout.test"
    definition["metadata"]["name"] = f"widgets.{group}"
    await api.created(DEFINITIONS, definition)
    path = f"/apis/{group}/v1/namespaces/{namespace}/widgets"
    await served(api, path)
    held = {"apiVersion": f"{group}/v1", "kind": "Widget", "metadata": {"name": "one", "finalizers": [HOLD]}}
    await api.created(path, held | {"spec": {"size": 1}})
    assert (await api.delete(f"{DEFINITIONS}/widgets.{group}")).body["metadata"]["deletionTimestamp"]
    for _ in range(200):  # a real server learns of the deletion a moment later
        late = await api.post(path, held | {"metadata": {"name": "late"}, "spec": {"size": 1}}, dryRun="All")
        if late.status != 201:
            break
        await asyncio.sleep(0.05)
    assert (late.status, late.reason) == (403, "Forbidden")
    assert "create not allowed while custom resource definition is terminating" in late.body["message"]
    await api.patch(f"{path}/one", {"metadata": {"finalizers": None}})
    await gone(api, f"{DEFINITIONS}/widgets.{group}")
