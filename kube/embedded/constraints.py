"""The rules that a structural schema can state about one value, with the texts that Kubernetes gives for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cache
from typing import NamedTuple

import msgspec

from kube.embedded.kinds import JsonObject


class Broken(NamedTuple):
    """A broken rule: its reason (FieldValueInvalid ...), a text, and where below the value where not at itself."""

    reason: str
    message: str
    below: str = ""


def type_mismatch(schema: JsonObject, value: object) -> str:
    """Empty where the value has the schema's type, else the text that says so."""
    if schema.get("x-kubernetes-int-or-string"):
        fits = isinstance(value, str) or _is_integer(value)
        return "" if fits else _wrong_type("integer,string", value)
    expected = schema.get("type")
    if expected is None or (value is None and schema.get("nullable")):
        return ""
    return "" if _TYPES[expected](value) else _wrong_type(expected, value)


def broken_rules(schema: JsonObject, value: object) -> Iterator[Broken]:
    """Every rule of this schema node that the value itself breaks; only allOf and the like look at its children."""
    if "enum" in schema and value not in schema["enum"]:
        supported = ", ".join(json_text(choice) for choice in schema["enum"])
        yield Broken("FieldValueNotSupported", f"Unsupported value: {json_text(value)}: supported values: {supported}")
    if isinstance(value, str):
        yield from _text_rules(schema, value)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield from _number_rules(schema, value)
    elif isinstance(value, list):
        yield from _list_rules(schema, value)
    elif isinstance(value, dict):
        yield from _size_rules(schema, value, "Properties", "properties")
    yield from _combined_rules(schema, value)


def json_text(value: object) -> str:
    """A value as texts quote it."""
    return msgspec.json.encode(value).decode()


@cache
def pattern(text: str) -> re.Pattern[str]:
    """A schema's pattern, compiled once; `$` is the very end, as in RE2. Raises re.error where it cannot be read."""
    ends = text.endswith("$") and not text.endswith(r"\$")
    return re.compile(rf"{text[:-1]}\Z" if ends else text, re.ASCII)


def _is_integer(value: object) -> bool:
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


_TYPES: dict[str, Callable[[object], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": _is_integer,
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
}


def _wrong_type(expected: str, value: object) -> str:
    names: dict[type, str] = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer"}
    found = names.get(type(value), "null" if value is None else "number")
    return f'Invalid value: "{found}": must be of type {expected}'


def _text_rules(schema: JsonObject, value: str) -> Iterator[Broken]:
    yield from _size_rules(schema, value, "Length", "characters")
    if "pattern" in schema and not pattern(schema["pattern"]).search(value):
        yield Broken("FieldValueInvalid", f"Invalid value: {json_text(value)}: should match '{schema['pattern']}'")
    if schema.get("format") == "date-time" and not _is_time(value):
        yield Broken("FieldValueInvalid", f"Invalid value: {json_text(value)}: must be of type date-time")


def _number_rules(schema: JsonObject, value: float) -> Iterator[Broken]:
    quoted = f"Invalid value: {json_text(value)}:"
    low, high, step = schema.get("minimum"), schema.get("maximum"), schema.get("multipleOf")
    if low is not None and (value < low or (value == low and schema.get("exclusiveMinimum"))):
        relation = "greater than" if schema.get("exclusiveMinimum") else "greater than or equal to"
        yield Broken("FieldValueInvalid", f"{quoted} should be {relation} {low}")
    if high is not None and (value > high or (value == high and schema.get("exclusiveMaximum"))):
        relation = "less than" if schema.get("exclusiveMaximum") else "less than or equal to"
        yield Broken("FieldValueInvalid", f"{quoted} should be {relation} {high}")
    if step and value % step:
        yield Broken("FieldValueInvalid", f"{quoted} should be a multiple of {step}")
    bits = {"int32": 31, "int64": 63}.get(schema.get("format", ""))
    if bits and not -(2**bits) <= value < 2**bits:
        yield Broken("FieldValueInvalid", f"{quoted} should be a valid {schema['format']}")


def _list_rules(schema: JsonObject, value: list[object]) -> Iterator[Broken]:
    yield from _size_rules(schema, value, "Items", "items")
    kind = schema.get("x-kubernetes-list-type")
    if kind not in ("map", "set"):
        return
    keys = schema.get("x-kubernetes-list-map-keys", ())
    seen: set[str] = set()
    for index, item in enumerate(value):
        identity = item if kind == "set" or not isinstance(item, dict) else {key: item.get(key) for key in keys}
        text = json_text(identity)
        if text in seen:
            yield Broken("FieldValueDuplicate", f"Duplicate value: {text}", f"[{index}]")
        seen.add(text)


def _size_rules(schema: JsonObject, value: str | list[object] | JsonObject, rule: str, unit: str) -> Iterator[Broken]:
    low, high = schema.get(f"min{rule}"), schema.get(f"max{rule}")
    if low is not None and len(value) < low:
        yield Broken("FieldValueInvalid", f"Invalid value: {len(value)}: should have at least {low} {unit}")
    if high is not None and len(value) > high:
        yield Broken("FieldValueTooLong", f"Too long: may not have more than {high} {unit}")


def _combined_rules(schema: JsonObject, value: object) -> Iterator[Broken]:
    if any(not _fits(choice, value) for choice in schema.get("allOf", ())):
        yield Broken("FieldValueInvalid", "Invalid value: must validate all the schemas (allOf)")
    if "anyOf" in schema and not any(_fits(choice, value) for choice in schema["anyOf"]):
        yield Broken("FieldValueInvalid", "Invalid value: must validate at least one schema (anyOf)")
    if "oneOf" in schema and sum(_fits(choice, value) for choice in schema["oneOf"]) != 1:
        yield Broken("FieldValueInvalid", "Invalid value: must validate one and only one schema (oneOf)")
    if "not" in schema and _fits(schema["not"], value):
        yield Broken("FieldValueInvalid", "Invalid value: must not validate the schema (not)")


def _fits(schema: JsonObject, value: object) -> bool:
    """Whether a value fulfils a schema and all below it, with nothing dropped or filled in."""
    if type_mismatch(schema, value) or any(True for _ in broken_rules(schema, value)):
        return False
    if isinstance(value, list):
        return all(_fits(schema.get("items", {}), item) for item in value)
    if not isinstance(value, dict):
        return True
    properties = schema.get("properties", {})
    present = all(name in value for name in schema.get("required", ()))
    return present and all(_fits(properties[name], child) for name, child in value.items() if name in properties)


def _is_time(value: str) -> bool:
    try:
        return datetime.fromisoformat(value.replace("Z", "+00:00")).tzinfo is not None
    except ValueError:
        return False
