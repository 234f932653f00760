"""`--nodes FILE|REGEX`: an existing file is a list of names, anything else is searched in host names."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.dumps import write_dump
from tests.cli.running import feed, run
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
    [
        ("(", "no regular expression of RE2"),
        (r"(?=n)", "no regular expression of RE2"),
        ("\udcff", "no regular expression of RE2"),
        ("^gpu", "matches no host; there are 18 host names, such as node-00000"),
        (" ", "--nodes is empty"),
        ("/", "it is a directory, and as a regular expression it matches no host"),
    ],
)
def test_a_choice_that_chooses_nothing_is_a_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, choice: str, word: str
) -> None:
    answer = run(capsys, "map", write_dump(tmp_path), "--nodes", choice)
    assert (answer.code, answer.out) == (2, "")
    assert word in answer.err


@pytest.mark.parametrize(
    "content", [b"\n# nobody\n", b"node-1 node-2\n", b"node-00001,node-00002\n", b"node-00001\na\tb\n", b"\xff\xfe\x00"]
)
def test_a_file_that_is_no_list_of_names_is_a_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: bytes
) -> None:
    names = tmp_path / "nodes.txt"
    names.write_bytes(content)
    answer = run(capsys, "map", write_dump(tmp_path), "--nodes", str(names))
    assert (answer.code, answer.out) == (2, "")
    assert f"--nodes {names}" in answer.err
    assert answer.err.count("\n") == 1


def test_an_expression_that_backtracks_for_ever_elsewhere_is_searched_at_once(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = Path(write_dump(tmp_path))
    path.write_bytes(path.read_bytes().replace(b"node-00000", b"a" * 50))
    answer = run(capsys, "map", str(path), "--nodes", "^(a+)+$|^node-00001$", "-o", "json")
    assert answer.code == 0
    assert run(capsys, "map", str(path), "--nodes", "^(a+)+b$").code == 2


def test_upper_and_lower_case_are_one(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert nodes_of(capsys, write_dump(tmp_path), "^NODE-0000[12]$")[0] == ["node-00001", "node-00002"]


def test_a_directory_of_that_name_does_not_keep_an_expression_from_being_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "node").mkdir()
    monkeypatch.chdir(tmp_path)
    assert len(nodes_of(capsys, write_dump(tmp_path), "node")[0]) == 18


def test_a_pipe_holds_names(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"node/node-00003\nnode/absent\n")
    os.close(writing)
    try:
        assert nodes_of(capsys, write_dump(tmp_path), f"/dev/fd/{reading}") == (["node-00003"], ["absent"])
    finally:
        os.close(reading)


def test_standard_input_holds_names(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    feed(monkeypatch, b"node-00003\n")
    assert nodes_of(capsys, write_dump(tmp_path), "-") == (["node-00003"], [])


def test_standard_input_cannot_be_scan_and_names(capsys: pytest.CaptureFixture[str]) -> None:
    answer = run(capsys, "map", "-", "--nodes", "-")
    assert answer.code == 2
    assert "only one standard input" in answer.err


def test_a_file_that_names_no_host_is_a_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    names = tmp_path / "nodes.txt"
    names.write_text("gpu-1\ngpu-2\n")
    answer = run(capsys, "map", write_dump(tmp_path), "--nodes", str(names))
    assert (answer.code, answer.out) == (2, "")
    assert "none of its 2 names, such as gpu-1, gpu-2, is a host" in answer.err
    assert "there are 18 host names, such as node-00000" in answer.err


@pytest.mark.parametrize(
    "call",
    [
        ("map", "{dump}", "--nodes", "a", "--nodes=b"),
        ("map", "{dump}", "-o", "json", "--output", "yaml"),
        ("whatif", "{dump}", "--soft", "--gang", "1x8gpu", "--gang", "2x8gpu"),
        ("explain", "node", "node-00000", "--from", "{dump}", "--nodes", "a", "--nodes", "b"),
    ],
)
def test_an_option_that_is_given_twice_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, call: tuple[str, ...]
) -> None:
    dump = write_dump(tmp_path)
    answer = run(capsys, *(word.format(dump=dump) for word in call))
    assert (answer.code, answer.out) == (2, "")
    assert "is given twice" in answer.err
    assert answer.err.count("\n") == 1


def test_options_that_may_be_repeated_still_may(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    dump = write_dump(tmp_path)
    without = ("--without", "node-00000", "--without", "node-00001")
    assert run(capsys, "whatif", dump, "--soft", "--gang", "1x8gpu", *without).code == 0
    assert run(capsys, "explain", "node", "node-00000", "--from", dump, "--from", dump).code == 0
