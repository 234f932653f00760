"""What every command has in common: help, version, and how a wrong call ends."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from tests.cli.running import run


def test_without_arguments_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    answer = run(capsys)
    assert answer.code == 0
    assert "Usage: hyperscout" in answer.out
    assert answer.err == ""


def test_version_prints_the_version_that_is_installed(capsys: pytest.CaptureFixture[str]) -> None:
    answer = run(capsys, "--version")
    assert (answer.code, answer.out) == (0, f"hyperscout {version('hyperscout')}\n")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["mop"], "mop"),
        (["map"], "PATH"),
        (["map", "-o", "xml", "scan.txt"], "xml"),
        (["map", "--node", "x", "scan.txt"], "--node"),
    ],
)
def test_a_wrong_call_is_one_sentence_that_points_to_help(
    capsys: pytest.CaptureFixture[str], arguments: list[str], word: str
) -> None:
    answer = run(capsys, *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("hyperscout: ")
    assert answer.err.count("\n") == 1
    assert word in answer.err
    assert "--help" in answer.err
    assert "Value error" not in answer.err


@pytest.mark.parametrize("command", [[], ["map"], ["whatif"], ["explain"], ["demo"]])
def test_help_shows_flags_without_a_value_and_nothing_cut_off(
    capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    answer = run(capsys, *command, "--help")
    assert (answer.code, answer.err) == (0, "")
    assert "-h, --help" in answer.out
    assert "bool" not in answer.out
    assert "..." not in answer.out.replace("[ARGS]...", "").replace("PATH}...", "").replace("PATH]...", "")


def test_help_of_whatif_says_what_nodes_are_taken_to_have(capsys: pytest.CaptureFixture[str]) -> None:
    text = " ".join(run(capsys, "whatif", "--help").out.split())
    assert "[default: 8gpu, cpu and memory without limit]" in text
