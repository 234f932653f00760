"""JSON merge patch (RFC 7396) and JSON patch (RFC 6902)."""

from __future__ import annotations

import msgspec

from kube.embedded.kinds import JsonObject
from kube.embedded.refusals import StatusError, bad_request


def merge_patch(value: object, patch: object) -> object:
    """The value with the patch merged in: null removes, objects merge, everything else replaces."""
    if not isinstance(patch, dict):
        return patch
    merged: JsonObject = dict(value) if isinstance(value, dict) else {}
    for name, child in patch.items():
        if child is None:
            merged.pop(name, None)
        else:
            merged[name] = merge_patch(merged.get(name), child)
    return merged


def json_patch(value: object, operations: object) -> object:
    """The value after each operation in turn. Raises 400 for no list, 422 for one that cannot be done."""
    if not isinstance(operations, list) or not all(isinstance(operation, dict) for operation in operations):
        raise bad_request("a JSON patch is a list of operations")
    box = {"": _copy(value)}
    for operation in operations:
        try:
            _perform(box, operation)
        except (KeyError, IndexError, ValueError, TypeError) as error:
            message = f"the server rejected our request due to an error in our request: {operation}: {error}"
            raise StatusError(422, "Invalid", message) from error
    return box.get("")


def _perform(box: JsonObject, operation: JsonObject) -> None:
    kind, path = operation.get("op"), _steps(operation["path"])
    if kind == "add":
        _add(box, path, _copy(operation["value"]))
    elif kind == "remove":
        _take(box, path)
    elif kind == "replace":
        _take(box, path)
        _add(box, path, _copy(operation["value"]))
    elif kind == "move":
        _add(box, path, _take(box, _steps(operation["from"])))
    elif kind == "copy":
        _add(box, path, _copy(_find(box, _steps(operation["from"]))))
    elif kind == "test":
        if _find(box, path) != operation["value"]:
            raise ValueError(f"testing value {operation['path']} failed")
    else:
        raise ValueError(f"unknown operation {kind!r}")


def _steps(pointer: object) -> list[str]:
    """A JSON pointer as steps below a box whose field "" is the document."""
    if not isinstance(pointer, str) or (pointer and not pointer.startswith("/")):
        raise ValueError(f"{pointer!r} is not a JSON pointer")
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")]


def _find(box: object, steps: list[str]) -> object:
    for step in steps:
        box = box[_index(box, step)] if isinstance(box, list) else _field(box, step)
    return box


def _field(value: object, step: str) -> object:
    if not isinstance(value, dict):
        raise TypeError(f"{step!r} is looked for in a value that has no fields")
    return value[step]


def _add(box: JsonObject, steps: list[str], value: object) -> None:
    parent = _find(box, steps[:-1])
    if isinstance(parent, list):
        index = len(parent) if steps[-1] == "-" else _index(parent, steps[-1], 1)
        parent.insert(index, value)
    elif isinstance(parent, dict):
        parent[steps[-1]] = value
    else:
        raise TypeError(f"{steps[-1]!r} cannot be added to a value that has no fields")


def _take(box: JsonObject, steps: list[str]) -> object:
    parent = _find(box, steps[:-1])
    if isinstance(parent, list):
        return parent.pop(_index(parent, steps[-1]))
    if isinstance(parent, dict):
        return parent.pop(steps[-1])
    raise TypeError(f"{steps[-1]!r} cannot be removed from a value that has no fields")


def _index(items: list[object], step: str, beyond: int = 0) -> int:
    index = int(step)
    if not 0 <= index < len(items) + beyond:
        raise IndexError(f"index {step} is out of bounds")
    return index


def _copy(value: object) -> object:
    return msgspec.json.decode(msgspec.json.encode(value))
