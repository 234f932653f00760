"""Create, update and delete: a body and a target become the next state of an object.

Patches end in `finish` too: whatever way a proposal came about, it is checked, completed and stored there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from kube.embedded import definitions, deleting, strategies
from kube.embedded.cluster import Cluster, Located, key_of
from kube.embedded.conform import Conformance, conforming, without_nulls
from kube.embedded.deleting import Asked
from kube.embedded.kinds import DEFINITIONS, NAMESPACES, PODS, JsonObject, Kind
from kube.embedded.metadata import carry, check_type, conformed, now_text, place, stamp
from kube.embedded.models import model_schema, schema_of
from kube.embedded.ownership import (
    Leaves,
    Manager,
    Owners,
    leaves_of,
    read_owners,
    record_update,
    write_owners,
)
from kube.embedded.references import check_no_new_finalizers
from kube.embedded.refusals import Cause, already_exists, bad_request, conflict, forbidden, invalid
from kube.embedded.requests import Target, WriteOptions, parse_propagation
from kube.embedded.rules import violations
from kube.embedded.store import Stored

_NEEDS_REVISION = ("leases", "customresourcedefinitions")
"""Built-in kinds that may not be replaced without a resourceVersion; custom kinds never may."""
_KEPT_NAMESPACES = ("default", "kube-system", "kube-public")
_NOT_OWNED = frozenset(
    {("f:apiVersion",), ("f:kind",)}
    | {
        ("f:metadata", f"f:{name}")
        for name in ("name", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp", "generateName")
    }
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a write came to."""

    raw: bytes
    created: bool = False
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """The state that a write asks for, and how the fields are owned after it; None: by who changed them."""

    value: JsonObject
    owners: Owners | None = None


def create(cluster: Cluster, target: Target, body: object, options: WriteOptions) -> Outcome:
    """Create an object. Raises 400, 404 (namespace), 409 (name is taken) or 422."""
    value = check_type(target.kind, body)
    place(target, value["metadata"])
    return finish_new(cluster, target, Proposal(value), options)


def finish_new(cluster: Cluster, target: Target, proposal: Proposal, options: WriteOptions) -> Outcome:
    """Check, complete and store a new object."""
    kind, value = target.kind, proposal.value
    target = Target(kind, target.namespace, str(value["metadata"].get("name", "")))
    cluster.require_room(target)
    value["metadata"].pop("managedFields", None)
    value, unknown = _in_form(kind, value, options)
    if kind.resource == PODS:
        cluster.resolve_priority(kind, value)
    strategies.created(kind, value)
    stamp(kind, value["metadata"])
    if cluster.store.get(kind.resource, key_of(target)) is not None:
        raise already_exists(kind, target.name)
    _check_definition(cluster, kind, value)
    owners = proposal.owners
    if owners is None:
        owners = record_update({}, Manager(options.manager, "Update"), {}, owned_leaves(kind, value))
    _write_managed_fields(kind, value, owners, {})
    return Outcome(_commit(cluster, target, value, options), created=True, warnings=_warnings(unknown))


def update(cluster: Cluster, target: Target, body: object, options: WriteOptions) -> Outcome:
    """Replace an object, or its status. Raises 400, 404, 409 (another revision or uid) or 422."""
    value = check_type(target.kind, body)
    place(target, value["metadata"])
    live = cluster.live(target)
    kind = target.kind
    if not value["metadata"].get("resourceVersion") and (kind.custom or kind.resource.plural in _NEEDS_REVISION):
        message = "Invalid value: 0: must be specified for an update"
        raise invalid(kind, target.name, [Cause("metadata.resourceVersion", "FieldValueInvalid", message)])
    return finish(cluster, target, live, Proposal(value), options)


