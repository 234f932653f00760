"""The README's pictures are what the commands print on the fabric that it describes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cli.main import main
from topology.synth.damage import damage
from topology.synth.defects import Defects
from topology.synth.evidence import scan_of
from topology.synth.spec import Tree, units_of
from topology.synth.text import write_text
from topology.synth.tree import draw_tree

README = Path(__file__).resolve().parents[2] / "README.md"
PICTURE = re.compile(r"^```\n\$ hyperscout (.+)\n([\s\S]*?)^```$", re.MULTILINE)
FABRIC = Tree(units=units_of(192), tiers=3, pod_units=3, spines=4, cores=2, name="gpu", host_prefix="gpu-")
DEFECTS = Defects(rails_exchanged=0.0014, strays=1, missing=0.001, seed=3)


def test_the_pictures_are_real(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "fabric.txt").write_bytes(write_text(scan_of(damage(draw_tree(FABRIC), DEFECTS))))
    monkeypatch.chdir(tmp_path)
    pictures = PICTURE.findall(README.read_text())
    assert [command.split()[0] for command, _ in pictures] == ["map", "whatif"]
    for command, shown in pictures:
        main(command.split())
        assert capsys.readouterr().out == shown
