"""Custom resource definitions: checked, given their conditions, and read as a `Kind`.

What this server does not have is refused by name: conversion between served versions, references, every schema keyword
that it would not enforce, and the CEL rules that `rules` does not understand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kube.embedded.conform import Conformance
from kube.embedded.constraints import pattern
from kube.embedded.jsonpath import check_path
from kube.embedded.kinds import Column, JsonObject, Kind, Resource
from kube.embedded.refusals import Cause, invalid
from kube.embedded.rules import VALIDATIONS, rule_causes

_OPEN: JsonObject = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_COUNT: JsonObject = {"type": "integer", "minimum": 0}
_TEXT, _FLAG, _NUMBER, _ANY = ({"type": "string"}, {"type": "boolean"}, {"type": "number"}, dict[str, object]())
_CHILD = ("items", "additionalProperties", "not")
_CHILDREN = ("allOf", "anyOf", "oneOf")
_RULE: JsonObject = {
    **dict.fromkeys(("rule", "message", "messageExpression", "reason", "fieldPath"), _TEXT),
    "optionalOldSelf": _FLAG,
}
_KEYWORDS: JsonObject = {
    **dict.fromkeys(("format", "description", "title", "pattern"), _TEXT),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _COUNT),
    **dict.fromkeys(("minimum", "maximum"), _NUMBER),
    **dict.fromkeys(("nullable", "exclusiveMinimum", "exclusiveMaximum", "uniqueItems"), _FLAG),
    **dict.fromkeys(("default", "example", "externalDocs", "additionalProperties"), _ANY),
    **dict.fromkeys(("items", "not"), _OPEN),
    **{keyword: {"type": "array", "items": _OPEN} for keyword in _CHILDREN},
    **{keyword: {"type": "array", "items": _TEXT} for keyword in ("required", "x-kubernetes-list-map-keys")},
    "type": {"type": "string", "enum": ["object", "array", "string", "boolean", "integer", "number"]},
    "multipleOf": _NUMBER | {"minimum": 0, "exclusiveMinimum": True},
    "enum": {"type": "array", "items": _ANY},
    VALIDATIONS: {"type": "array", "items": {"type": "object", "properties": _RULE}},
    "properties": {"type": "object", "additionalProperties": _OPEN},
    "x-kubernetes-preserve-unknown-fields": _FLAG,
    "x-kubernetes-embedded-resource": _FLAG,
    "x-kubernetes-int-or-string": _FLAG,
    "x-kubernetes-list-type": {"type": "string", "enum": ["atomic", "set", "map"]},
    "x-kubernetes-map-type": {"type": "string", "enum": ["atomic", "granular"]},
}
"""What a schema may say, itself as a schema; everything else would not be enforced here."""
_AGE = Column("Age", "date", ".metadata.creationTimestamp")


def defined_kind(definition: JsonObject) -> Kind:
    """The kind that an accepted definition brings."""
    spec = definition["spec"]
    names = spec["names"]
    version = _served(spec)[0]
    return Kind(
        resource=Resource(spec["group"], names["plural"]),
        version=version["name"],
        kind=names["kind"],
        singular=names.get("singular") or names["kind"].lower(),
        namespaced=spec["scope"] == "Namespaced",
        short_names=tuple(names.get("shortNames", ())),
        categories=tuple(names.get("categories", ())),
        subresources=("status",) if "status" in version.get("subresources", {}) else (),
        counts_generations=True,
        schema=version["schema"]["openAPIV3Schema"],
        columns=_columns(version),
        selectable=tuple(field["jsonPath"].lstrip(".") for field in version.get("selectableFields", ())),
    )


def accepted(kind: Kind, definition: JsonObject, now: str) -> None:
    """Check a definition and write its names and conditions. `kind` is that of definitions themselves. Raises a 422."""
    name = definition["metadata"]["name"]
    causes = [*_name_causes(name, definition["spec"]), *_version_causes(definition["spec"])]
    if causes:
        raise invalid(kind, name, causes)
    names = definition["spec"]["names"]
    names.setdefault("singular", names["kind"].lower())
    names.setdefault("listKind", f"{names['kind']}List")
    definition["spec"].setdefault("conversion", {"strategy": "None"})
    old = {condition.get("type"): condition for condition in definition.get("status", {}).get("conditions", ())}
    fresh = (
        _condition("NamesAccepted", "NoConflicts", "no conflicts found", now),
        _condition("Established", "InitialNamesAccepted", "the initial names have been accepted", now),
    )
    definition["status"] = {
        "acceptedNames": dict(names),
        "conditions": [old.get(condition["type"], condition) for condition in fresh],
        "storedVersions": [_served(definition["spec"])[0]["name"]],
    }


def check_names_free(kind: Kind, definition: JsonObject, taken: Iterator[Kind]) -> None:
    """Raises a 422 where another kind of the group has one of the names."""
    new = defined_kind(definition)
    for other in taken:
        if other.resource.group == new.resource.group and other.resource != new.resource and other.kind == new.kind:
            message = f"Invalid value: {new.kind}: the kind is already served as {other.resource}"
            cause = Cause("spec.names.kind", "FieldValueInvalid", message)
            raise invalid(kind, definition["metadata"]["name"], [cause])


def _condition(kind: str, reason: str, message: str, now: str) -> JsonObject:
    return {"type": kind, "status": "True", "reason": reason, "message": message, "lastTransitionTime": now}


def _served(spec: JsonObject) -> list[JsonObject]:
    return [version for version in spec.get("versions", ()) if version.get("served")]


def _columns(version: JsonObject) -> tuple[Column, ...]:
    written = version.get("additionalPrinterColumns")
    if not written:
        return (_AGE,)
    return tuple(
        Column(
            column["name"],
            column["type"],
            column["jsonPath"],
            column.get("priority", 0),
            column.get("format", ""),
            column.get("description", ""),
        )
        for column in written
    )


def _name_causes(name: str, spec: JsonObject) -> Iterator[Cause]:
    names = spec.get("names", {})
    expected = f"{names.get('plural')}.{spec.get('group')}"
    if name != expected:
        message = f'Invalid value: {name!r}: must be spec.names.plural+"."+spec.group ({expected})'
        yield Cause("metadata.name", "FieldValueInvalid", message)
    if spec.get("scope") not in ("Namespaced", "Cluster"):
        message = f"Unsupported value: {spec.get('scope')!r}: supported values: Cluster, Namespaced"
        yield Cause("spec.scope", "FieldValueNotSupported", message)
    if (spec.get("conversion") or {}).get("strategy", "None") != "None":
        message = "Forbidden: the embedded API server has no conversion webhooks; serve one version"
        yield Cause("spec.conversion", "FieldValueForbidden", message)


def _version_causes(spec: JsonObject) -> Iterator[Cause]:
    served = _served(spec)
    if len(served) != 1 or not served[0].get("storage"):
        message = "Forbidden: the embedded API server serves one version of a kind, the stored one; serve it alone"
        yield Cause("spec.versions", "FieldValueForbidden", message)
        return
    schema = (served[0].get("schema") or {}).get("openAPIV3Schema")
    path = "spec.versions[0].schema.openAPIV3Schema"
    if not isinstance(schema, dict):
        yield Cause(path, "FieldValueRequired", "Required value: schemas are required")
        return
    for column in served[0].get("additionalPrinterColumns") or ():
        try:
            check_path(column["jsonPath"])
        except ValueError as error:
            yield Cause("spec.versions[0].additionalPrinterColumns", "FieldValueInvalid", f"Invalid value: {error}")
    if "scale" in (served[0].get("subresources") or {}):
        message = "Forbidden: the embedded API server has no scale subresource; leave it out"
        yield Cause("spec.versions[0].subresources.scale", "FieldValueForbidden", message)
    yield from _schema_causes(schema, path)


def _schema_causes(schema: object, path: str) -> Iterator[Cause]:
    walk = Conformance()
    walk.visit({"type": "object", "properties": _KEYWORDS}, schema, path)
    yield from walk.causes
    for unknown in walk.unknown:
        message = "Forbidden: the embedded API server does not enforce this keyword"
        yield Cause(unknown, "FieldValueForbidden", message)
    if walk.causes or not isinstance(schema, dict):
        return
    try:
        pattern(schema.get("pattern", ""))
    except re.error as error:
        message = f"Invalid value: {schema['pattern']!r}: must be a valid regular expression: {error}"
        yield Cause(f"{path}.pattern", "FieldValueInvalid", message)
    yield from rule_causes(schema, path)
    for where, child in _children(schema):
        yield from _schema_causes(child, f"{path}.{where}")


def _children(schema: JsonObject) -> Iterator[tuple[str, object]]:
    for name, child in schema.get("properties", {}).items():
        yield f"properties[{name}]", child
    for keyword in _CHILD:
        if keyword in schema and not isinstance(schema[keyword], bool):
            yield keyword, schema[keyword]
    for keyword in _CHILDREN:
        for index, child in enumerate(schema.get(keyword, ())):
            yield f"{keyword}[{index}]", child
