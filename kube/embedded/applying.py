"""Patches: each media type's way from a live object to a proposal, server-side apply among them.

Server-side apply merges what a manager states into the live object, removes what it stated before and no longer does,
and refuses with a 409 what another manager holds at another value, unless the request says force.
"""

from __future__ import annotations

from kube.embedded.cluster import Cluster, key_of
from kube.embedded.constraints import json_text
from kube.embedded.kinds import JsonObject, Kind
from kube.embedded.merging import json_patch, merge_patch
from kube.embedded.metadata import check_same, check_type, place
from kube.embedded.ownership import ITEM, Manager, Owners, Path, child_schema, item_step, read_owners, text_of
from kube.embedded.refusals import StatusError, bad_request, conflict, invalid_options, unsupported_media_type
from kube.embedded.requests import Target, WriteOptions
from kube.embedded.strategic import strategic_patch
from kube.embedded.verbs import Outcome, Proposal, finish, finish_new, full_schema, owned_leaves

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"


def patch(cluster: Cluster, target: Target, media_type: str, body: object, options: WriteOptions) -> Outcome:
    """Patch an object, or create it by server-side apply. Raises 400, 404, 409, 415 or 422."""
    kind = target.kind
    if media_type == APPLY_PATCH:
        if not options.named:
            message = "Required value: is required for apply patch"
            raise invalid_options("PatchOptions", "fieldManager", "FieldValueRequired", message)
        return apply(cluster, target, check_type(kind, body), options)
    live = cluster.live(target)
    value = live.decode()
    if media_type == MERGE_PATCH:
        patched = merge_patch(value, body)
    elif media_type == JSON_PATCH:
        patched = json_patch(value, body)
    elif media_type == STRATEGIC_PATCH and not kind.custom:
        if not isinstance(body, dict):
            raise bad_request("a strategic merge patch is a JSON object")
        patched = strategic_patch(full_schema(kind), value, body)
    else:
        accepted = [JSON_PATCH, MERGE_PATCH, APPLY_PATCH, *([] if kind.custom else [STRATEGIC_PATCH])]
        raise unsupported_media_type(media_type, accepted)
    proposal = check_type(kind, patched)
    place(target, proposal["metadata"])
    check_same(kind, live.decode()["metadata"], proposal["metadata"])
    return finish(cluster, target, live, Proposal(proposal), options)


def apply(cluster: Cluster, target: Target, applied: JsonObject, options: WriteOptions) -> Outcome:
    """Server-side apply of what one manager states."""
    kind = target.kind
    place(target, applied["metadata"])
    if applied["metadata"].get("managedFields"):
        raise bad_request("metadata.managedFields must be nil")
    _keep_to_part(target, applied)
    manager = Manager(options.manager, "Apply", target.subresource)
    stated = frozenset(owned_leaves(kind, applied))
    live = cluster.store.get(kind.resource, key_of(target))
    if live is None:
        if target.subresource:
            cluster.live(target)
        if uid := applied["metadata"].get("uid"):
            why = f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
            raise conflict(kind, target.name, why)
        return finish_new(cluster, target, Proposal(applied, {manager: stated}), options)
    value = live.decode()
    owners, _ = read_owners(value["metadata"])
    owners = _without_conflicts(kind, value, applied, owners, manager, options)
    dropped = owners.get(manager, frozenset()) - stated
    owners[manager] = stated
    check_same(kind, value["metadata"], applied["metadata"])
    merged = _merged(full_schema(kind), value, applied)
    assert isinstance(merged, dict)
    _remove(full_schema(kind), merged, dropped, owners)
    return finish(cluster, target, live, Proposal(merged, owners), options)


def _keep_to_part(target: Target, applied: JsonObject) -> None:
    """What the path does not write is not owned through it."""
    if "status" not in target.kind.subresources:
        return
    if target.subresource == "status":
        for name in [name for name in applied if name not in ("apiVersion", "kind", "metadata", "status")]:
            del applied[name]
        kept = ("name", "namespace", "uid", "resourceVersion")
        applied["metadata"] = {name: value for name, value in applied["metadata"].items() if name in kept}
    else:
        applied.pop("status", None)


