"""Schemas of the built-in kinds, read from the official client's models.

The models state every field's name, type, description and whether it is required. How lists are merged they do not say:
that is `LISTS`, from the comments and tags of k8s.io/api (core/v1 types).
"""

from __future__ import annotations

import datetime
import re
import types
import typing
from dataclasses import dataclass
from functools import cache

from kubernetes.client import models
from pydantic import BaseModel

from kube.embedded.kinds import JsonObject, Kind


@dataclass(frozen=True, slots=True)
class ListRule:
    """How a list of a built-in kind is merged.

    `patch_key` is the key of strategic merge patch ("" joins plain values), None where that patch replaces the list.
    `keys` are those of server-side apply; empty for a set.
    """

    patch_key: str | None
    keys: tuple[str, ...]


_BY_NAME, _BY_TYPE, _BY_IP = (ListRule(key, (key,)) for key in ("name", "type", "ip"))
_SET = ListRule("", ())
LISTS: dict[tuple[str, str], ListRule] = {
    ("V1ObjectMeta", "finalizers"): _SET,
    ("V1ObjectMeta", "ownerReferences"): ListRule("uid", ("uid",)),
    ("V1Container", "ports"): ListRule("containerPort", ("containerPort", "protocol")),
    ("V1Container", "env"): _BY_NAME,
    ("V1Container", "volumeMounts"): ListRule("mountPath", ("mountPath",)),
    ("V1Container", "volumeDevices"): ListRule("devicePath", ("devicePath",)),
    ("V1ResourceRequirements", "claims"): ListRule(None, ("name",)),
    ("V1PodSpec", "containers"): _BY_NAME,
    ("V1PodSpec", "initContainers"): _BY_NAME,
    ("V1PodSpec", "ephemeralContainers"): _BY_NAME,
    ("V1PodSpec", "volumes"): _BY_NAME,
    ("V1PodSpec", "imagePullSecrets"): _BY_NAME,
    ("V1PodSpec", "hostAliases"): _BY_IP,
    ("V1PodSpec", "resourceClaims"): _BY_NAME,
    ("V1PodSpec", "schedulingGates"): _BY_NAME,
    ("V1PodSpec", "topologySpreadConstraints"): ListRule("topologyKey", ("topologyKey", "whenUnsatisfiable")),
    ("V1PodStatus", "conditions"): _BY_TYPE,
    ("V1PodStatus", "podIPs"): _BY_IP,
    ("V1PodStatus", "hostIPs"): ListRule("ip", ()),
    ("V1NodeSpec", "podCIDRs"): _SET,
    ("V1NodeStatus", "conditions"): _BY_TYPE,
    ("V1NodeStatus", "addresses"): _BY_TYPE,
    ("V1NamespaceStatus", "conditions"): _BY_TYPE,
    ("V1CustomResourceDefinitionStatus", "conditions"): ListRule(None, ("type",)),
}
ATOMIC = {"V1LabelSelector", "V1NodeSelector", "V1NodeSelectorTerm", "V1ObjectReference", "V1ObjectFieldSelector",
          "V1ResourceFieldSelector", "V1ConfigMapKeySelector", "V1SecretKeySelector", "V1LocalObjectReference",
          "CoreV1EventSource"}  # fmt: skip
_ATOMIC_MAPS = {("V1PodSpec", "nodeSelector")}
_QUANTITIES = {"limits", "requests", "capacity", "allocatable", "overhead"}
"""Maps whose values may be numbers too; `strategies` makes texts of them."""
_ALSO_REQUIRED = {"V1Pod": ["spec"], "V1Container": ["image"]}
_NEVER_EMPTY = {"V1PodSpec": ["containers"]}
"""What the server demands beyond the models."""
_OPEN = {"V1JSONSchemaProps"}
"""Recursive, and checked by `definitions` instead."""

_SCALARS: dict[object, JsonObject] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    bytes: {"type": "string", "format": "byte"},
    datetime.datetime: {"type": "string", "format": "date-time"},
}


def schema_of(kind: Kind) -> JsonObject:
    """The structural schema of a kind, built-in or custom."""
    return kind.schema if kind.custom else model_schema(kind.model)


@cache
def model_schema(name: str) -> JsonObject:
    """The schema of one model of the official client, by its class name (`V1Pod`)."""
    model: type[BaseModel] = getattr(models, name)
    if name in _OPEN:
        return {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    properties: JsonObject = {}
    for field, info in model.model_fields.items():
        wire = info.serialization_alias or info.alias or field
        schema = dict(_annotation(info.annotation))
        if info.description:
            schema["description"] = info.description
        if wire in _QUANTITIES:
            schema["additionalProperties"] = {"description": "a quantity"}
        if wire == "status":
            schema = _lenient(schema)
        properties[wire] = schema | _merging(name, wire)
    required = [info.serialization_alias or field for field, info in model.model_fields.items() if info.is_required()]
    required += _ALSO_REQUIRED.get(name, ())
    for field in _NEVER_EMPTY.get(name, ()):
        properties[field] |= {"minItems": 1}
    schema = {"type": "object", "description": _first_lines(model), "properties": properties}
    if required:
        schema["required"] = required
    if name in ATOMIC:
        schema["x-kubernetes-map-type"] = "atomic"
    return schema


def _lenient(schema: JsonObject) -> JsonObject:
    """The schema with nothing required: any part of a status is taken, for Go's zero values stand for the rest."""
    lenient = {keyword: value for keyword, value in schema.items() if keyword != "required"}
    if "properties" in lenient:
        lenient["properties"] = {name: _lenient(child) for name, child in lenient["properties"].items()}
    for keyword in ("items", "additionalProperties"):
        if isinstance(lenient.get(keyword), dict):
            lenient[keyword] = _lenient(lenient[keyword])
    return lenient


def _annotation(annotation: object) -> JsonObject:
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _annotation(arguments[0])
    if origin in (typing.Union, types.UnionType):
        choices = [choice for choice in arguments if choice is not type(None)]
        return _annotation(choices[0]) if len(choices) == 1 else {"x-kubernetes-int-or-string": True}
    if origin is list:
        return {"type": "array", "items": _annotation(arguments[0])}
    if origin is dict:
        values = _annotation(arguments[1])
        unknown = {"x-kubernetes-preserve-unknown-fields": True}
        return {"type": "object", "additionalProperties": values} if "type" in values else {"type": "object"} | unknown
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return model_schema(annotation.__name__)
    return _SCALARS.get(annotation, {"x-kubernetes-preserve-unknown-fields": True})


def _merging(model: str, field: str) -> JsonObject:
    if (model, field) in _ATOMIC_MAPS:
        return {"x-kubernetes-map-type": "atomic"}
    rule = LISTS.get((model, field))
    if rule is None:
        return {}
    keys: JsonObject = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(rule.keys)}
    merging = keys if rule.keys else {"x-kubernetes-list-type": "set" if rule is _SET else "atomic"}
    if rule.patch_key is not None:
        merging["x-kubernetes-patch-strategy"] = "merge"
    if rule.patch_key:
        merging["x-kubernetes-patch-merge-key"] = rule.patch_key
    return merging


def _first_lines(model: type[BaseModel]) -> str:
    text = re.split(r"\n\s*Attributes:", model.__doc__ or "")[0]
    return " ".join(text.split())
