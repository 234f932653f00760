"""What is said of a replay that differs from what is expected."""

from __future__ import annotations

from cli.output import json_text
from cli.replay.comparing import differences
from cli.replay.document import HyperNodeRow, ReplayDocument


def document(*sweeps: str, members: tuple[str, ...] = ("a", "b")) -> ReplayDocument:
    row = HyperNodeRow(tier=2, tier_name="leaf", members=members, conditions={})
    return ReplayDocument("", {"leaf": row}, {}, {}, (), sweeps, ())


def test_of_a_list_only_the_lines_that_differ_are_said() -> None:
    expected = json_text(document("one", "two")).encode()
    assert differences(expected, document("one", "two")) == []
    assert differences(expected, document("one", "three", members=("a", "c"))) == [
        "- hyperNodes leaf members: a, b",
        "+ hyperNodes leaf members: a, c",
        "+ sweeps three: is told",
        "- sweeps two: is told",
    ]
