"""CEL rules of a custom resource definition: what is accepted, and what they demand of objects."""

from __future__ import annotations

import copy
import uuid

import pytest

from kube.crds import crds
from tests.contract.api import Api, Json
from tests.contract.conftest import WIDGETS, served, widget
from tests.contract.test_definitions import DEFINITIONS

SPEC_RULES: list[Json] = [
    {"rule": "self.size > 0"},
    {"rule": "self.size < 50", "message": "too big"},
    {"rule": "self.size != 7", "message": "seven", "reason": "FieldValueForbidden", "fieldPath": ".size"},
    {"rule": "self.size >= oldSelf.size", "message": "may not shrink"},
    {"rule": "self.size == 9 ? 1 / (self.size - 9) > 0 : true"},
    {"rule": "!has(self.code) || self.code.startsWith('a')", "message": "codes begin with a"},
    {"rule": "!has(self.__namespace__) || size(self.__namespace__) < 3", "message": "long"},
]


def ruled(spec_rules: list[Json]) -> Json:
    """A definition of widgets under a group of its own, with rules for the spec, its tags and the whole."""
    definition = copy.deepcopy(WIDGETS)
    group = definition["spec"]["group"] = f"g{uuid.uuid4().hex[:8]}.hyperscout.test"
    definition["metadata"]["name"] = f"widgets.{group}"
    schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    spec = schema["properties"]["spec"]
    spec["properties"]["namespace"] = {"type": "string", "maxLength": 10}
    spec["properties"]["share"] = {"type": "number"}
    tags = spec["properties"]["tags"]
    tags |= {"maxItems": 5, "x-kubernetes-validations": [{"rule": "self.all(t, t != 'bad')"}]}
    tags["items"]["maxLength"] = 10
    schema["x-kubernetes-validations"] = [{"rule": "self.metadata.name != 'none'", "message": "not none"}]
    spec["x-kubernetes-validations"] = spec_rules
    return definition


@pytest.fixture
async def ruled_widgets(api: Api, namespace: str) -> str:
    """The path of widgets with rules."""
    definition = ruled(SPEC_RULES)
    await api.created(DEFINITIONS, definition)
    path = f"/apis/{definition['spec']['group']}/v1/namespaces/{namespace}/widgets"
    await served(api, path)
    return path


def of(path: str, name: str = "one", **spec: object) -> Json:
    """A widget of the group of a path."""
    return widget(name, **spec) | {"apiVersion": f"{path.split('/')[2]}/v1"}


async def broken(api: Api, path: str, body: Json) -> list[tuple[str, str, str]]:
    """The causes of a refused create: field, reason and message."""
    answer = await api.post(path, body)
    assert (answer.status, answer.reason) == (422, "Invalid"), answer.body
    return [(cause["field"], cause["reason"], cause["message"]) for cause in answer.body["details"]["causes"]]


async def test_a_broken_rule_is_told_in_its_own_words(api: Api, ruled_widgets: str) -> None:
    path = ruled_widgets
    invalid, forbidden = "FieldValueInvalid", "FieldValueForbidden"
    zero = await broken(api, path, of(path, size=0))
    assert zero == [("spec", invalid, "Invalid value: failed rule: self.size > 0")]
    assert await broken(api, path, of(path, size=60)) == [("spec", invalid, "Invalid value: too big")]
    assert await broken(api, path, of(path, size=7)) == [("spec.size", forbidden, "Forbidden: seven")]
    assert await broken(api, path, of(path, code="b")) == [("spec", invalid, "Invalid value: codes begin with a")]
    assert await broken(api, path, of(path, "none")) == [("<nil>", invalid, "Invalid value: not none")]
    assert [cause[0] for cause in await broken(api, path, of(path, tags=["good", "bad"]))] == ["spec.tags"]
    assert (await api.post(path, of(path, size=5, code="a", tags=["good"], share=2))).status == 201


async def test_a_rule_that_cannot_be_run_refuses(api: Api, ruled_widgets: str) -> None:
    ((field, _, message),) = await broken(api, ruled_widgets, of(ruled_widgets, size=9))
    assert field == "spec"
    assert "division by zero" in message
    assert "evaluating rule: self.size == 9" in message


async def test_a_field_with_a_reserved_name_is_escaped(api: Api, ruled_widgets: str) -> None:
    body = of(ruled_widgets, namespace="abc")
    assert await broken(api, ruled_widgets, body) == [("spec", "FieldValueInvalid", "Invalid value: long")]


async def test_a_rule_about_a_change_looks_at_what_was_there(api: Api, ruled_widgets: str) -> None:
    await api.created(ruled_widgets, of(ruled_widgets, size=5))
    shrunk = await api.patch(f"{ruled_widgets}/one", {"spec": {"size": 4}})
    assert (shrunk.status, shrunk.body["details"]["causes"][0]["message"]) == (422, "Invalid value: may not shrink")
    assert (await api.patch(f"{ruled_widgets}/one", {"spec": {"size": 6}})).status == 200


async def test_what_does_not_change_may_go_on_breaking_a_new_rule(api: Api, ruled_widgets: str) -> None:
    made = await api.created(ruled_widgets, of(ruled_widgets, size=5))
    definition = f"{DEFINITIONS}/widgets.{made['apiVersion'].partition('/')[0]}"
    current = (await api.get(definition)).body
    schema = current["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["properties"]["spec"]["x-kubernetes-validations"] = [{"rule": "self.size > 10"}]
    assert (await api.put(definition, current)).status == 200
    await refused_in_a_while(api, ruled_widgets)
    labelled = await api.patch(f"{ruled_widgets}/one", {"metadata": {"labels": {"a": "b"}}})
    assert labelled.status == 200
    assert (await api.patch(f"{ruled_widgets}/one", {"spec": {"colour": "green"}})).status == 422


async def refused_in_a_while(api: Api, path: str) -> None:
    """Return once the new rule is in force: a real server takes a moment."""
    for _ in range(600):
        if (await api.post(path, of(path, "other", size=8), dryRun="All")).status == 422:
            return
    pytest.fail("a changed rule is not in force")


@pytest.mark.parametrize(
    ("rule", "field", "reason"),
    [
        ({"rule": "self.size >"}, "rule", "FieldValueInvalid"),
        ({"rule": "foo(self)"}, "rule", "FieldValueInvalid"),
        ({"rule": ""}, "rule", "FieldValueRequired"),
        ({"rule": "self.size > 0", "reason": "Nope"}, "reason", "FieldValueNotSupported"),
        ({"rule": "self.size > 0", "fieldPath": ".nope"}, "fieldPath", "FieldValueInvalid"),
        ({"rule": "self.size > 0", "message": " "}, "message", "FieldValueInvalid"),
    ],
)
async def test_a_rule_that_is_none_is_refused(api: Api, rule: Json, field: str, reason: str) -> None:
    answer = await api.post(DEFINITIONS, ruled([rule]))
    assert (answer.status, answer.reason) == (422, "Invalid")
    (cause,) = answer.body["details"]["causes"]
    assert cause["field"].endswith(f"openAPIV3Schema.properties[spec].x-kubernetes-validations[0].{field}")
    assert cause["reason"] == reason


async def test_our_own_definitions_are_accepted(api: Api) -> None:
    for definition in crds():
        answer = await api.post(DEFINITIONS, definition, dryRun="All")
        assert answer.status in (201, 409), answer.body
