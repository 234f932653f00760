"""Node name patterns of HyperNodes (`regexMatch`): Go RE2, searched anywhere in the name, as Volcano reads them.

Evaluated by RE2 itself, whose search takes time linear in the name whatever the pattern. Many patterns are searched
for at once: one pass over a name finds all that match it (10,000 names and 600 patterns: a fraction of a second).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import re2

TOGETHER = 256
"""So many patterns are searched for in one pass."""
MEMORY = 1 << 26
"""Bytes that one pass may use; a pass that would need more is done pattern by pattern."""
_EVERYTHING = ""
"""A pattern that matches every name: where it is missing from an answer, the answer is none."""


@dataclass(frozen=True, slots=True)
class Found:
    """By pattern: the names that it matches, in their order; or what is wrong with it, in RE2's words."""

    names: Mapping[str, tuple[str, ...]]
    rejected: Mapping[str, str]


def find_names(patterns: Iterable[str], names: Sequence[str]) -> Found:
    """Search for every pattern in every name. A pattern that RE2 rejects matches nothing and is told."""
    sound: list[str] = []
    rejected: dict[str, str] = {}
    for pattern in dict.fromkeys(patterns):
        problem = _problem(pattern)
        if problem is None:
            sound.append(pattern)
        else:
            rejected[pattern] = problem
    found: dict[str, tuple[str, ...]] = {}
    for first in range(0, len(sound), TOGETHER):
        found.update(_search(sound[first : first + TOGETHER], names))
    return Found(found, rejected)


def _problem(pattern: str) -> str | None:
    """Why a pattern cannot be used; None when it can."""
    if not pattern:
        return "it is empty"
    try:
        re2.compile(pattern, _options())
    except re2.error as error:
        return _words(error)
    except UnicodeEncodeError:
        return "it is no valid text"
    return None


def _search(patterns: Sequence[str], names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    together = re2.Set.SearchSet(_options())
    try:
        for pattern in (*patterns, _EVERYTHING):
            together.Add(pattern)
        together.Compile()
    except re2.error:
        return _one_by_one(patterns, names)
    found: list[list[str]] = [[] for _ in (*patterns, _EVERYTHING)]
    for name in names:
        matching = together.Match(name) or ()
        if len(patterns) not in matching:
            return _one_by_one(patterns, names)
        for index in matching:
            found[index].append(name)
    return {pattern: tuple(some) for pattern, some in zip(patterns, found, strict=False)}


def _one_by_one(patterns: Iterable[str], names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The same, slowly, for patterns that are too large to be searched for together."""
    compiled = {pattern: re2.compile(pattern, _options()) for pattern in patterns}
    return {pattern: tuple(name for name in names if one.search(name)) for pattern, one in compiled.items()}


def _options() -> re2.Options:
    options = re2.Options()
    options.log_errors = False  # they are told by whoever reads the HyperNode
    options.max_mem = MEMORY
    return options


def _words(error: Exception) -> str:
    """RE2's message, which may come as bytes."""
    said = error.args[0] if error.args else "it cannot be read"
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
