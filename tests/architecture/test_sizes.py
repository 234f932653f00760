"""Files and functions stay small enough to be read at one sitting."""

from __future__ import annotations

import ast

from tests.architecture.sources import modules, parsed, relative

LINES_OF_A_FILE = 400
LINES_OF_A_FUNCTION = 60


def test_no_file_is_longer_than_400_lines() -> None:
    lengths = {relative(path): len(path.read_text().splitlines()) for path in modules()}
    assert {name: length for name, length in lengths.items() if length > LINES_OF_A_FILE} == {}


def test_no_function_is_longer_than_60_lines() -> None:
    long = [
        f"{relative(path)}:{node.lineno} {node.name}"
        for path in modules()
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or node.lineno) - node.lineno + 1 > LINES_OF_A_FUNCTION
    ]
    assert long == []
