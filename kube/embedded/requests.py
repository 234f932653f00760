"""What a request asks for: its path as a target, its query as options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from kube.embedded.kinds import Catalogue, Kind
from kube.embedded.refusals import bad_request, invalid_options, no_such_path

FieldValidation = Literal["Ignore", "Warn", "Strict"]
Policy = Literal["Background", "Foreground", "Orphan"]
"""What a deletion does with dependents: they go after their owner, before it, or stay."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a path points at: a collection, an object, or a subresource of one."""

    kind: Kind
    namespace: str | None = None
    """None for a cluster-scoped kind and for a collection over all namespaces."""
    name: str = ""
    subresource: str = ""


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """How a write is to be done."""

    manager: str
    named: bool = True
    """The request itself names the manager; otherwise it is the client's name."""
    dry_run: bool = False
    validation: FieldValidation = "Warn"
    force: bool = False
    """Server-side apply takes fields over from other managers."""


def parse_target(catalogue: Catalogue, path: str) -> Target:
    """Read a path below /api or /apis. Raises a 404 for what is not served."""
    parts = path.strip("/").split("/")
    if parts[0] == "api" and len(parts) >= 3:
        group, version, rest = "", parts[1], parts[2:]
    elif parts[0] == "apis" and len(parts) >= 4:
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        raise no_such_path()
    namespace = None
    if rest[0] == "namespaces" and len(rest) > 2 and rest[2] not in ("status", "finalize"):
        namespace, rest = rest[1], rest[2:]
    kind = catalogue.find(group, version, rest[0])
    if kind is None or len(rest) > 3:
        raise no_such_path()
    name, subresource = (*rest[1:], "", "")[:2]
    if subresource and subresource not in kind.subresources:
        raise no_such_path()
    if kind.namespaced is (namespace is None) and (name or namespace is not None):
        raise no_such_path()
    return Target(kind, namespace, name, subresource)


def parse_write_options(query: Mapping[str, str], user_agent: str) -> WriteOptions:
    """Read the options of a create, update, patch or deletion. The manager is the client's name where none is given."""
    dry_run = query.get("dryRun", "")
    if dry_run not in ("", "All"):
        raise bad_request(f'invalid dryRun {dry_run!r}: supported values: "All"')
    validations: dict[str, FieldValidation] = {"": "Warn", "Ignore": "Ignore", "Warn": "Warn", "Strict": "Strict"}
    validation = query.get("fieldValidation", "")
    if validation not in validations:
        raise bad_request(f"invalid fieldValidation {validation!r}: supported values: Ignore, Warn, Strict")
    named = query.get("fieldManager", "")
    return WriteOptions(
        manager=(named or user_agent.partition("/")[0] or "unknown")[:128],
        named=bool(named),
        dry_run=dry_run == "All",
        validation=validations[validation],
        force=query.get("force") in ("true", "1"),
    )


def parse_propagation(wishes: Mapping[str, object]) -> Policy | None:
    """What a deletion, by its options or its query, does with dependents; None where it does not say. Raises a 422."""
    policy, orphan = wishes.get("propagationPolicy") or None, wishes.get("orphanDependents")
    known: dict[object, Policy] = {one: one for one in ("Background", "Foreground", "Orphan")}
    if policy is not None and policy not in known:
        message = f'Unsupported value: "{policy}": supported values: "Foreground", "Background", "Orphan", "nil"'
        raise invalid_options("DeleteOptions", "propagationPolicy", "FieldValueNotSupported", message)
    if policy is not None and orphan not in (None, ""):
        message = f'Invalid value: "{policy}": orphanDependents and deletionPropagation cannot be both set'
        raise invalid_options("DeleteOptions", "propagationPolicy", "FieldValueInvalid", message)
    if orphan in (None, ""):
        return known.get(policy)
    return "Orphan" if orphan in (True, "true", "1") else "Background"


def whole_number(query: Mapping[str, str], name: str) -> int | None:
    """A query parameter that is a count, or None where it is not given."""
    text = query.get(name, "")
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 19:
        raise bad_request(f"invalid {name} {text!r}: it must be a whole number that is not negative")
    return int(text)
