"""Streams that are closed, full or cut: one sentence and the documented exit code, whatever the command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli.main import main
from tests.cli.dumps import write_dump

HYPERSCOUT = Path(sys.executable).parent / "hyperscout"
COMMANDS = (
    "map {dump}",
    "map {dump} -o json",
    "whatif {dump} --gang 1x8gpu --soft",
    "explain node node-00001 --from {dump}",
    "--version",
    "map --help",
)
FULL = "hyperscout: the answer could not be written: No space left on device; write it where there is room for it"


def in_shell(line: str) -> subprocess.CompletedProcess[str]:
    """A line of shell in which `hyperscout` is the command."""
    environment = {**os.environ, "PATH": f"{HYPERSCOUT.parent}:{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, env=environment, timeout=60, check=False
    )  # fmt: skip


@pytest.fixture
def dump(tmp_path: Path) -> str:
    return write_dump(tmp_path)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_is_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, dump: str, command: str
) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        code = main(command.format(dump=dump).split())
    assert code == 2
    assert capsys.readouterr().err.splitlines()[-1] == FULL


@pytest.mark.parametrize("command", COMMANDS)
def test_a_closed_standard_output_is_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, dump: str, command: str
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert main(command.format(dump=dump).split()) == 2
    said = capsys.readouterr().err
    assert said.startswith("hyperscout: standard output is closed")
    assert said.count("\n") == 1


def test_in_a_shell_it_is_that_sentence_alone(dump: str) -> None:
    for command in (f"map {dump}", "demo"):
        full = in_shell(f"hyperscout {command} > /dev/full")
        assert (full.returncode, full.stderr) == (2, FULL + "\n")
    closed = in_shell(f"hyperscout map {dump} >&-")
    assert (closed.returncode, closed.stderr.count("\n")) == (2, 1)


def test_a_closed_standard_input_is_one_sentence(dump: str) -> None:
    for line in ("hyperscout map - <&-", f"hyperscout map {dump} --nodes - <&-"):
        done = in_shell(line)
        assert (done.returncode, done.stdout) == (2, "")
        assert "standard input is closed" in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("where", ["2>&-", "2>/dev/full"])
def test_where_nobody_hears_remarks_the_answer_stays(dump: str, where: str) -> None:
    answer = in_shell(f"hyperscout map {dump} -o yaml {where}")
    assert (answer.returncode, answer.stdout.count("kind: HyperNode")) == (0, 4)


@pytest.mark.parametrize("command", ["map --help", "demo"])
def test_a_reader_that_has_seen_enough_is_no_error(command: str) -> None:
    done = in_shell(f"hyperscout {command} | true; exit ${{PIPESTATUS[0]}}")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert "hyperscout:" not in done.stderr


def test_an_encoding_that_cannot_carry_the_answer_is_named(dump: str) -> None:
    path = Path(dump)
    path.write_bytes(path.read_bytes().replace(b"node-00000", "nöde-00000".encode()))
    done = in_shell(f"PYTHONIOENCODING=ascii hyperscout map {path} -o json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("hyperscout: standard output takes ascii only")
    assert done.stderr.count("\n") == 1
