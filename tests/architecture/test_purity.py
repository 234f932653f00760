"""What import contracts cannot see: calls that reach outside, and which evidence modules the topology room may use."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.sources import PURE, modules, parsed, relative

EVIDENCE = {"discovery.descriptions", "discovery.identity", "discovery.reports", "discovery.scan"}
"""The modules of discovery that hold evidence types; everything else there reads or parses."""
OUTSIDE = {"open", "print", "input", "uuid1", "uuid4"}
CLOCKS = {"now", "utcnow", "today"}


def imported(path: Path) -> Iterator[str]:
    """Every module that a file imports, wherever in the file; `from package import name` counts as package.name too."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def called(node: ast.Call) -> str:
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def test_topology_uses_nothing_of_discovery_but_evidence_types() -> None:
    beyond = [
        f"{relative(path)}: {name}"
        for path in modules("topology")
        for name in imported(path)
        if name.startswith("discovery.") and not any(name == one or name.startswith(one + ".") for one in EVIDENCE)
    ]
    assert beyond == []


def test_the_kernel_uses_nothing_of_the_scheduler_around_it() -> None:
    beyond = [
        f"{relative(path)}: {name}"
        for path in modules("scheduler/kernel")
        for name in imported(path)
        if name.startswith("scheduler.") and name != "scheduler.kernel" and not name.startswith("scheduler.kernel.")
    ]
    assert beyond == []


@pytest.mark.parametrize("room", PURE)
def test_a_pure_room_asks_no_clock_and_opens_no_file(room: str) -> None:
    calls = [
        f"{relative(path)}:{node.lineno} {called(node)}"
        for path in modules(room)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and (called(node) in CLOCKS or called(node) in OUTSIDE)
    ]
    assert calls == []


@pytest.mark.parametrize("room", PURE)
def test_a_pure_room_draws_random_numbers_only_from_a_seed_that_it_is_given(room: str) -> None:
    unseeded = [
        f"{relative(path)}:{node.lineno}"
        for path in modules(room)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and called(node) in {"default_rng", "Random"} and not node.args
    ]
    assert unseeded == []
