"""Dumps as ibnetdiscover would print them, drawn by `topology.synth`, written where a command can read them."""

from __future__ import annotations

from pathlib import Path

from topology.synth.damage import damage
from topology.synth.defects import Defects
from topology.synth.evidence import scan_of
from topology.synth.spec import Tree, Unit
from topology.synth.text import write_text
from topology.synth.tree import draw_tree

SMALL = Tree(units=(Unit(hosts=6, adapters=4),) * 3, spines=4)
"""3 units of 6 hosts with 4 rails, so 12 leaves; 4 spines: 18 hosts, 16 switches, named node-00000 and on."""
CABLES = 18 * 4 + 12 * 4
"""Host cables and one cable from each leaf to each spine."""


def write_dump(folder: Path, spec: Tree = SMALL, defects: Defects | None = None) -> str:
    """The whole fabric in one file; its path."""
    drawing = draw_tree(spec) if defects is None else damage(draw_tree(spec), defects)
    path = folder / f"{spec.name}.txt"
    path.write_bytes(write_text(scan_of(drawing)))
    return str(path)


def write_planes(folder: Path, spec: Tree) -> list[str]:
    """One file a plane."""
    drawing = draw_tree(spec)
    paths = [folder / f"{spec.name}-{plane}.txt" for plane in range(spec.planes)]
    for plane, path in enumerate(paths):
        path.write_bytes(write_text(scan_of(drawing, plane)))
    return [str(path) for path in paths]
