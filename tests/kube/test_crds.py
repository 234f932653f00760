"""The definitions are structural, say what our types say, and stand in `crds/` as they are generated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

import pytest
import yaml

from discovery import reports
from kube.crds import FOLDER, crd_files, crds
from kube.crds_structural import structural_schema

DEFINITIONS = {definition["spec"]["names"]["kind"]: definition for definition in crds()}


def version(kind: str) -> dict[str, Any]:
    found: dict[str, Any] = DEFINITIONS[kind]["spec"]["versions"][0]
    return found


def schema(kind: str) -> dict[str, Any]:
    found: dict[str, Any] = version(kind)["schema"]["openAPIV3Schema"]
    return found


def nodes_of(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("properties", {}).values():
        yield from nodes_of(child)
    for key in ("items", "additionalProperties"):
        if key in node:
            yield from nodes_of(node[key])


def test_the_files_are_what_is_generated() -> None:
    assert {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()} == crd_files()


def test_every_file_holds_one_definition() -> None:
    assert [yaml.safe_load(text) for text in crd_files().values()] == list(crds())


@pytest.mark.parametrize("kind", DEFINITIONS)
def test_schemas_are_structural(kind: str) -> None:
    for node in nodes_of(schema(kind)):
        if node.get("x-kubernetes-int-or-string"):
            continue
        assert node["type"] in ("object", "array", "string", "integer", "boolean")
        assert not {"$ref", "$defs", "title", "anyOf", "allOf", "oneOf"} & node.keys()
        assert ("items" in node) == (node["type"] == "array")
        assert not ("properties" in node and "additionalProperties" in node)
        assert set(node.get("required", ())) <= node.get("properties", {}).keys()


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("NodeReport", reports.NodeReport),
        ("SwitchReport", reports.SwitchReport),
        ("SweepReport", reports.SweepReport),
    ],
)
def test_a_report_has_exactly_the_fields_of_its_type(kind: str, spec: type[reports.NodeReport]) -> None:
    assert list(schema(kind)["properties"]["spec"]["properties"]) == [field.name for field in fields(spec)]
    assert "default" not in str(schema(kind))


def test_what_may_be_unknown_may_be_null_and_what_names_a_thing_is_required() -> None:
    port = schema("NodeReport")["properties"]["spec"]["properties"]["ports"]["items"]
    assert port["required"] == ["device", "port"]
    assert port["properties"]["portGuid"] == {"type": "string", "nullable": True}
    assert port["properties"]["port"]["format"] == "int64"
    assert port["properties"]["lastUp"]["format"] == "date-time"


def test_lists_in_reports_are_atomic_and_those_that_could_grow_are_bounded() -> None:
    for kind in ("NodeReport", "SwitchReport", "SweepReport"):
        lists = [node for node in nodes_of(schema(kind)["properties"]["spec"]) if node["type"] == "array"]
        assert all(node["x-kubernetes-list-type"] == "atomic" for node in lists)
    sweep = schema("SweepReport")["properties"]["spec"]["properties"]
    assert (sweep["missing"]["maxItems"], sweep["reasons"]["maxItems"]) == (500, 20)


def test_hyper_nodes_print_their_tier_name_count_health_and_age() -> None:
    names = [column["name"] for column in version("HyperNode")["additionalPrinterColumns"]]
    assert names == ["Tier", "TierName", "NodeCount", "Ready", "Age"]
    assert DEFINITIONS["HyperNode"]["spec"]["names"]["shortNames"] == ["hn"]
    assert DEFINITIONS["HyperNode"]["spec"]["scope"] == "Cluster"


def test_hyper_nodes_are_refused_as_volcano_refuses_them() -> None:
    spec = schema("HyperNode")["properties"]["spec"]
    assert spec["required"] == ["tier"]
    assert spec["properties"]["members"]["minItems"] == 1
    member = spec["properties"]["members"]["items"]
    assert member["required"] == ["type"]
    assert member["properties"]["type"]["enum"] == ["Node", "HyperNode"]
    assert len(member["properties"]["selector"]["x-kubernetes-validations"]) == 2


def test_a_status_has_its_own_door_where_it_has_its_own_writer() -> None:
    with_status = {kind for kind in DEFINITIONS if "subresources" in version(kind)}
    assert with_status == {"HyperNode", "NodeReport"}


def test_definitions_come_without_cel_for_a_server_that_has_none() -> None:
    assert "x-kubernetes-validations" in str(crds())
    without = crds(cel=False)
    assert "x-kubernetes-validations" not in str(without)
    assert [definition["metadata"]["name"] for definition in without] == [
        definition["metadata"]["name"] for definition in crds()
    ]


def test_a_field_that_kubernetes_cannot_say_is_refused_by_name() -> None:
    @dataclass(frozen=True)
    class Odd:
        when: datetime | int

    with pytest.raises(ValueError, match=r"Odd\.when.*one type"):
        structural_schema(Odd)
