"""Finalizers and owner references in metadata: what is wrong with them.

Source: k8s.io/apimachinery pkg/api/validation/objectmeta.go. What they do when objects are deleted: `deleting`.
"""

from __future__ import annotations

from collections.abc import Iterator

from kube.embedded.constraints import json_text
from kube.embedded.kinds import DEFINITIONS, JsonObject, Kind
from kube.embedded.refusals import Cause, invalid

FOREGROUND, ORPHAN = "foregroundDeletion", "orphan"
"""The finalizers that Kubernetes itself sets: an owner waits for its dependents, or leaves them behind."""
_STANDARD = ("kubernetes", FOREGROUND, ORPHAN)


def finalizer_causes(kind: Kind, metadata: JsonObject) -> Iterator[Cause]:
    """What is wrong with the finalizers; those of built-in kinds have a domain in front."""
    finalizers = metadata.get("finalizers", ())
    for index, name in enumerate(finalizers):
        if not kind.custom and kind.resource != DEFINITIONS and name not in _STANDARD and "/" not in name:
            message = f"Invalid value: {json_text(name)}: name is neither a standard finalizer name nor is it fully "
            yield Cause(f"metadata.finalizers[{index}]", "FieldValueInvalid", message + "qualified")
    if FOREGROUND in finalizers and ORPHAN in finalizers:
        message = f"finalizer {ORPHAN} and {FOREGROUND} cannot be both set"
        yield Cause("metadata.finalizers", "FieldValueInvalid", f"Invalid value: {json_text(finalizers)}: {message}")


def owner_causes(metadata: JsonObject) -> Iterator[Cause]:
    """What is wrong with the owner references."""
    controllers = []
    for index, reference in enumerate(metadata.get("ownerReferences", ())):
        path = f"metadata.ownerReferences[{index}]"
        for field in ("apiVersion", "kind", "name", "uid"):
            if not reference.get(field):
                yield Cause(f"{path}.{field}", "FieldValueRequired", "Required value: must not be empty")
        if reference.get("apiVersion", "").count("/") > 1:
            message = f"Invalid value: {json_text(reference['apiVersion'])}: must be <group>/<version> or <version>"
            yield Cause(f"{path}.apiVersion", "FieldValueInvalid", message)
        if (reference.get("apiVersion"), reference.get("kind")) == ("v1", "Event"):
            message = f"Invalid value: {json_text(reference)}: /v1, Kind=Event is disallowed from being an owner"
            yield Cause(path, "FieldValueInvalid", message)
        if reference.get("controller"):
            controllers.append(f"{reference.get('kind')}/{reference.get('name')}")
    if len(controllers) > 1:
        found = f'Only one reference can have Controller set to true. Found "true" in references for {controllers[0]}'
        message = f"Invalid value: {json_text(metadata['ownerReferences'])}: {found} and {controllers[1]}"
        yield Cause("metadata.ownerReferences", "FieldValueInvalid", message)


def each_once(metadata: JsonObject) -> None:
    """Keep the first of owner references that say the same, and of finalizers."""
    for field in ("ownerReferences", "finalizers"):
        if isinstance(metadata.get(field), list):
            found = metadata[field]
            metadata[field] = [entry for index, entry in enumerate(found) if entry not in found[:index]]


def check_no_new_finalizers(kind: Kind, live: JsonObject, metadata: JsonObject) -> None:
    """Raises a 422 where an object that is being deleted would be held by more than before."""
    if "deletionTimestamp" not in live:
        return
    new = [name for name in metadata.get("finalizers", ()) if name not in live.get("finalizers", ())]
    if new:
        message = "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers "
        message += f"[]string{{{', '.join(map(json_text, new))}}}"
        raise invalid(kind, live["name"], [Cause("metadata.finalizers", "FieldValueForbidden", message)])
