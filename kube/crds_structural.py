"""From a dataclass to a structural schema, the form that Kubernetes asks of a custom resource definition.

pydantic gives JSON Schema; a structural schema has no `$ref`, no `anyOf` with null (that is `nullable`), no title.
Defaults are left out as well: the server would write them into every object, and the readers have them anyhow. Lists
are atomic: a report has one writer, who writes it whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

Schema = dict[str, Any]

_KEPT = ("type", "format", "description", "required", "enum", "minimum", "maximum", "maxItems")


def structural_schema(kind: type[object]) -> Schema:
    """The schema of a dataclass. ValueError names a construct that Kubernetes cannot say."""
    schema = TypeAdapter(kind).json_schema()
    return _convert(schema, schema.get("$defs", {}), kind.__name__)


def _convert(schema: Mapping[str, Any], definitions: Mapping[str, Any], path: str) -> Schema:
    if "$ref" in schema:
        target = definitions[schema["$ref"].removeprefix("#/$defs/")]
        return _convert(
            {**target, **{key: schema[key] for key in ("description",) if key in schema}}, definitions, path
        )
    if "anyOf" in schema:
        return _nullable(schema, definitions, path)
    if "type" not in schema:
        raise ValueError(f"{path}: a structural schema needs a type, this field has {sorted(schema)}")
    converted: Schema = {key: schema[key] for key in _KEPT if key in schema}
    match schema["type"]:
        case "object":
            properties = schema.get("properties", {})
            converted["properties"] = {
                name: _convert(child, definitions, f"{path}.{name}") for name, child in properties.items()
            }
        case "array":
            converted["items"] = _convert(schema["items"], definitions, f"{path}[]")
            converted["x-kubernetes-list-type"] = "atomic"
        case "integer":
            converted.setdefault("format", "int64")
    return converted


def _nullable(schema: Mapping[str, Any], definitions: Mapping[str, Any], path: str) -> Schema:
    others = [choice for choice in schema["anyOf"] if choice != {"type": "null"}]
    if len(others) != 1:
        raise ValueError(f"{path}: a structural schema has one type a field, this one has {len(others)}")
    described = {"description": schema["description"]} if "description" in schema else {}
    return {**_convert(others[0], definitions, path), **described, "nullable": True}
