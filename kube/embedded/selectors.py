"""Label and field selectors: the text of a query parameter to a test on objects."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from kube.embedded.kinds import JsonObject, Kind
from kube.embedded.refusals import bad_request

Operator = Literal["=", "!=", "in", "notin", "exists", "absent", ">", "<"]

_KEY = r"[A-Za-z0-9][-A-Za-z0-9_./]*"
_TERM = re.compile(
    rf"\s*(?:(?P<absent>!\s*{_KEY})"
    rf"|(?P<key>{_KEY})\s*(?:(?P<set>(?:not)?in)\s*\((?P<values>[^()]*)\)"
    rf"|(?P<op>==|=|!=|>|<)\s*(?P<value>[-A-Za-z0-9_.]*))?)\s*(?:,|$)"
)
_LABEL_VALUE = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")


@dataclass(frozen=True, slots=True)
class Requirement:
    """One term of a label selector."""

    key: str
    operator: Operator
    values: frozenset[str] = frozenset()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """True where these labels fulfil the term; a missing label fulfils `!=` and `notin`."""
        value = labels.get(self.key)
        match self.operator:
            case "exists":
                return value is not None
            case "absent":
                return value is None
            case "=" | "in":
                return value in self.values
            case "!=" | "notin":
                return value not in self.values
        return _compared(value, self.operator, next(iter(self.values)))


@dataclass(frozen=True, slots=True)
class FieldTerm:
    """One term of a field selector: a dotted path, equal to a value or not."""

    path: tuple[str, ...]
    value: str
    equal: bool

    def matches(self, value: JsonObject) -> bool:
        """A field that is absent counts as the empty text."""
        return (field_text(value, self.path) == self.value) is self.equal


@dataclass(frozen=True, slots=True)
class Selector:
    """What a list, watch or deletecollection is limited to."""

    labels: tuple[Requirement, ...] = ()
    fields: tuple[FieldTerm, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.labels or self.fields)

    def matches(self, value: JsonObject) -> bool:
        """True for an object inside the selection."""
        labels = value["metadata"].get("labels") or {}
        return all(term.matches(labels) for term in self.labels) and all(term.matches(value) for term in self.fields)


def parse_selector(kind: Kind, labels: str, fields: str) -> Selector:
    """Read both selectors of a request. Raises a 400 that names the term."""
    return Selector(tuple(_label_terms(labels)), tuple(_field_terms(kind, fields)))


def field_text(value: JsonObject, path: tuple[str, ...]) -> str:
    """A field as a field selector compares it: text, with booleans in lower case."""
    found: object = value
    for step in path:
        found = found.get(step) if isinstance(found, dict) else None
    if found is None:
        return ""
    return str(found).lower() if isinstance(found, bool) else str(found)


def _label_terms(text: str) -> list[Requirement]:
    terms = []
    position = 0
    while position < len(text):
        found = _TERM.match(text, position)
        if found is None:
            raise bad_request(f"unable to parse requirement: {text[position:]!r} in the label selector {text!r}")
        terms.append(_requirement(found))
        position = found.end()
    return terms


def _requirement(found: re.Match[str]) -> Requirement:
    if found["absent"]:
        return Requirement(found["absent"].lstrip("! \t"), "absent")
    key = found["key"]
    if found["set"]:
        values = frozenset(part.strip() for part in found["values"].split(","))
        return Requirement(key, "in" if found["set"] == "in" else "notin", _checked(values))
    if not found["op"]:
        return Requirement(key, "exists")
    operators: dict[str, Operator] = {"=": "=", "==": "=", "!=": "!=", ">": ">", "<": "<"}
    return Requirement(key, operators[found["op"]], _checked(frozenset([found["value"]])))


def _checked(values: frozenset[str]) -> frozenset[str]:
    for value in values:
        if not _LABEL_VALUE.fullmatch(value):
            raise bad_request(f"unable to parse requirement: values: Invalid value: {value!r}: not a label value")
    return values


def _compared(value: str | None, operator: str, bound: str) -> bool:
    if value is None or not value.lstrip("-").isdigit() or not bound.lstrip("-").isdigit():
        return False
    return int(value) > int(bound) if operator == ">" else int(value) < int(bound)


def _field_terms(kind: Kind, text: str) -> list[FieldTerm]:
    terms = []
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        found = re.fullmatch(r"([^=!]+)(==|!=|=)(.*)", part)
        if found is None:
            raise bad_request(f"invalid selector: {text!r}; can't understand {part!r}")
        name = found[1].strip()
        if name not in ("metadata.name", "metadata.namespace", *kind.selectable):
            raise bad_request(f'field label not supported: "{name}" for {kind.resource}')
        terms.append(FieldTerm(tuple(name.split(".")), found[3].strip(), found[2] != "!="))
    return terms
