"""What the embedded server does not have is refused by name, with a way to go on."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.contract.api import Api, Json
from tests.contract.conftest import WIDGETS

CONFIGS = "/api/v1/namespaces/default/configmaps"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def cause_of(answer: Any) -> tuple[str, str]:  # noqa: ANN401 - an Answer of either kind
    """Field and message of the only cause."""
    (cause,) = answer.body["details"]["causes"]
    return cause["field"], cause["message"]


@pytest.mark.parametrize(
    ("rule", "field", "said"),
    [
        ({"rule": "true", "messageExpression": "'x'"}, "[0].messageExpression", "has no messageExpression"),
        ({"rule": "true", "optionalOldSelf": True}, "[0].optionalOldSelf", "has no optionalOldSelf"),
        ({"rule": "quantity('1') == quantity('1')"}, "[0].rule", "has not: quantity"),
    ],
)
async def test_rules_in_more_than_plain_cel(api: Api, rule: Json, field: str, said: str) -> None:
    definition = copy.deepcopy(WIDGETS)
    schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["properties"]["spec"]["x-kubernetes-validations"] = [rule]
    found, message = cause_of(await api.post(DEFINITIONS, definition))
    assert found.endswith(f"openAPIV3Schema.properties[spec].x-kubernetes-validations{field}")
    assert said in message


async def test_rules_over_times(api: Api) -> None:
    definition = copy.deepcopy(WIDGETS)
    spec = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"]["since"] = {"type": "string", "format": "date-time"}
    spec["x-kubernetes-validations"] = [{"rule": "self.size > 0"}]
    _, message = cause_of(await api.post(DEFINITIONS, definition))
    assert "no CEL rules over values of format date-time" in message


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("conversion", {"strategy": "Webhook"}, "no conversion webhooks"),
        ("scope", "Universe", "supported values: Cluster, Namespaced"),
    ],
)
async def test_other_parts_of_definitions(api: Api, field: str, value: object, said: str) -> None:
    definition = copy.deepcopy(WIDGETS)
    definition["spec"][field] = value
    path, message = cause_of(await api.post(DEFINITIONS, definition))
    assert path == f"spec.{field}"
    assert said in message


async def test_a_second_served_version(api: Api) -> None:
    definition = copy.deepcopy(WIDGETS)
    definition["spec"]["versions"].append(definition["spec"]["versions"][0] | {"name": "v2", "storage": False})
    _, message = cause_of(await api.post(DEFINITIONS, definition))
    assert "serves one version of a kind" in message


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ("$ref", "#/x", "does not enforce this keyword"),
        ("pattern", "(", "must be a valid regular expression"),
        ("properties", {"a": {"dependencies": {}}}, "does not enforce this keyword"),
    ],
)
async def test_schemas_that_would_not_be_enforced(api: Api, place: str, value: object, said: str) -> None:
    definition = copy.deepcopy(WIDGETS)
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = {"type": "object", place: value}
    _, message = cause_of(await api.post(DEFINITIONS, definition))
    assert said in message


async def test_a_column_whose_path_is_not_understood(api: Api) -> None:
    definition = copy.deepcopy(WIDGETS)
    columns = definition["spec"]["versions"][0]["additionalPrinterColumns"]
    columns[0]["jsonPath"] = ".spec[?(@.a>1)]"
    field, message = cause_of(await api.post(DEFINITIONS, definition))
    assert field == "spec.versions[0].additionalPrinterColumns"
    assert "is not understood" in message


async def test_protobuf(api: Api) -> None:
    headers = {"Content-Type": "application/vnd.kubernetes.protobuf"}
    async with api.session.post(f"{api.url}{CONFIGS}", data=b"k8s\x00", headers=headers) as response:
        assert response.status == 415
        assert "kubectl apply -f" in (await response.json())["message"]


async def test_namespaces_that_must_stay(api: Api) -> None:
    answer = await api.delete("/api/v1/namespaces/kube-system")
    assert (answer.status, answer.reason) == (403, "Forbidden")
