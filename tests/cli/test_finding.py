"""Names as people type them."""

from __future__ import annotations

import pytest

from cli.finding import did_you_mean, find_name

KNOWN = ("tank1", "tank2", "gpu-1.dc1.example", "gpu-2.dc1.example", "gpu-2.dc2.example")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("tank1", "tank1"),
        ("TANK1", "tank1"),
        ("tank1.cluster.local", "tank1"),
        ("GPU-1", "gpu-1.dc1.example"),
        ("gpu-2", None),
        ("tank", None),
        ("", None),
    ],
)
def test_a_name_is_found_in_any_case_and_up_to_its_first_dot(typed: str, meant: str | None) -> None:
    assert find_name(typed, KNOWN) == meant


def test_two_spellings_are_told_apart_by_case_only_where_it_is_given() -> None:
    assert find_name("a", ["A", "a"]) == "a"
    assert find_name("Ab", ["AB", "ab"]) is None


def test_what_was_meant_is_suggested() -> None:
    assert did_you_mean("tnak1", KNOWN) == "; did you mean tank1?"
    assert did_you_mean("tank3", KNOWN) == "; did you mean tank2 or tank1?"
    assert did_you_mean("example", KNOWN).startswith("; did you mean gpu-1.dc1.example, gpu-2")
    assert did_you_mean("zzz", KNOWN) == ""
    assert did_you_mean("tank", []) == ""
