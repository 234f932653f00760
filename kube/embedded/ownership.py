"""Who owns which field: field sets as server-side apply counts them, and their form in metadata.managedFields.

A path is a tuple of steps in the notation of fieldsV1: `f:name` a field, `k:{...}` an item of a list by its keys,
`v:...` an item of a set. The set of an object holds its leaves, and each item of a keyed list itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec

from kube.embedded.kinds import JsonObject

Path = tuple[str, ...]
Leaves = dict[Path, object]
"""The leaves of an object with their values; an item of a keyed list itself has the value `ITEM`."""

ITEM = "an item of a keyed list"
_DEFAULT_KEYS = {"protocol": "TCP"}


@dataclass(frozen=True, slots=True)
class Manager:
    """One entry of metadata.managedFields without its fields: who wrote, how, and through which subresource."""

    name: str
    operation: str
    subresource: str = ""


Owners = dict[Manager, frozenset[Path]]


def leaves_of(schema: JsonObject, value: object, path: Path = ()) -> Leaves:
    """Every owned path of a value, as its schema cuts it; without a schema maps are cut and lists are not."""
    if isinstance(value, dict) and schema.get("x-kubernetes-map-type") != "atomic":
        leaves: Leaves = {}
        for name, child in value.items():
            leaves |= leaves_of(child_schema(schema, name), child, (*path, f"f:{name}"))
        return leaves or {path: value}
    if isinstance(value, list) and schema.get("x-kubernetes-list-type") in ("map", "set"):
        leaves = {}
        for item in value:
            inner = (*path, item_step(schema, item))
            leaves[inner] = ITEM
            if isinstance(item, dict) and schema["x-kubernetes-list-type"] == "map":
                leaves |= {p: v for p, v in leaves_of(schema.get("items", {}), item, inner).items() if p != inner}
        return leaves or {path: value}
    return {path: value}


def child_schema(schema: JsonObject, name: str) -> JsonObject:
    """The schema of a field, empty where none is stated."""
    found = schema.get("properties", {}).get(name)
    if found is None:
        found = schema.get("additionalProperties")
    return found if isinstance(found, dict) else {}


def item_step(schema: JsonObject, item: object) -> str:
    """The step to one item of a keyed list or a set."""
    keys = schema.get("x-kubernetes-list-map-keys", ())
    if schema.get("x-kubernetes-list-type") == "map" and isinstance(item, dict):
        identity = {key: item.get(key, _DEFAULT_KEYS.get(key)) for key in sorted(keys)}
        return f"k:{msgspec.json.encode(identity).decode()}"
    return f"v:{msgspec.json.encode(item).decode()}"


def text_of(path: Path) -> str:
    """A path as messages name it: `.spec.containers[name="a"].image`."""
    text = ""
    for step in path:
        kind, rest = step[:2], step[2:]
        if kind == "f:":
            text += f".{rest}"
        elif kind == "k:":
            keys = msgspec.json.decode(rest)
            text += "[" + ",".join(f"{key}={msgspec.json.encode(value).decode()}" for key, value in keys.items()) + "]"
        else:
            text += f"[={rest}]"
    return text


def read_owners(metadata: Mapping[str, object]) -> tuple[Owners, dict[Manager, str]]:
    """The owners written in metadata.managedFields, and when each last changed its set."""
    owners: Owners = {}
    times: dict[Manager, str] = {}
    entries = metadata.get("managedFields")
    for entry in entries if isinstance(entries, list) else ():
        manager = Manager(entry.get("manager", ""), entry.get("operation", ""), entry.get("subresource", ""))
        owners[manager] = frozenset(_read_set(entry.get("fieldsV1", {})))
        times[manager] = entry.get("time", "")
    return owners, times


def write_owners(api_version: str, owners: Owners, times: Mapping[Manager, str]) -> list[JsonObject]:
    """The owners as metadata.managedFields; a manager without fields is left out."""
    entries = []
    for manager, paths in owners.items():
        if not paths:
            continue
        entry: JsonObject = {
            "manager": manager.name,
            "operation": manager.operation,
            "apiVersion": api_version,
            "time": times[manager],
            "fieldsType": "FieldsV1",
            "fieldsV1": _written_set(paths),
        }
        if manager.subresource:
            entry["subresource"] = manager.subresource
        entries.append(entry)
    return entries


def record_update(owners: Owners, manager: Manager, before: Leaves, after: Leaves) -> Owners:
    """The owners after a plain write: who changes a field owns it alone, and nobody owns what is gone."""
    changed = frozenset(path for path, value in after.items() if path not in before or before[path] != value)
    gone = before.keys() - after.keys()
    result = {other: paths - changed - gone for other, paths in owners.items()}
    result[manager] = (result.get(manager, frozenset()) | changed) & after.keys()
    return result


def _read_set(node: JsonObject, path: Path = ()) -> Iterable[Path]:
    if not node and path:
        yield path
    for step, child in node.items():
        if step == ".":
            yield path
        else:
            yield from _read_set(child, (*path, step))


def _written_set(paths: Iterable[Path]) -> JsonObject:
    root: JsonObject = {}
    ordered = sorted(paths)
    prefixes = {path[:length] for path in ordered for length in range(1, len(path))}
    for path in ordered:
        node = root
        for step in path:
            node = node.setdefault(step, {})
        if path in prefixes:
            node["."] = {}
    return root
