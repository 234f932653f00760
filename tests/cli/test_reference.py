"""docs/reference/map-json.md says what the code says: every key, kind, rule and reason, and none besides."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from cli.map.document import MapDocument

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = (ROOT / "docs" / "reference" / "map-json.md").read_text()


def documented(section: str) -> set[str]:
    """The words in the first column of the table under a heading."""
    text = re.search(rf"^## {section}$([\s\S]*?)(?=^## |\Z)", REFERENCE, re.MULTILINE)
    assert text, f"no section {section}"
    rows = re.findall(r"^\| (`[^|]+) \|", text[1], re.MULTILINE)
    return {word for row in rows for word in re.findall(r"`([^`]+)`", row)}


def calls(folder: str) -> Iterator[tuple[str, ast.Call]]:
    """Every call in the modules of a folder, and what is called."""
    for path in (ROOT / folder).rglob("*.py"):
        if "synth" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                called = node.func
                yield called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", ""), node


def words_in(node: ast.expr | None) -> set[str]:
    """The words of an expression: one, or several to choose from."""
    nodes = ast.walk(node) if node else ()
    return {one.value for one in nodes if isinstance(one, ast.Constant) and isinstance(one.value, str)}


def kinds_in_code() -> set[str]:
    found: set[str] = set()
    for called, call in calls("topology"):
        if called in ("anomaly", "Anomaly"):
            named = [keyword.value for keyword in call.keywords if keyword.arg == "kind"]
            found |= words_in(next(iter([*call.args[:1], *named]), None))
    return found


def reasons_in_code() -> set[str]:
    found: set[str] = set()
    for called, call in calls("topology"):
        if called == "Unplaced" or (called == "setdefault" and "missing" in ast.unparse(call.func)):
            found |= words_in(call.args[1])
    return found


def rules_in_code() -> set[str]:
    body = (ROOT / "topology/fabrics.py").read_text().partition("def _roles(")[2].partition("\n\n\n")[0]
    return set(re.findall(r'"([a-z]+(?:-[a-z]+)*)"', body)) - {"compute", "storage", "unknown"}


@pytest.mark.parametrize(
    ("section", "in_code"),
    [
        ("Kinds of anomalies", kinds_in_code),
        ("Why a node has no place", reasons_in_code),
        ("Why a fabric has its role", rules_in_code),
    ],
)  # fmt: skip
def test_the_words_of_the_reference_are_those_of_the_code(section: str, in_code: object) -> None:
    assert callable(in_code)
    words = in_code()
    assert len(words) >= 3
    assert documented(section) == words


def test_every_key_is_described() -> None:
    described = set(re.findall(r"`(?:[a-zA-Z\[\].]*\.)?([a-zA-Z]+)(?:\[\])?`", REFERENCE.partition("\n## ")[0]))
    assert keys_of(MapDocument) <= described


def keys_of(struct: type[msgspec.Struct]) -> set[str]:
    """The JSON keys of a struct and of the structs in it."""
    found: set[str] = set()
    schema = msgspec.json.schema(struct)
    for definition in schema["$defs"].values():
        found |= set(definition["properties"])
    return found
