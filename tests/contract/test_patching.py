"""Patches: merge patch, JSON patch, strategic merge patch."""

from __future__ import annotations

from tests.contract.api import JSON_PATCH, STRATEGIC, Api
from tests.contract.conftest import pod, widget


async def test_a_merge_patch_merges_objects_and_null_removes(api: Api, widgets: str) -> None:
    await api.created(widgets, widget("one", notes={"a": "1", "b": "2"}, tags=["x", "y"]))
    patched = (await api.patch(f"{widgets}/one", {"spec": {"notes": {"a": None, "c": "3"}, "tags": ["z"]}})).body
    assert patched["spec"]["notes"] == {"b": "2", "c": "3"}
    assert patched["spec"]["tags"] == ["z"]
    assert patched["metadata"]["generation"] == 2


async def test_a_merge_patch_may_name_the_revision_it_expects(api: Api, widgets: str) -> None:
    made = await api.created(widgets, widget("one"))
    revision = made["metadata"]["resourceVersion"]
    first = await api.patch(f"{widgets}/one", {"metadata": {"resourceVersion": revision}, "spec": {"size": 2}})
    second = await api.patch(f"{widgets}/one", {"metadata": {"resourceVersion": revision}, "spec": {"size": 3}})
    assert (first.status, second.status, second.reason) == (200, 409, "Conflict")


async def test_a_patch_of_nothing_is_not_found(api: Api, widgets: str) -> None:
    answer = await api.patch(f"{widgets}/one", {"spec": {"size": 2}})
    assert (answer.status, answer.reason) == (404, "NotFound")


async def test_a_patched_object_must_fit_its_schema(api: Api, widgets: str) -> None:
    await api.created(widgets, widget("one"))
    answer = await api.patch(f"{widgets}/one", {"spec": {"size": None}})
    assert (answer.status, answer.reason) == (422, "Invalid")
    assert (await api.get(f"{widgets}/one")).body["spec"]["size"] == 1


async def test_a_merge_patch_of_the_status_leaves_the_spec(api: Api, widgets: str) -> None:
    await api.created(widgets, widget("one"))
    patched = (await api.patch(f"{widgets}/one/status", {"spec": {"size": 9}, "status": {"used": 4}})).body
    assert (patched["spec"]["size"], patched["status"]) == (1, {"used": 4})


async def test_a_json_patch_does_its_operations_in_turn(api: Api, widgets: str) -> None:
    await api.created(widgets, widget("one", tags=["a", "b"]))
    operations = [
        {"op": "test", "path": "/spec/size", "value": 1},
        {"op": "replace", "path": "/spec/size", "value": 7},
        {"op": "add", "path": "/spec/tags/1", "value": "between"},
        {"op": "add", "path": "/spec/tags/-", "value": "last"},
        {"op": "remove", "path": "/spec/tags/0"},
        {"op": "add", "path": "/metadata/annotations", "value": {"x/y": "slash"}},
        {"op": "replace", "path": "/metadata/annotations/x~1y", "value": "escaped"},
    ]
    patched = (await api.patch(f"{widgets}/one", operations, JSON_PATCH)).body
    assert patched["spec"]["size"] == 7
    assert patched["spec"]["tags"] == ["between", "b", "last"]
    assert patched["metadata"]["annotations"] == {"x/y": "escaped"}


async def test_a_json_patch_whose_test_fails_changes_nothing(api: Api, widgets: str) -> None:
    made = await api.created(widgets, widget("one"))
    operations = [
        {"op": "replace", "path": "/spec/size", "value": 7},
        {"op": "test", "path": "/spec/colour", "value": "green"},
    ]
    answer = await api.patch(f"{widgets}/one", operations, JSON_PATCH)
    assert (answer.status, answer.reason) == (422, "Invalid")
    assert (await api.get(f"{widgets}/one")).body == made


async def test_a_strategic_patch_joins_lists_by_key(api: Api, pods: str) -> None:
    body = pod("one")
    body["spec"]["containers"].append({"name": "second", "image": "registry.test/second:1"})
    await api.created(pods, body)
    change = {"spec": {"containers": [{"name": "second", "image": "registry.test/second:2"}]}}
    patched = (await api.patch(f"{pods}/one", change, STRATEGIC)).body
    images = {container["name"]: container["image"] for container in patched["spec"]["containers"]}
    assert images == {"main": "registry.test/main:1", "second": "registry.test/second:2"}


async def test_a_strategic_patch_joins_conditions_by_type_and_deletes_by_directive(api: Api, pods: str) -> None:
    await api.created(pods, pod("one"))
    first = {"status": {"conditions": [{"type": "A", "status": "True"}, {"type": "B", "status": "True"}]}}
    await api.patch(f"{pods}/one/status", first, STRATEGIC)
    second = {"status": {"conditions": [{"type": "A", "status": "False"}, {"$patch": "delete", "type": "B"}]}}
    patched = (await api.patch(f"{pods}/one/status", second, STRATEGIC)).body
    assert [(entry["type"], entry["status"]) for entry in patched["status"]["conditions"]] == [("A", "False")]


async def test_a_strategic_patch_replaces_the_taints_of_a_node(api: Api) -> None:
    node = {"metadata": {"generateName": "node-"}, "spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]}}
    name = (await api.created("/api/v1/nodes", node))["metadata"]["name"]
    change = {"spec": {"taints": [{"key": "b", "effect": "NoExecute"}]}}
    patched = (await api.patch(f"/api/v1/nodes/{name}", change, STRATEGIC)).body
    assert [taint["key"] for taint in patched["spec"]["taints"]] == ["b"]


async def test_custom_kinds_take_no_strategic_patch(api: Api, widgets: str) -> None:
    await api.created(widgets, widget("one"))
    answer = await api.patch(f"{widgets}/one", {"spec": {"size": 2}}, STRATEGIC)
    assert (answer.status, answer.reason) == (415, "UnsupportedMediaType")
