"""Patterns of node names: Go RE2, searched; expected answers are those of Go's regexp documentation and of counting."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.kernel import node_patterns
from scheduler.kernel.node_patterns import find_names

NODES = ("node-1", "node-2", "node-10", "gpu-rack01-n1", "GPU-rack02-n1")


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("node-1", ["node-1", "node-10"]),
        ("^node-1$", ["node-1"]),
        ("rack0[12]", ["gpu-rack01-n1", "GPU-rack02-n1"]),
        ("(?i)^gpu-", ["gpu-rack01-n1", "GPU-rack02-n1"]),
        (r"^node-\d{2,}", ["node-10"]),
        (r"^\pL+-1\z", ["node-1"]),
        ("^(node-)+1$|rack01", ["node-1", "gpu-rack01-n1"]),
        ("(?P<unit>rack[0-9]+)-n1$", ["gpu-rack01-n1", "GPU-rack02-n1"]),
        ("nothing", []),
    ],
)
def test_patterns_are_searched_anywhere_in_the_name(pattern: str, expected: list[str]) -> None:
    found = find_names([pattern], NODES)
    assert (list(found.names[pattern]), dict(found.rejected)) == (expected, {})


@pytest.mark.parametrize(
    "pattern", ["a(b", "(?=node)", r"(node)\1", "a**", "x{1001}", "[z-a]", r"node\Z", "", "\ud800"]
)
def test_what_re2_rejects_matches_nothing_and_is_told(pattern: str) -> None:
    found = find_names([pattern, "^node-1$"], NODES)
    assert dict(found.names) == {"^node-1$": ("node-1",)}
    assert list(found.rejected) == [pattern]
    assert found.rejected[pattern]


@given(st.lists(st.from_regex(r"[a-c.*+?|^$()\[\]-]{1,8}", fullmatch=True), max_size=6), st.integers(1, 3))
def test_many_patterns_together_find_what_each_finds_alone(patterns: list[str], together: int) -> None:
    names = ("a", "b-c", "abc", "c-a-b", "")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node_patterns, "TOGETHER", together)
        both = find_names(patterns, names)
    for pattern in patterns:
        alone = find_names([pattern], names)
        assert both.names.get(pattern) == alone.names.get(pattern)
        assert both.rejected.get(pattern) == alone.rejected.get(pattern)


def test_patterns_too_large_to_be_searched_together_are_searched_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    long = "|".join(f"x{number}[a-z]{{60}}" for number in range(5))
    large = {rack: f"rack{rack:02}-|{long}" for rack in range(60)}
    monkeypatch.setattr(node_patterns, "MEMORY", 1 << 18)
    found = find_names(large.values(), NODES)
    assert found.rejected == {}
    assert [rack for rack, pattern in large.items() if found.names[pattern]] == [1, 2]
    assert found.names[large[1]] == ("gpu-rack01-n1",)


def test_a_hostile_pattern_takes_no_longer_than_another() -> None:
    found = find_names(["^(a+)+$"], ["a" * 5000 + "!", "aaa"])
    assert found.names["^(a+)+$"] == ("aaa",)
