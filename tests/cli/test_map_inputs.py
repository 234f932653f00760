"""What `map` reads: files, standard input, big and broken ones. Bad input is one sentence and exit code 2."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cli.reading import read_scans
from tests.cli.dumps import write_dump
from tests.cli.running import feed, run

LONE_ADAPTER = (
    b'vendid=0x2c9\ndevid=0x1021\nsysimgguid=0x1\ncaguid=0x1\nCa\t1 "H-0000000000000001"\t\t# "gpu-1 mlx5_0"\n'
)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one sentence with which bad input is answered."""
    answer = run(capsys, "map", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.count("\n") == 1
    return answer.err


def test_standard_input_is_a_scan(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = write_dump(tmp_path)
    from_file = run(capsys, "map", path, "-o", "json")
    feed(monkeypatch, Path(path).read_bytes())
    assert run(capsys, "map", "-", "-o", "json") == from_file


def test_standard_input_cannot_be_two_scans(capsys: pytest.CaptureFixture[str]) -> None:
    assert "only one standard input" in refused(capsys, "-", "-")


def test_a_file_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert str(tmp_path / "none") in refused(capsys, str(tmp_path / "none"))


def test_an_empty_path_is_called_empty(capsys: pytest.CaptureFixture[str]) -> None:
    assert "a PATH is empty" in refused(capsys, "")


def test_a_folder_is_no_scan(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert str(tmp_path) in refused(capsys, str(tmp_path))


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "empty"),
        (b"\x7fELF\0\0\0", "binary"),
        (b"\x1f\x8b\x08", "compressed"),
        (b"hello\nworld\n", "not one line"),
        ("hello".encode("utf-16"), "UTF-16"),
        ("hello".encode("utf-32"), "UTF-32"),
    ],
)
def test_what_is_no_scan_is_refused_with_the_reason(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: bytes, word: str
) -> None:
    path = tmp_path / "scan.txt"
    path.write_bytes(content)
    sentence = refused(capsys, str(path))
    assert str(path) in sentence
    assert word in sentence


def test_adapters_alone_are_no_fabric(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "scan.txt"
    path.write_bytes(LONE_ADAPTER)
    assert "no switches seen" in refused(capsys, str(path))


def test_lines_that_cannot_be_read_are_named_and_the_rest_counts(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = Path(write_dump(tmp_path))
    whole = run(capsys, "map", str(path), "-o", "json")
    lines = path.read_bytes().splitlines(keepends=True)
    bad = [b"[x] nonsense\n"] * 7
    path.write_bytes(b"".join([*lines[:3], *bad, *lines[3:]]))
    answer = run(capsys, "map", str(path), "-o", "json")
    assert answer.out == whole.out
    assert "7 lines could not be used" in answer.err
    assert f"{path}:4:" in answer.err
    assert "... and 2 more" in answer.err


def test_a_big_file_shows_a_progress_bar_on_stderr(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = write_dump(tmp_path)
    capsys.readouterr()
    assert read_scans([path], show_progress_from=Path(path).stat().st_size)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"parsing {Path(path).name}" in captured.err


def test_a_small_file_shows_none(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = write_dump(tmp_path)
    capsys.readouterr()
    assert read_scans([path])
    assert capsys.readouterr().err == ""


def test_control_characters_of_a_description_do_not_reach_the_terminal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = Path(write_dump(tmp_path))
    path.write_bytes(path.read_bytes().replace(b"node-00000", b"node\x1b[2J0"))
    for form in ("tree", "dot"):
        answer = run(capsys, "map", str(path), "-o", form)
        assert answer.code == 0
        assert "\x1b" not in answer.out + answer.err


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    path = write_dump(tmp_path)
    command = [
        sys.executable,
        "-c",
        "import sys; from cli.main import main; sys.exit(main())",
        "map",
        path,
        "-o",
        "json",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.wait(timeout=60) == 0
        assert process.stderr.read() == b""