def _without_conflicts(
    kind: Kind, live: JsonObject, applied: JsonObject, owners: Owners, manager: Manager, options: WriteOptions
) -> Owners:
    """The other managers' sets without what this one takes over. Raises a 409 where it may not."""
    before, after = owned_leaves(kind, live), owned_leaves(kind, applied)
    changed = frozenset(path for path, value in after.items() if value is not ITEM and before.get(path, ITEM) != value)
    clashes = {other: paths & changed for other, paths in owners.items() if other != manager and paths & changed}
    if clashes and not options.force:
        raise _conflict(kind, clashes)
    return {other: paths - clashes.get(other, frozenset()) for other, paths in owners.items()}


def _conflict(kind: Kind, clashes: Owners) -> StatusError:
    """All conflicts, in the words of kube-apiserver: managers and their paths in order."""
    who = {other: _named(kind, other) for other in clashes}
    ordered = sorted(clashes, key=lambda other: who[other])
    found = {who[other]: sorted(text_of(path) for path in clashes[other]) for other in ordered}
    causes = [
        {"reason": "FieldManagerConflict", "message": f"conflict with {manager}", "field": path}
        for manager, paths in found.items()
        for path in paths
    ]
    if len(causes) == 1:
        message = f"Apply failed with 1 conflict: {causes[0]['message']}: {causes[0]['field']}"
    else:
        lines = []
        for manager, paths in found.items():
            lines += [f"conflicts with {manager}:", *(f"- {path}" for path in paths)]
        message = f"Apply failed with {len(causes)} conflicts: " + "\n".join(lines)
    return StatusError(409, "Conflict", message, {"causes": causes})


def _named(kind: Kind, manager: Manager) -> str:
    """A manager in a conflict; of one that did not apply also in which version it wrote."""
    text = json_text(manager.name)
    if manager.subresource:
        text += f" with subresource {json_text(manager.subresource)}"
    return text if manager.operation == "Apply" else f"{text} using {kind.api_version}"


def _merged(schema: JsonObject, live: object, applied: object) -> object:
    """Both together; where they differ, what is applied."""
    if isinstance(applied, dict) and isinstance(live, dict) and schema.get("x-kubernetes-map-type") != "atomic":
        result = dict(live)
        for name, child in applied.items():
            result[name] = _merged(child_schema(schema, name), live.get(name), child)
        return result
    if isinstance(applied, list) and isinstance(live, list) and schema.get("x-kubernetes-list-type") in ("map", "set"):
        rest = {item_step(schema, item): item for item in applied}
        inner = schema.get("items", {})
        steps = [item_step(schema, item) for item in live]
        both = zip(steps, live, strict=True)
        kept = [_merged(inner, item, rest.pop(step)) if step in rest else item for step, item in both]
        return [*kept, *rest.values()]
    return applied


def _remove(schema: JsonObject, value: JsonObject, dropped: frozenset[Path], owners: Owners) -> None:
    """Take out what its only owner no longer states."""
    held = {path[:length] for paths in owners.values() for path in paths for length in range(1, len(path) + 1)}
    for path in sorted(dropped - held, key=len):  # an item goes before its fields, for they are what it is found by
        _remove_path(schema, value, path, held)


def _remove_path(schema: JsonObject, value: object, path: Path, held: set[Path], depth: int = 0) -> None:
    step, last = path[depth], depth == len(path) - 1
    if isinstance(value, dict) and step.startswith("f:"):
        name = step[2:]
        if last:
            value.pop(name, None)
        elif name in value:
            _remove_path(child_schema(schema, name), value[name], path, held, depth + 1)
            if value[name] in ({}, []) and path[: depth + 1] not in held:
                del value[name]
    elif isinstance(value, list):
        for item in [item for item in value if item_step(schema, item) == step]:
            if last:
                value.remove(item)
            else:
                _remove_path(schema.get("items", {}), item, path, held, depth + 1)
