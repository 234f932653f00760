"""Strategic merge patch: a merge patch that joins lists by key, as kubectl sends it for built-in kinds.

How a list is merged stands in its schema (`x-kubernetes-patch-merge-key`, `x-kubernetes-patch-strategy`). Directives:
`$patch: replace|delete|merge`, `$deleteFromPrimitiveList/NAME`, `$setElementOrder/NAME`, `$retainKeys`.
"""

from __future__ import annotations

from kube.embedded.kinds import JsonObject
from kube.embedded.ownership import child_schema
from kube.embedded.refusals import bad_request

_DELETE_FROM = "$deleteFromPrimitiveList/"
_ORDER = "$setElementOrder/"


def strategic_patch(schema: JsonObject, value: JsonObject, patch: JsonObject) -> JsonObject:
    """The value with the patch merged in. Raises a 400 for a directive that is not understood."""
    directive = patch.get("$patch", "merge")
    if directive == "replace":
        return {name: child for name, child in patch.items() if not name.startswith("$")}
    if directive == "delete":
        return {}
    if directive != "merge":
        raise bad_request(f"unknown strategic merge patch directive $patch: {directive}")
    merged = dict(value)
    for name, child in patch.items():
        if not name.startswith("$"):
            _merge_field(schema, merged, name, child)
    for name, child in patch.items():
        if name.startswith(_DELETE_FROM):
            field = name.removeprefix(_DELETE_FROM)
            merged[field] = [item for item in merged.get(field, ()) if item not in child]
        elif name.startswith(_ORDER):
            field = name.removeprefix(_ORDER)
            merged[field] = _ordered(child_schema(schema, field), merged.get(field, []), child)
    if "$retainKeys" in patch:
        return {name: child for name, child in merged.items() if name in patch["$retainKeys"]}
    return merged


def _merge_field(schema: JsonObject, merged: JsonObject, name: str, child: object) -> None:
    inner = child_schema(schema, name)
    if child is None:
        merged.pop(name, None)
    elif isinstance(child, dict):
        before = merged.get(name)
        merged[name] = strategic_patch(inner, before if isinstance(before, dict) else {}, child)
        if child.get("$patch") == "delete":
            del merged[name]
    elif isinstance(child, list) and inner.get("x-kubernetes-patch-strategy") == "merge":
        merged[name] = _merge_list(inner, merged.get(name, []), child)
    else:
        merged[name] = child


def _merge_list(schema: JsonObject, items: list[object], patch: list[object]) -> list[object]:
    key = schema.get("x-kubernetes-patch-merge-key")
    if key is None:
        return [*items, *(item for item in patch if item not in items)]
    if any(isinstance(item, dict) and item.get("$patch") == "replace" for item in patch):
        return [item for item in patch if isinstance(item, dict) and "$patch" not in item]
    merged = list(items)
    for change in patch:
        if not isinstance(change, dict) or key not in change:
            raise bad_request(f"an item of a strategic merge patch list has no merge key {key!r}: {change!r}")
        _merge_item(schema, merged, key, change)
    return merged


def _merge_item(schema: JsonObject, merged: list[object], key: str, change: JsonObject) -> None:
    where = [index for index, item in enumerate(merged) if isinstance(item, dict) and item.get(key) == change[key]]
    if change.get("$patch") == "delete":
        for index in reversed(where):
            del merged[index]
        return
    if not where:
        merged.append(strategic_patch(schema.get("items", {}), {}, change))
        return
    before = merged[where[0]]
    assert isinstance(before, dict)
    merged[where[0]] = strategic_patch(schema.get("items", {}), before, change)


def _ordered(schema: JsonObject, items: list[object], order: list[object]) -> list[object]:
    """The items in the order that the patch states; one that it does not name stays behind the one before it."""
    key = schema.get("x-kubernetes-patch-merge-key")
    wanted = [entry.get(key) if isinstance(entry, dict) else entry for entry in order]
    ranks: list[tuple[int, int]] = []
    rank = -1
    for index, item in enumerate(items):
        identity = item.get(key) if isinstance(item, dict) else item
        rank = wanted.index(identity) if identity in wanted else rank
        ranks.append((rank, index))
    return [items[index] for _, index in sorted(ranks)]
