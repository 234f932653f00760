"""The part of JSONPath that printer columns use: fields, indexes, `[*]`, filters that compare a field with a text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

_STEP = re.compile(
    r"\.(?P<field>(?:[^.\[\]\\]|\\.)+)"
    r"|\[(?P<index>-?\d+)\]"
    r"|\[(?P<all>\*)\]"
    r"|\[['\"](?P<quoted>[^'\"]+)['\"]\]"
    r"|\[\?\(\s*@(?P<path>(?:\.[^=!<>\s]+)+)\s*(?P<operator>==|!=)\s*(?P<value>\"[^\"]*\"|'[^']*'|[^\s\"')]+)\s*\)\]"
)


@dataclass(frozen=True, slots=True)
class _Filter:
    path: str
    equal: bool
    text: str


_Step = str | int | None | _Filter
"""A field, an index, every item, or the items that pass."""


def find(path: str, value: object) -> list[object]:
    """Every value at the path, in order. Raises ValueError for a path that is not understood."""
    found = [value]
    for step in _steps(path):
        found = [inner for outer in found for inner in _walk(step, outer)]
    return found


def check_path(path: str) -> None:
    """Raises ValueError for a path that is not understood."""
    _steps(path)


@cache
def _steps(path: str) -> tuple[_Step, ...]:
    text = path.strip().removeprefix("{").removesuffix("}").removeprefix("$")
    if text and text[0] not in ".[":
        text = f".{text}"
    steps: list[_Step] = []
    position = 0
    while position < len(text):
        matched = _STEP.match(text, position)
        if matched is None:
            raise ValueError(f"the JSONPath {path!r} is not understood from {text[position:]!r} on")
        steps.append(_step(matched))
        position = matched.end()
    return tuple(steps)


def _step(matched: re.Match[str]) -> _Step:
    if matched["field"]:
        return re.sub(r"\\(.)", r"\1", matched["field"])
    if matched["quoted"]:
        return matched["quoted"]
    if matched["index"]:
        return int(matched["index"])
    if matched["all"]:
        return None
    return _Filter(matched["path"], matched["operator"] == "==", matched["value"].strip("\"'"))


def _walk(step: _Step, value: object) -> list[object]:
    if isinstance(step, str):
        if step == "*" and isinstance(value, dict):
            return list(value.values())
        return [value[step]] if isinstance(value, dict) and step in value else []
    if not isinstance(value, list):
        return []
    if isinstance(step, int):
        return [value[step]] if -len(value) <= step < len(value) else []
    if step is None:
        return value
    return [item for item in value if _passes(step, item)]


def _passes(test: _Filter, item: object) -> bool:
    found = find(test.path, item)
    return bool(found) and (_text(found[0]) == test.text) is test.equal


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
