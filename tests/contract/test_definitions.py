"""Custom resource definitions, and what their schemas demand of objects."""

from __future__ import annotations

import copy

import pytest

from tests.contract.api import Api, Json
from tests.contract.conftest import WIDGETS, widget

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


async def test_a_definition_is_established_and_its_kind_discovered(api: Api, widgets: str) -> None:
    definition = (await api.get(f"{DEFINITIONS}/{WIDGETS['metadata']['name']}")).body
    conditions = {entry["type"]: entry["status"] for entry in definition["status"]["conditions"]}
    assert (conditions["NamesAccepted"], conditions["Established"]) == ("True", "True")
    assert definition["status"]["acceptedNames"]["kind"] == "Widget"
    served = (await api.get("/apis/contract.hyperscout.test/v1")).body["resources"]
    found = {entry["name"]: entry for entry in served}
    assert found["widgets"]["shortNames"] == ["wd"]
    assert found["widgets"]["namespaced"]
    assert "widgets/status" in found


@pytest.mark.parametrize(
    ("spec", "field", "reason"),
    [
        ({"size": "big"}, "spec.size", "FieldValueTypeInvalid"),
        ({"size": 101}, "spec.size", "FieldValueInvalid"),
        ({"size": -1}, "spec.size", "FieldValueInvalid"),
        ({"colour": "blue"}, "spec.colour", "FieldValueNotSupported"),
        ({"code": "UPPER"}, "spec.code", "FieldValueInvalid"),
        ({"code": "abcdef"}, "spec.code", "FieldValueTooLong"),
        ({"tags": []}, "spec.tags", "FieldValueInvalid"),
        ({"parts": [{"count": 1}]}, "spec.parts[0].name", "FieldValueRequired"),
        ({"notes": {"a": 1}}, "spec.notes.a", "FieldValueTypeInvalid"),
        ({"parts": [{"name": "a"}, {"name": "a"}]}, "spec.parts[1]", "FieldValueDuplicate"),
    ],
)
async def test_an_object_that_breaks_its_schema_is_invalid(
    api: Api, widgets: str, spec: Json, field: str, reason: str
) -> None:
    answer = await api.post(widgets, widget("one", **spec))
    assert (answer.status, answer.reason) == (422, "Invalid")
    assert (field, reason) in [(cause["field"], cause["reason"]) for cause in answer.body["details"]["causes"]]


async def test_a_missing_field_is_named(api: Api, widgets: str) -> None:
    answer = await api.post(widgets, widget("one") | {"spec": {}})
    assert answer.status == 422
    assert answer.body["message"] == 'Widget.contract.hyperscout.test "one" is invalid: spec.size: Required value'


async def test_unknown_fields_are_dropped_and_warned_about(api: Api, widgets: str) -> None:
    answer = await api.post(widgets, widget("one", shape="round"))
    assert answer.status == 201
    assert "shape" not in answer.body["spec"]
    assert 'unknown field \\"spec.shape\\"' in answer.headers["Warning"]


async def test_unknown_fields_are_refused_when_asked_for(api: Api, widgets: str) -> None:
    answer = await api.post(widgets, widget("one", shape="round"), fieldValidation="Strict")
    assert (answer.status, answer.reason) == (400, "BadRequest")
    assert 'unknown field "spec.shape"' in answer.body["message"]


async def test_unknown_fields_of_a_pod_are_refused_when_asked_for(api: Api, namespace: str) -> None:
    containers = [{"name": "main", "image": "registry.test/main:1", "imagePullPolice": "Always"}]
    body = {"metadata": {"name": "one"}, "spec": {"containers": containers}}
    answer = await api.post(f"/api/v1/namespaces/{namespace}/pods", body, fieldValidation="Strict")
    assert answer.status == 400
    assert 'unknown field "spec.containers[0].imagePullPolice"' in answer.body["message"]


async def test_a_definition_under_a_wrong_name_is_invalid(api: Api) -> None:
    wrong = copy.deepcopy(WIDGETS)
    wrong["metadata"]["name"] = "gadgets.contract.hyperscout.test"
    answer = await api.post(DEFINITIONS, wrong)
    assert (answer.status, answer.reason) == (422, "Invalid")
    assert "metadata.name" in [cause["field"] for cause in answer.body["details"]["causes"]]


@pytest.mark.parametrize("name", ["Upper", "under_score", "-dash", "a" * 254, "dot..dot"])
async def test_names_that_are_none_are_invalid(api: Api, widgets: str, name: str) -> None:
    answer = await api.post(widgets, widget(name))
    assert (answer.status, answer.reason) == (422, "Invalid")
    assert answer.body["details"]["causes"][0]["field"] == "metadata.name"


async def test_labels_that_are_none_are_invalid(api: Api, widgets: str) -> None:
    body = widget("one")
    body["metadata"]["labels"] = {"key with space": "x", "fine": "not fine"}
    answer = await api.post(widgets, body)
    assert answer.status == 422
    assert {cause["field"] for cause in answer.body["details"]["causes"]} == {"metadata.labels"}
