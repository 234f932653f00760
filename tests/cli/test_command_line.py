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
