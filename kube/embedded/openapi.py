"""The OpenAPI v3 documents: what `kubectl apply` looks at before it patches, and what `kubectl explain` prints.

One document per group and version. The PATCH of a kind states the query parameter fieldValidation, by which kubectl
knows that the server itself checks for unknown fields.
"""

from __future__ import annotations

import hashlib

import msgspec

from kube.embedded.discovery import VERSION
from kube.embedded.kinds import Catalogue, JsonObject, Kind
from kube.embedded.models import model_schema, schema_of

_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_PATCHES = ("application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml")
_STRATEGIC = "application/strategic-merge-patch+json"
_FIELD_VALIDATION = {
    "name": "fieldValidation",
    "in": "query",
    "description": "What is done about unknown fields: Ignore, Warn or Strict.",
    "schema": {"type": "string", "uniqueItems": True},
}


def index(catalogue: Catalogue) -> JsonObject:
    """The answer of /openapi/v3. The hash changes with the document, so that clients may keep it."""
    paths = {}
    for group, version in catalogue.group_versions():
        path = f"apis/{group}/{version}" if group else f"api/{version}"
        content = msgspec.json.encode(document(catalogue, group, version))
        digest = hashlib.sha256(content).hexdigest()[:32].upper()
        paths[path] = {"serverRelativeURL": f"/openapi/v3/{path}?hash={digest}"}
    return {"paths": paths}


def document(catalogue: Catalogue, group: str, version: str) -> JsonObject | None:
    """The document of one group and version, or None."""
    kinds = catalogue.of(group, version)
    if not kinds:
        return None
    schemas: JsonObject = {_META: model_schema("V1ObjectMeta")}
    paths: JsonObject = {}
    for kind in kinds:
        schemas[_schema_name(kind)] = _schema(kind)
        paths |= _paths(kind)
    info = {"title": "hyperscout embedded API server", "version": VERSION}
    return {"openapi": "3.0.0", "info": info, "paths": paths, "components": {"schemas": schemas}}


def _schema_name(kind: Kind) -> str:
    reverse = ".".join(reversed((kind.resource.group or "core.api.k8s.io").split(".")))
    return f"{reverse}.{kind.version}.{kind.kind}"


def _schema(kind: Kind) -> JsonObject:
    schema = schema_of(kind)
    metadata = {"$ref": f"#/components/schemas/{_META}"}
    own = {
        "apiVersion": {"type": "string", "description": "The version of the schema of this object."},
        "kind": {"type": "string", "description": "The kind of this object."},
        "metadata": {"description": "Standard object's metadata.", "allOf": [metadata]},
    }
    properties = schema.get("properties", {}) | own
    return schema | {"properties": properties, "x-kubernetes-group-version-kind": [_named(kind)]}


def _named(kind: Kind) -> JsonObject:
    return {"group": kind.resource.group, "version": kind.version, "kind": kind.kind}


def _paths(kind: Kind) -> JsonObject:
    root = f"/apis/{kind.resource.group}/{kind.version}" if kind.resource.group else f"/api/{kind.version}"
    root += "/namespaces/{namespace}" if kind.namespaced else ""
    collection, item = f"{root}/{kind.resource.plural}", f"{root}/{kind.resource.plural}/{{name}}"
    patches = _PATCHES if kind.custom else (*_PATCHES, _STRATEGIC)
    patch = _operation(kind, "patch", patches) | {"parameters": [_FIELD_VALIDATION]}
    return {
        collection: {"get": _operation(kind, "list"), "post": _operation(kind, "post", ("application/json",))},
        item: {
            "get": _operation(kind, "get"),
            "put": _operation(kind, "put", ("application/json",)),
            "patch": patch,
            "delete": _operation(kind, "delete"),
        },
    }


def _operation(kind: Kind, action: str, accepts: tuple[str, ...] = ()) -> JsonObject:
    reference = {"schema": {"$ref": f"#/components/schemas/{_schema_name(kind)}"}}
    operation: JsonObject = {
        "responses": {"200": {"description": "OK", "content": {"application/json": reference}}},
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": _named(kind),
    }
    if accepts:
        operation["requestBody"] = {"content": dict.fromkeys(accepts, reference)}
    return operation
