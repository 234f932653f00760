"""Answers without room for what is wrong say it on stderr: a scan that is cut off must not pass for a whole one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.remarks import LINES_OF_A_KIND
from tests.cli.dumps import write_dump
from tests.cli.running import Answer, run
from topology.synth.defects import Defects

FABRIC = Path(__file__).resolve().parents[2] / "fixtures" / "synthetic" / "fabric.txt"
PARTIAL = "hyperscout: warning partial-scan: "
DEFECTS = Defects(missing=0.2)


@pytest.fixture
def cut(tmp_path: Path) -> str:
    """The fabric of the README as a scan leaves it that ended before it saw the spines."""
    path = tmp_path / "cut.txt"
    path.write_bytes(b"".join(FABRIC.read_bytes()[:40000].splitlines(keepends=True)[:554]))
    return str(path)


def said(answer: Answer) -> list[str]:
    return answer.err.splitlines()


@pytest.mark.parametrize("form", ["yaml", "dot"])
def test_what_is_wrong_with_a_scan_is_said_beside_the_answer(
    capsys: pytest.CaptureFixture[str], cut: str, form: str
) -> None:
    answer = run(capsys, "map", cut, "--nodes", "^gpu", "-o", form)
    assert answer.code == 0
    assert [line.split(": ")[1] for line in said(answer)] == ["error swapped-rails", "warning partial-scan"]
    assert "partial-scan" not in answer.out


@pytest.mark.parametrize("form", ["tree", "json"])
def test_an_answer_that_tells_it_says_it_once(capsys: pytest.CaptureFixture[str], cut: str, form: str) -> None:
    answer = run(capsys, "map", cut, "--nodes", "^gpu", "-o", form)
    assert "partial-scan" in answer.out
    assert answer.err == ""


def test_many_findings_of_a_kind_are_a_few_lines_and_a_number(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = write_dump(tmp_path, defects=DEFECTS)
    found = json.loads(run(capsys, "map", path, "--nodes", "^node-", "-o", "json").out)["anomalies"]
    missing = [one for one in found if (one["kind"], one["severity"]) == ("missing-link", "warning")]
    assert len(missing) > LINES_OF_A_KIND
    lines = [
        line
        for line in said(run(capsys, "map", path, "--nodes", "^node-", "-o", "yaml"))
        if "warning missing-link: " in line
    ]
    assert len(lines) == LINES_OF_A_KIND + 1
    assert lines[-1].endswith(f"and {len(missing) - LINES_OF_A_KIND} more (-o json lists every one)")


@pytest.mark.parametrize("form", ["yaml", "dot"])
def test_nodes_that_have_no_place_are_said_and_a_few_are_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, form: str
) -> None:
    names = tmp_path / "nodes"
    names.write_text("".join(f"absent-{number:02}\n" for number in range(11)) + "node-00001\n")
    answer = run(capsys, "map", write_dump(tmp_path), "--nodes", str(names), "-o", form)
    assert answer.code == 0
    (line,) = said(answer)
    assert line.startswith("hyperscout: 11 nodes not placed, NoFabricPort: absent-00, ")
    assert line.endswith(" and 3 more")


@pytest.mark.parametrize("form", ["text", "json"])
def test_whatif_says_that_its_scan_is_cut_off_and_nothing_else_of_it(
    capsys: pytest.CaptureFixture[str], cut: str, form: str
) -> None:
    answer = run(capsys, "whatif", cut, "--nodes", "^gpu", "--gang", "2x8gpu", "--soft", "-o", form)
    assert answer.code == 0
    assert [line for line in said(answer) if "assumed of every node" not in line] == [
        line for line in said(answer) if line.startswith(PARTIAL)
    ]
    assert answer.err.count(PARTIAL) == 1


def test_a_whole_scan_has_nothing_said_of_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = write_dump(tmp_path)
    assert run(capsys, "map", path, "--nodes", "^node-", "-o", "dot").err == ""
    assert run(capsys, "whatif", path, "--gang", "2x8gpu", "--soft", "-o", "json").err == ""
