"""One object brought into the form of its schema: unknown fields dropped, defaults filled in, rules checked.

Schemas are structural schemas (apiextensions.k8s.io/v1), as plain JSON. The rules of single values: `constraints`.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from kube.embedded.constraints import broken_rules, type_mismatch
from kube.embedded.kinds import JsonObject
from kube.embedded.models import model_schema
from kube.embedded.refusals import Cause, bad_request

_ROOT_FIELDS = {"apiVersion", "kind", "metadata"}


class Conformance:
    """What one walk over an object finds: `unknown` field paths and `causes` for a refusal."""

    def __init__(self) -> None:
        self.unknown: list[str] = []
        self.causes: list[Cause] = []

    def root(self, schema: JsonObject, value: JsonObject) -> JsonObject:
        """The object in the form of its schema. `metadata` is left alone: it has a schema of its own."""
        kept = {name: value[name] for name in value if name in _ROOT_FIELDS}
        properties = {k: v for k, v in schema.get("properties", {}).items() if k not in _ROOT_FIELDS}
        required = [name for name in schema.get("required", ()) if name not in _ROOT_FIELDS]
        own = schema | {"properties": properties, "required": required}
        rest = self.visit(own, {k: v for k, v in value.items() if k not in _ROOT_FIELDS}, "")
        return kept | rest if isinstance(rest, dict) else kept

    def visit(self, schema: JsonObject, value: object, path: str) -> object:
        """A value below the root; answers what is kept of it."""
        if value is None and schema.get("nullable"):
            return None
        if mismatch := type_mismatch(schema, value):
            self.causes.append(Cause(path or "<root>", "FieldValueTypeInvalid", mismatch))
            return value
        if isinstance(value, dict):
            value = self._visit_object(schema, value, path)
        elif isinstance(value, list):
            items = schema.get("items", {})
            value = [self.visit(items, item, f"{path}[{index}]") for index, item in enumerate(value)]
        for broken in broken_rules(schema, value):
            self.causes.append(Cause((path or "<root>") + broken.below, broken.reason, broken.message))
        return value

    def _visit_object(self, schema: JsonObject, value: JsonObject, path: str) -> JsonObject:
        properties: JsonObject = schema.get("properties", {})
        additional = schema.get("additionalProperties")
        open_ended = schema.get("x-kubernetes-preserve-unknown-fields") or additional is True
        kept: JsonObject = {}
        for name, child in value.items():
            inner = f"{path}.{name}" if path else name
            if name in properties:
                if child is None and "default" in properties[name] and not properties[name].get("nullable"):
                    continue
                kept[name] = self.visit(properties[name], child, inner)
            elif isinstance(additional, dict):
                kept[name] = self.visit(additional, child, inner)
            elif open_ended or not (properties or schema.get("type") == "object"):
                kept[name] = child
            else:
                self.unknown.append(inner)
        for name, child_schema in properties.items():
            if name not in kept and "default" in child_schema:
                kept[name] = self.visit(child_schema, _copy(child_schema["default"]), f"{path}.{name}".lstrip("."))
        self._require(schema.get("required", ()), kept, path)
        return kept

    def _require(self, names: Iterable[str], value: JsonObject, path: str) -> None:
        for name in names:
            if name not in value:
                field = f"{path}.{name}" if path else name
                self.causes.append(Cause(field, "FieldValueRequired", "Required value"))


def conforming(model: str, body: object) -> JsonObject:
    """A body as one of the official client's models (`V1Binding`). Raises a 400 that names what does not fit."""
    walk = Conformance()
    value = walk.visit(model_schema(model), without_nulls(body) if isinstance(body, dict) else body, "")
    if walk.causes or not isinstance(value, dict):
        faults = "; ".join(f"{cause.field}: {cause.message}" for cause in walk.causes)
        raise bad_request(f"the body of the request is no {model.removeprefix('V1')}: {faults}")
    return value


def without_nulls(value: JsonObject) -> JsonObject:
    """A null says nothing in a built-in kind: as if the field were absent."""
    return {
        name: without_nulls(child) if isinstance(child, dict) else _items_without_nulls(child)
        for name, child in value.items()
        if child is not None
    }


def _items_without_nulls(value: object) -> object:
    if not isinstance(value, list):
        return value
    return [without_nulls(item) if isinstance(item, dict) else item for item in value]


def _copy(value: object) -> object:
    return msgspec.json.decode(msgspec.json.encode(value))
