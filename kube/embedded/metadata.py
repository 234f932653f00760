"""The metadata of an object: names, labels, and what the server alone writes."""

from __future__ import annotations

import random
import re
import uuid
from datetime import UTC, datetime

from kube.embedded.conform import Conformance, without_nulls
from kube.embedded.constraints import json_text
from kube.embedded.kinds import NAMESPACES, JsonObject, Kind
from kube.embedded.models import model_schema
from kube.embedded.references import each_once, finalizer_causes, owner_causes
from kube.embedded.refusals import Cause, bad_request, conflict, invalid, stale
from kube.embedded.requests import Target

_LABEL = r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?"
_DNS_LABEL = re.compile(_LABEL)
_DNS_NAME = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*")
_KEY_NAME = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_LABEL_VALUE = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
_ANNOTATIONS_LIMIT = 256 * 1024
_SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_DELETION = ("deletionTimestamp", "deletionGracePeriodSeconds")
_SERVER_FIELDS = ("uid", "creationTimestamp", "generation", "selfLink", *_DELETION)


def now_text() -> str:
    """The time as Kubernetes writes it: RFC 3339, UTC, whole seconds."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def check_type(kind: Kind, value: object) -> JsonObject:
    """The body as an object of this kind. Raises a 400 for anything else."""
    if not isinstance(value, dict):
        raise bad_request("the body of the request is not a JSON object")
    for field, expected in (("apiVersion", kind.api_version), ("kind", kind.kind)):
        found = value.setdefault(field, expected)
        if found != expected:
            raise bad_request(f"the {field} in the data ({found}) does not match the expected {field} ({expected})")
    if not isinstance(value.setdefault("metadata", {}), dict):
        raise bad_request("metadata is not a JSON object")
    return value


def place(target: Target, metadata: JsonObject) -> None:
    """Fill namespace and name from the path. Raises a 400 where the body says otherwise."""
    for field in ("name", "namespace", "generateName"):
        if not isinstance(metadata.get(field) or "", str):
            raise bad_request(f"metadata.{field} is not a string")
    if not target.kind.namespaced:
        metadata.pop("namespace", None)
    elif (metadata.get("namespace") or target.namespace) != target.namespace:
        sent = "the namespace of the provided object does not match the namespace sent on the request"
        raise bad_request(f"{sent}: {metadata['namespace']} is not {target.namespace}")
    else:
        metadata["namespace"] = target.namespace
    if target.name:
        if (metadata.get("name") or target.name) != target.name:
            name = metadata["name"]
            raise bad_request(f"the name of the object ({name}) does not match the name on the URL ({target.name})")
        metadata["name"] = target.name
    elif not metadata.get("name") and metadata.get("generateName"):
        suffix = "".join(random.choices(_SUFFIX_LETTERS, k=5))
        metadata["name"] = f"{metadata['generateName'][:58]}{suffix}"


def conformed(kind: Kind, metadata: JsonObject) -> tuple[JsonObject, list[str]]:
    """The metadata in its own form, and the paths of unknown fields. Raises a 422 that names every fault."""
    walk = Conformance()
    metadata = without_nulls(metadata)
    each_once(metadata)
    found = walk.visit(model_schema("V1ObjectMeta"), metadata, "metadata")
    metadata = found if isinstance(found, dict) else {}
    causes = walk.causes or [
        *_name_causes(kind, metadata),
        *_label_causes(metadata),
        *_annotation_causes(metadata),
        *_finalizer_causes(metadata),
        *finalizer_causes(kind, metadata),
        *owner_causes(metadata),
    ]
    name = str(metadata.get("name", ""))
    if causes:
        raise invalid(kind, name, causes)
    return metadata, walk.unknown


def stamp(kind: Kind, metadata: JsonObject) -> None:
    """What the server writes into a new object."""
    for field in (*_SERVER_FIELDS, "resourceVersion"):
        metadata.pop(field, None)
    metadata["uid"] = str(uuid.uuid4())
    metadata["creationTimestamp"] = now_text()
    if kind.counts_generations:
        metadata["generation"] = 1


def check_same(kind: Kind, live: JsonObject, metadata: JsonObject) -> None:
    """Raises where a patch means another revision (409) or another object of the same name (422)."""
    if metadata.get("resourceVersion", live["resourceVersion"]) != live["resourceVersion"]:
        raise stale(kind, live["name"])
    uid = metadata.get("uid", live["uid"])
    if uid != live["uid"]:
        message = f"Invalid value: {json_text(uid)}: field is immutable"
        raise invalid(kind, live["name"], [Cause("metadata.uid", "FieldValueInvalid", message)])


def carry(kind: Kind, live: JsonObject, metadata: JsonObject) -> None:
    """What the server keeps on an update. Raises a 409 where the request means another object or another revision."""
    name = live["name"]
    uid = metadata.get("uid")
    if uid and uid != live["uid"]:
        why = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {live['uid']}"
        raise conflict(kind, name, why)
    sent = metadata.get("resourceVersion")
    if sent and sent != live["resourceVersion"]:
        raise stale(kind, name)
    for field in (*_SERVER_FIELDS, "resourceVersion", "generateName"):
        if field in live:
            metadata[field] = live[field]
        else:
            metadata.pop(field, None)


def _name_causes(kind: Kind, metadata: JsonObject) -> list[Cause]:
    name = metadata.get("name")
    if not name:
        return [Cause("metadata.name", "FieldValueRequired", "Required value: name or generateName is required")]
    form, said = (_DNS_LABEL, "label") if kind.resource == NAMESPACES else (_DNS_NAME, "subdomain")
    if form.fullmatch(name):
        return []
    message = (
        f"Invalid value: {json_text(name)}: a lowercase RFC 1123 {said} must consist of lower case alphanumeric "
        "characters or '-', and must start and end with an alphanumeric character"
    )
    return [Cause("metadata.name", "FieldValueInvalid", message)]


def _label_causes(metadata: JsonObject) -> list[Cause]:
    causes = []
    for key, value in metadata.get("labels", {}).items():
        if not _is_key(key):
            causes.append(Cause("metadata.labels", "FieldValueInvalid", f"Invalid value: {json_text(key)}: not a key"))
        if not _LABEL_VALUE.fullmatch(value):
            message = f"Invalid value: {json_text(value)}: a valid label must be an empty string or consist of "
            message += "alphanumeric characters, '-', '_' or '.', at most 63"
            causes.append(Cause("metadata.labels", "FieldValueInvalid", message))
    return causes


def _annotation_causes(metadata: JsonObject) -> list[Cause]:
    annotations = metadata.get("annotations", {})
    causes = [
        Cause("metadata.annotations", "FieldValueInvalid", f"Invalid value: {json_text(key)}: not a key")
        for key in annotations
        if not _is_key(key.lower())
    ]
    if sum(len(key) + len(value) for key, value in annotations.items()) > _ANNOTATIONS_LIMIT:
        message = f"Too long: may not be more than {_ANNOTATIONS_LIMIT} bytes"
        causes.append(Cause("metadata.annotations", "FieldValueTooLong", message))
    return causes


def _finalizer_causes(metadata: JsonObject) -> list[Cause]:
    names = [name for name in metadata.get("finalizers", ()) if not _is_key(name)]
    said = "name part must consist of alphanumeric characters, '-', '_' or '.'"
    return [
        Cause("metadata.finalizers", "FieldValueInvalid", f"Invalid value: {json_text(name)}: {said}") for name in names
    ]


def _is_key(key: str) -> bool:
    prefix, slash, name = key.rpartition("/")
    return bool(_KEY_NAME.fullmatch(name)) and (not slash or bool(_DNS_NAME.fullmatch(prefix)))
