"""CEL rules of custom resource definitions (x-kubernetes-validations): understood when they are made, or refused.

Sources: the CEL specification, and k8s.io/apiextensions-apiserver pkg/apiserver/schema/cel. Left out, refused by name:
`messageExpression`, `optionalOldSelf`, Kubernetes' own functions beyond those of the CEL specification, and rules over
times, durations and bytes. Not done: the types of an expression are not checked before it runs, and its cost is not
estimated, so a real server may refuse a definition that is accepted here; a rule that fails to run refuses the object.
Sets and keyed lists are compared in their order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from kube.embedded.constraints import json_text
from kube.embedded.kinds import JsonObject
from kube.embedded.refusals import Cause

if TYPE_CHECKING:
    import cel

VALIDATIONS = "x-kubernetes-validations"
_MISSING = object()
_KNOWN = {"rule", "message", "reason", "fieldPath"}
_FUNCTIONS = {"size", "matches", "contains", "startsWith", "endsWith", "int", "double", "string", "type", "has"}
_NOT_JSON = ("date-time", "date", "duration", "byte")
_REASONS = {
    "FieldValueInvalid": "Invalid value: {message}",
    "FieldValueForbidden": "Forbidden: {message}",
    "FieldValueRequired": "Required value: {message}",
    "FieldValueDuplicate": "Duplicate value: {value}",
}
_RESERVED = {
    "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if",
    "import", "let", "loop", "package", "namespace", "return", "var", "void", "while",
}  # fmt: skip
_OWN_FIELD = re.compile(r"(?:\.[A-Za-z_][A-Za-z0-9_]*)+")


def rule_causes(schema: JsonObject, path: str) -> Iterator[Cause]:
    """What is wrong with the rules of one schema node, or not understood."""
    rules = schema.get(VALIDATIONS, ())
    for index, rule in enumerate(rules):
        where = f"{path}.{VALIDATIONS}[{index}]"
        for unknown in sorted(rule.keys() - _KNOWN):
            message = f"Forbidden: the embedded API server has no {unknown}; write the rule without it"
            yield Cause(f"{where}.{unknown}", "FieldValueForbidden", message)
        if not str(rule.get("rule", "")).strip():
            yield Cause(f"{where}.rule", "FieldValueRequired", "Required value: rule is not specified")
        elif why := _why_not(rule["rule"]):
            yield Cause(f"{where}.rule", "FieldValueInvalid", f"Invalid value: {json_text(rule['rule'])}: {why}")
        if "message" in rule and not rule["message"].strip():
            message = f"Invalid value: {json_text(rule['message'])}: must be non-empty if specified"
            yield Cause(f"{where}.message", "FieldValueInvalid", message)
        if rule.get("reason", "FieldValueInvalid") not in _REASONS:
            known = ", ".join(json_text(reason) for reason in sorted(_REASONS))
            message = f"Unsupported value: {json_text(rule['reason'])}: supported values: {known}"
            yield Cause(f"{where}.reason", "FieldValueNotSupported", message)
        if "fieldPath" in rule and not _leads_somewhere(schema, rule["fieldPath"]):
            message = f"Invalid value: {json_text(rule['fieldPath'])}: must be a valid path"
            yield Cause(f"{where}.fieldPath", "FieldValueInvalid", message)
    if rules and (formats := sorted(set(_formats(schema)))):
        message = f"Forbidden: the embedded API server has no CEL rules over values of format {', '.join(formats)}"
        yield Cause(f"{path}.{VALIDATIONS}", "FieldValueForbidden", message)


def violations(schema: JsonObject, value: JsonObject, old: JsonObject | None) -> Iterator[Cause]:
    """The rules that an object breaks; `old` is what it was before, None for a new one.

    What does not change may go on breaking a rule, and rules about a change look at what was there before.
    """
    yield from _violations(schema, value, old if old is not None else _MISSING, "")


def _violations(schema: JsonObject, value: object, old: object, path: str) -> Iterator[Cause]:
    if value is None:
        return
    for rule in schema.get(VALIDATIONS, ()):
        about_change = "oldSelf" in _program(rule["rule"]).references()["variables"]
        if (old is _MISSING) if about_change else (old == value):
            continue
        if (fault := _fault(schema, rule, value, old, path)) is not None:
            yield fault
    if isinstance(value, dict):
        before = old if isinstance(old, dict) else {}
        for name, child in value.items():
            inner = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
            if isinstance(inner, dict):
                yield from _violations(inner, child, before.get(name, _MISSING), f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        items = schema.get("items", {})
        for index, item in enumerate(value):
            yield from _violations(items, item, _counterpart(schema, item, old), f"{path}[{index}]")


def _fault(schema: JsonObject, rule: JsonObject, value: object, old: object, path: str) -> Cause | None:
    root = not path
    context = {"self": _seen(schema, value, root)}
    if old is not _MISSING:
        context["oldSelf"] = _seen(schema, old, root)
    said = f"failed rule: {rule['rule'].strip()}"
    try:
        if _program(rule["rule"]).execute(context) is True:
            return None
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
        said = f'"object": {error} evaluating rule: {rule["rule"].strip()}'
    reason = rule.get("reason", "FieldValueInvalid")
    message = _REASONS[reason].format(value=json_text(value), message=rule.get("message", said).strip())
    field = (path + rule.get("fieldPath", "")).lstrip(".")
    return Cause(field or "<nil>", reason, message)


def _seen(schema: JsonObject, value: object, root: bool = False) -> object:
    """A value as a rule sees it: declared fields alone, numbers that are no integers as doubles."""
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        if "additionalProperties" in schema and isinstance(schema["additionalProperties"], dict):
            return {name: _seen(schema["additionalProperties"], child) for name, child in value.items()}
        seen = {_escaped(name): _seen(properties[name], value[name]) for name in properties if name in value}
        if root:
            metadata = value.get("metadata", {})
            names = {field: metadata[field] for field in ("name", "generateName") if field in metadata}
            seen |= {"apiVersion": value.get("apiVersion"), "kind": value.get("kind"), "metadata": names}
        return seen
    if isinstance(value, list):
        return [_seen(schema.get("items", {}), item) for item in value]
    if schema.get("type") == "number" and isinstance(value, int):
        return float(value)
    return value


def _counterpart(schema: JsonObject, item: object, old: object) -> object:
    """What an item of a keyed list was before; items of other lists have no past."""
    keys = schema.get("x-kubernetes-list-map-keys")
    if not keys or not isinstance(old, list) or not isinstance(item, dict):
        return _MISSING
    same = (one for one in old if isinstance(one, dict) and all(one.get(key) == item.get(key) for key in keys))
    return next(same, _MISSING)


def _escaped(name: str) -> str:
    """A field's name in an expression, as Kubernetes escapes it."""
    if name in _RESERVED:
        return f"__{name}__"
    for sign, word in (("__", "__underscores__"), (".", "__dot__"), ("-", "__dash__"), ("/", "__slash__")):
        name = name.replace(sign, word)
    return name


def _why_not(expression: str) -> str:
    """Empty for an expression that is understood."""
    try:
        references = _program(expression).references()
    except ValueError as error:
        return f"compilation failed: {error}"
    unknown = sorted(name for name in references["functions"] if name[0].isalpha() and name not in _FUNCTIONS)
    said = "undeclared reference, or a function that the embedded API server has not"
    return f"compilation failed: {said}: {', '.join(unknown)}" if unknown else ""


def _leads_somewhere(schema: JsonObject, path: str) -> bool:
    if not _OWN_FIELD.fullmatch(path):
        return False
    for name in path.split(".")[1:]:
        schema = schema.get("properties", {}).get(name)
        if not isinstance(schema, dict):
            return False
    return True


def _formats(schema: JsonObject) -> Iterator[str]:
    if schema.get("format") in _NOT_JSON:
        yield schema["format"]
    children = [*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")]
    for child in children:
        if isinstance(child, dict):
            yield from _formats(child)


@cache
def _program(expression: str) -> cel.Program:
    import cel  # it brings a command line along, which takes 0.2 s; most servers never see a rule

    return cel.compile(expression)
