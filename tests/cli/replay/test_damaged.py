"""Recordings that cannot be played: one sentence names what is wrong, and the exit code is 2."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from cli.replay.control import NoTreeError, PlayedController
from controller.snapshot import Snapshot
from discovery.recording import files
from tests.cli.running import run
from tests.sites.__main__ import FIXTURES


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    shutil.copytree(FIXTURES / "rail-swap", folder)
    return folder


def refused(capsys: pytest.CaptureFixture[str], folder: Path, *options: str) -> str:
    """The sentence."""
    answer = run(capsys, "replay", str(folder), *options)
    assert answer.code == 2, answer.err
    assert answer.err.count("\n") == 1 or answer.out, answer.err
    return answer.err


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("until", 10**15, "give 2678400 (31 days) at most"),
        ("at", "9999-12-31T23:59:00Z", "give a time from 1970 to 9998"),
        ("at", "0001-01-01T00:00:00+14:00", "give a time from 1970 to 9998"),
    ],
)
def test_a_recording_has_bounds(
    capsys: pytest.CaptureFixture[str], site: Path, key: str, value: object, said: str
) -> None:
    manifest = json.loads((site / "recording.json").read_bytes())
    (site / "recording.json").write_text(json.dumps({**manifest, key: value}))
    sentence = refused(capsys, site)
    assert "recording.json: " in sentence
    assert said in sentence


def test_a_moment_after_31_days_is_none(capsys: pytest.CaptureFixture[str], site: Path) -> None:
    shutil.copytree(site / "000000", site / "999999999")
    sentence = refused(capsys, site)
    assert "999999999: a recording lasts 2678400 seconds (31 days) at most" in sentence


@pytest.mark.parametrize("name", ["recording.json", "expected.json"])
def test_no_pipe_is_waited_for_and_no_device_is_read(capsys: pytest.CaptureFixture[str], site: Path, name: str) -> None:
    for make in (os.mkfifo, lambda file: file.symlink_to("/dev/zero")):
        (site / name).unlink()
        make(site / name)
        sentence = refused(capsys, site)
        assert name in sentence
        assert "a pipe, a device or a folder in place of a file" in sentence


def test_expected_results_are_not_written_into_a_pipe(capsys: pytest.CaptureFixture[str], site: Path) -> None:
    (site / "expected.json").unlink()
    os.mkfifo(site / "expected.json")
    assert "no ordinary file" in refused(capsys, site, "--write-expected")


@pytest.mark.parametrize("name", ["recording.json", "expected.json"])
def test_no_more_is_read_than_is_held(
    capsys: pytest.CaptureFixture[str], site: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (site / name).write_bytes(b" " * (2 << 20))
    monkeypatch.setattr(files, "MAX_FILE", 1 << 20)
    assert f"{name}: larger than 1,048,576 bytes" in refused(capsys, site)


@pytest.mark.parametrize("code", ["--5", "9" * 5000, "cut", "²"])
def test_an_exit_code_that_is_none_is_told_with_its_file(
    capsys: pytest.CaptureFixture[str], site: Path, code: str
) -> None:
    (site / "000000/fabrics/ib/ibnetdiscover.code").write_text(code)
    sentence = refused(capsys, site)
    assert "000000/fabrics/ib/ibnetdiscover.code: " in sentence
    assert "is no exit code; write a whole number" in sentence
    assert len(sentence) < 400


def test_a_name_that_is_no_text_is_told(capsys: pytest.CaptureFixture[str], site: Path) -> None:
    nodes = os.fsencode(site / "000000/nodes")
    os.rename(nodes + b"/gpu-00005", nodes + b"/a\xff")
    sentence = refused(capsys, site)
    assert "000000/nodes/a" in sentence
    assert "a name that is no text (UTF-8); rename it" in sentence


def test_what_a_node_cannot_be_played_from_is_named(
    capsys: pytest.CaptureFixture[str], site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("something")

    monkeypatch.setattr("cli.replay.node.PlayedAgent.look", broken)
    assert "nodes/gpu-00000 at second 0: something; repair what it holds" in refused(capsys, site)


def test_only_what_the_controller_concludes_is_no_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ValueError("two parents")

    monkeypatch.setattr("cli.replay.control.decide", broken)
    with pytest.raises(NoTreeError, match="two parents"):
        PlayedController().look(Snapshot(), 0, None)  # type: ignore[arg-type]  # nothing comes to need a time