def finish(cluster: Cluster, target: Target, live: Stored, proposal: Proposal, options: WriteOptions) -> Outcome:
    """Check, complete and store a changed object. One that changes nothing leaves the revision as it is."""
    kind, old = target.kind, live.decode()
    value = _part_for(target, live.decode(), proposal.value)
    carry(kind, old["metadata"], value["metadata"])
    value["metadata"].pop("managedFields", None)
    value, unknown = _in_form(kind, value, options, old)
    check_no_new_finalizers(kind, old["metadata"], value["metadata"])
    strategies.updated(kind, old, value)
    _check_definition(cluster, kind, value)
    if kind.counts_generations and _desired(kind, value) != _desired(kind, old):
        value["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1
    before, times = read_owners(old["metadata"])
    owners = proposal.owners
    if owners is None:
        manager = Manager(options.manager, "Update", target.subresource)
        owners = record_update(before, manager, owned_leaves(kind, old), owned_leaves(kind, value))
    owners = {manager: paths for manager, paths in owners.items() if paths}
    if _same(old, value) and owners == before:
        return Outcome(live.raw, warnings=_warnings(unknown))
    kept = {manager: time for manager, time in times.items() if owners.get(manager) == before[manager]}
    _write_managed_fields(kind, value, owners, kept)
    return Outcome(_commit(cluster, target, value, options), warnings=_warnings(unknown))


def delete(cluster: Cluster, target: Target, body: object, query: Mapping[str, str]) -> Asked:
    """Ask for a deletion. Raises 404, 403 (a namespace that stays), 409 (preconditions) or 422 (propagation)."""
    kind = target.kind
    wishes = conforming("V1DeleteOptions", body) if body is not None else {}
    policy = parse_propagation(wishes or query)
    live = cluster.live(target)
    check_preconditions(kind, live, wishes.get("preconditions"))
    if kind.resource == NAMESPACES and target.name in _KEPT_NAMESPACES:
        raise forbidden(kind, target.name, "this namespace may not be deleted")
    if wishes.get("dryRun") or query.get("dryRun"):
        return Asked(live, True, [])
    return deleting.delete(cluster, Located(kind, live.key), policy)


def check_preconditions(kind: Kind, live: Stored, preconditions: Mapping[str, str] | None) -> None:
    """Raises a 409 where the live object has not the uid and resourceVersion that a deletion names."""
    if not preconditions:
        return
    metadata = live.decode()["metadata"]
    for field, said in (("uid", "UID"), ("resourceVersion", "ResourceVersion")):
        wanted, found = preconditions.get(field), metadata[field]
        if wanted is not None and wanted != found:
            why = f"Precondition failed: {said} in precondition: {wanted}, {said} in object meta: {found}"
            raise conflict(kind, live.key[1], why)


def owned_leaves(kind: Kind, value: JsonObject) -> Leaves:
    """The fields of an object that managers can own."""
    schema = full_schema(kind)
    rest = {name: child for name, child in value.items() if name not in ("apiVersion", "kind")}
    rest["metadata"] = {name: child for name, child in value["metadata"].items() if name != "managedFields"}
    return {path: leaf for path, leaf in leaves_of(schema, rest).items() if path[:2] not in _NOT_OWNED and path}


def full_schema(kind: Kind) -> JsonObject:
    """The schema of a kind with that of metadata in it."""
    schema = schema_of(kind)
    return schema | {"properties": schema.get("properties", {}) | {"metadata": model_schema("V1ObjectMeta")}}


def _part_for(target: Target, live: JsonObject, value: JsonObject) -> JsonObject:
    """The status subresource writes the status alone, the object itself everything else."""
    kind = target.kind
    if "status" not in kind.subresources:
        return value
    if target.subresource != "status":
        rest = {name: child for name, child in value.items() if name != "status"}
        return rest | {"status": live["status"]} if "status" in live else rest
    if kind.custom:
        for field in ("uid", "resourceVersion"):
            live["metadata"][field] = value["metadata"].get(field, live["metadata"][field])
    else:
        live["metadata"] = value["metadata"]
    live.pop("status", None)
    return live | {"status": value["status"]} if "status" in value else live


def _in_form(
    kind: Kind, value: JsonObject, options: WriteOptions, old: JsonObject | None = None
) -> tuple[JsonObject, list[str]]:
    metadata, unknown = conformed(kind, value["metadata"])
    walk = Conformance()
    value = walk.root(schema_of(kind), value if kind.custom else without_nulls(value))
    value["metadata"] = metadata
    causes = walk.causes or (list(violations(kind.schema, value, old)) if kind.custom else [])
    if causes:
        raise invalid(kind, metadata["name"], causes)
    unknown = sorted(unknown + walk.unknown)
    if options.validation == "Strict" and unknown:
        fields = ", ".join(f'unknown field "{path}"' for path in unknown)
        handled = f'{kind.kind} in version "{kind.version}" cannot be handled as a {kind.kind}'
        raise bad_request(f"{handled}: strict decoding error: {fields}")
    return value, unknown if options.validation == "Warn" else []


def _check_definition(cluster: Cluster, kind: Kind, value: JsonObject) -> None:
    if kind.resource == DEFINITIONS:
        definitions.accepted(kind, value, now_text())
        definitions.check_names_free(kind, value, iter(cluster.catalogue))


def _desired(kind: Kind, value: JsonObject) -> JsonObject:
    """The part of an object whose change makes a new generation."""
    without = {"metadata", "status"} if "status" in kind.subresources else {"metadata"}
    return {name: child for name, child in value.items() if name not in without}


def _same(live: JsonObject, value: JsonObject) -> bool:
    before = live | {"metadata": {k: v for k, v in live["metadata"].items() if k != "managedFields"}}
    return before == value


def _write_managed_fields(kind: Kind, value: JsonObject, owners: Owners, times: Mapping[Manager, str]) -> None:
    now = now_text()
    entries = write_owners(kind.api_version, owners, {manager: times.get(manager, now) for manager in owners})
    if entries:
        value["metadata"]["managedFields"] = entries


def _warnings(unknown: list[str]) -> tuple[str, ...]:
    return tuple(f'unknown field "{path}"' for path in unknown)


def _commit(cluster: Cluster, target: Target, value: JsonObject, options: WriteOptions) -> bytes:
    metadata = value["metadata"]
    where = Located(target.kind, (target.namespace or "", metadata["name"]))
    if options.dry_run:
        return msgspec.json.encode(value)
    if deleting.is_released(target.kind, metadata):
        deleting.release(cluster, where)
        return msgspec.json.encode(value)
    raw = cluster.put(where.kind, where.key, value).raw
    if "deletionTimestamp" in metadata or "ownerReferences" in metadata:
        deleting.settle(cluster, [where])
    return raw
