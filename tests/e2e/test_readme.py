"""The README's pictures are what its commands print on the fabric that lies beside them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from cli.main import main
from tests.e2e.fixture import fabric_text

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
PICTURE = re.compile(r"^```\n\$ hyperscout (.+)\n([\s\S]*?)^```$", re.MULTILINE)
LINE = re.compile(r"^    hyperscout ((?:map|explain) fixtures/.+|explain .+ --from fixtures/.+)$", re.MULTILINE)


def test_the_fabric_is_the_one_that_its_spec_draws() -> None:
    assert (ROOT / "fixtures" / "synthetic" / "fabric.txt").read_bytes() == fabric_text()


def test_the_pictures_are_real(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    pictures = PICTURE.findall(README)
    assert [command.split()[0] for command, _ in pictures] == ["map", "whatif"]
    for command, shown in pictures:
        main(shlex.split(command))
        assert capsys.readouterr().out == shown


def test_the_other_commands_on_that_fabric_work(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    lines = LINE.findall(README)
    assert len(lines) >= 3
    for line in lines:
        assert main(shlex.split(line, comments=True)) == 0, line
        assert capsys.readouterr().out
