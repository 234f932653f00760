"""What the source must say, and what it must not leave behind."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.sources import ROOMS, ROOT, modules, parsed, relative, texts

PROMISE = re.compile(r"\b(TODO|FIXME|XXX)\b")
EXEMPTION = re.compile(r"type: ignore(\[[\w, -]+\])?|noqa(: ?[A-Z]+\d+(, ?[A-Z]+\d+)*)?")
# Written so that neither pattern finds itself.
MACHINE_PATH = re.compile(r"/(?:root|work|home/\w+|Users/\w+)/[\w.]")
PACKAGE_HOST = re.compile(r"py[p]i\.org|python[h]osted\.org|proxy\.g[o]lang\.org|registry\.n[p]mjs\.org|/sim[p]le/")


def comments(pattern: re.Pattern[str]) -> Iterator[tuple[Path, int, str]]:
    """Every comment that matches, with its file and line; files without a match anywhere are not taken apart."""
    for path in modules():
        if not pattern.search(path.read_text()):
            continue
        with tokenize.open(path) as file:
            for token in tokenize.generate_tokens(file.readline):
                if token.type == tokenize.COMMENT and pattern.search(token.string):
                    yield path, token.start[0], token.string


def test_every_room_says_what_belongs_there() -> None:
    silent = [
        room for room in (*ROOMS, "scheduler/kernel") if not ast.get_docstring(parsed(ROOT / room / "__init__.py"))
    ]
    assert silent == []


def test_every_module_begins_with_a_docstring() -> None:
    silent = [relative(path) for path in modules() if path.stat().st_size and not ast.get_docstring(parsed(path))]
    assert silent == []


def test_nothing_is_left_as_a_stub_or_a_promise() -> None:
    stubs = [
        f"{relative(path)}:{node.lineno}"
        for path in modules()
        if "NotImplementedError" in path.read_text()
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Name) and node.id == "NotImplementedError"
    ]
    promises = [f"{relative(path)}:{line}" for path, line, _ in comments(PROMISE)]
    assert stubs + promises == []


def test_every_exemption_from_a_check_has_its_reason_beside_it() -> None:
    bare = [
        f"{relative(path)}:{line} {text}"
        for path, line, text in comments(EXEMPTION)
        if len(re.findall(r"[A-Za-z]", EXEMPTION.sub("", text))) < 5
    ]
    assert bare == []


def test_no_file_names_a_path_of_one_machine_or_a_package_host() -> None:
    found = [
        f"{relative(path)}: {match.group()}"
        for path, text in texts()
        for pattern in (MACHINE_PATH, PACKAGE_HOST)
        for match in pattern.finditer(text)
    ]
    assert found == []


def test_the_lock_pins_every_package_with_a_hash() -> None:
    entries = re.split(r"\n(?=\S)", (ROOT / "requirements.lock").read_text().strip())
    assert entries
    assert [entry.splitlines()[0] for entry in entries if "==" not in entry or "--hash=sha256:" not in entry] == []
