"""The image's locks are parts of the one lock: what runs, and what builds the wheel; each entry equal, none missing."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import requires

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.sources import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKS = {
    "requirements-runtime.lock": PROJECT["project"]["dependencies"],
    "requirements-build.lock": PROJECT["build-system"]["requires"],
}


def entries(lock: str) -> dict[str, str]:
    """Every entry of a lock, by its first line."""
    found = re.split(r"\n(?=\S)", (ROOT / lock).read_text().strip())
    return {entry.splitlines()[0].rstrip(" \\"): entry for entry in found}


def closure(wanted: list[str]) -> set[str]:
    """The names of everything that these requirements take on this machine, as the installed packages say."""
    found: set[str] = set()
    left = [Requirement(text) for text in wanted]
    while left:
        one = left.pop()
        name = canonicalize_name(one.name)
        if name in found or (one.marker is not None and not one.marker.evaluate({"extra": ""})):
            continue
        found.add(name)
        left += [Requirement(text) for text in requires(name) or ()]
        extras = [Requirement(text) for text in requires(name) or () for extra in one.extras if extra in text]
        left += [
            more for more in extras if more.marker is None or more.marker.evaluate({"extra": ",".join(one.extras)})
        ]
    return found


@pytest.mark.parametrize("lock", LOCKS)
def test_every_entry_stands_in_the_one_lock_too(lock: str) -> None:
    whole = entries("requirements.lock")
    assert {name for name, entry in entries(lock).items() if whole.get(name) != entry} == set()


@pytest.mark.parametrize("lock", LOCKS)
def test_everything_that_is_needed_is_locked_and_nothing_else_that_this_machine_would_take(lock: str) -> None:
    locked = [Requirement(line.split(" \\")[0]) for line in entries(lock)]
    taken = {canonicalize_name(one.name) for one in locked if one.marker is None or one.marker.evaluate()}
    assert taken == closure(LOCKS[lock])
