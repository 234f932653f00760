"""Which files are ours, and how the architecture tests read them."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("agent", "cli", "controller", "discovery", "kube", "scheduler", "topology")
PURE = ("topology", "scheduler/kernel", "discovery/health")
GENERATED = {"node_modules", "__pycache__", "dist"}


def modules(*folders: str) -> list[Path]:
    """Every Python file below the folders, and `dev` when the whole project is meant (no folder given)."""
    chosen = folders or (*ROOMS, "deploy", "tests", "bench")
    found = [path for folder in chosen for path in sorted((ROOT / folder).rglob("*.py"))]
    return found if folders else [*found, ROOT / "dev"]


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), filename=str(path))


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def texts() -> Iterator[tuple[Path, str]]:
    """Every readable file of the project (hidden folders of tools and what tools generate are not of the project)."""
    for folder, names, files in os.walk(ROOT):
        names[:] = sorted(name for name in names if name not in GENERATED and (name == ".ci" or name[0] != "."))
        for name in sorted(files):
            path = Path(folder) / name
            try:
                yield path, path.read_text()
            except UnicodeDecodeError:
                continue  # a picture or an archive holds no paths that we wrote
