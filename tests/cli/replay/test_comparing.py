"""What is said of a replay that differs from what is expected."""

from __future__ import annotations

from cli.output import json_text
from cli.replay.comparing import differences
from cli.replay.document import HyperNodeRow, NodeCounts, NodeRow, ReplayDocument


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


def of_nodes(**nodes: NodeRow) -> ReplayDocument:
    return ReplayDocument("", {}, nodes, {}, (), (), ())


def test_counts_are_compared_where_they_are_expected() -> None:
    well, gone = (NodeRow(counts=NodeCounts(ports, *rest)) for ports, *rest in (({"Up": 2}, 3, 4), ({}, 0, 0)))
    assert differences(json_text(of_nodes(a=well)).encode(), of_nodes(a=well)) == []
    assert differences(json_text(of_nodes(a=well)).encode(), of_nodes(a=gone)) == [
        "- nodes a counts interfaces: 3",
        "+ nodes a counts interfaces: 0",
        "- nodes a counts neighbours: 4",
        "+ nodes a counts neighbours: 0",
        "+ nodes a counts ports: {}",
        "- nodes a counts ports Up: 2",
    ]


def test_older_results_say_nothing_of_counts() -> None:
    row = NodeRow(counts=NodeCounts({"Up": 2}, 0, 0))
    older = json_text(of_nodes(a=NodeRow())).encode()
    assert b"counts" not in older
    assert differences(older, of_nodes(a=row)) == []
    assert "+ nodes b counts ports Up: 2" in differences(older, of_nodes(a=row, b=row))
