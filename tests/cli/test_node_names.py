"""`--nodes FILE|REGEX`: an existing file is a list of names, anything else is searched in host names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.dumps import write_dump
from tests.cli.running import run
from topology.synth.spec import Tree, Unit

DOMAIN_NAMES = Tree(units=(Unit(hosts=4, adapters=2),), host_names=("GPU-1.a.net", "GPU-2.a.net", "x.a.net", "x.b.net"))


def nodes_of(capsys: pytest.CaptureFixture[str], path: str, choice: str) -> tuple[list[str], list[str]]:
    """Nodes in the tree, and nodes without a place."""
    answer = run(capsys, "map", path, "--nodes", choice, "-o", "json")
    assert answer.code == 0, answer.err
    document = json.loads(answer.out)
    placed = {node for one in document["hyperNodes"] for node in one["nodes"]}
    return sorted(placed), [one["node"] for one in document["unplaced"]]


def test_a_regex_is_searched_anywhere_in_the_name(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    placed, _ = nodes_of(capsys, write_dump(tmp_path), "0[12]$")
    assert placed == ["node-00001", "node-00002"]


def test_names_of_a_file_may_be_commented_and_as_kubectl_prints_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    names = tmp_path / "nodes.txt"
    names.write_text("# the first row\n\nnode/node-00003\n  NODE-00004  # spare\r\n")
    placed, unplaced = nodes_of(capsys, write_dump(tmp_path), str(names))
    assert (placed, unplaced) == (["node-00003", "node-00004"], [])


def test_names_are_equal_whole_or_up_to_the_first_dot_where_that_is_unique(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    names = tmp_path / "nodes.txt"
    names.write_text("gpu-1\ngpu-2.a.net\nx\n")
    placed, unplaced = nodes_of(capsys, write_dump(tmp_path, DOMAIN_NAMES), str(names))
    assert (placed, unplaced) == (["gpu-1", "gpu-2.a.net"], ["x"])


def test_without_it_every_named_host_is_a_node_in_lower_case(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    document = json.loads(run(capsys, "map", write_dump(tmp_path, DOMAIN_NAMES), "-o", "json").out)
    assert document["hyperNodes"][0]["nodes"] == ["gpu-1.a.net", "gpu-2.a.net", "x.a.net", "x.b.net"]


@pytest.mark.parametrize(
    ("choice", "word"),
    [("(", "no regular expression"), ("^gpu", "matches none of the 18 host names, such as node-00000")],
)
def test_a_choice_that_chooses_nothing_is_a_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, choice: str, word: str
) -> None:
    answer = run(capsys, "map", write_dump(tmp_path), "--nodes", choice)
    assert (answer.code, answer.out) == (2, "")
    assert word in answer.err


@pytest.mark.parametrize("content", [b"\n# nobody\n", b"node-1 node-2\n", b"\xff\xfe\x00"])
def test_a_file_that_is_no_list_of_names_is_a_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: bytes
) -> None:
    names = tmp_path / "nodes.txt"
    names.write_bytes(content)
    answer = run(capsys, "map", write_dump(tmp_path), "--nodes", str(names))
    assert (answer.code, answer.out) == (2, "")
    assert f"--nodes {names}" in answer.err
    assert answer.err.count("\n") == 1
