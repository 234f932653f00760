"""The spec of fixtures/synthetic/fabric.txt. `python -m tests.e2e.fixture` prints the file."""

from __future__ import annotations

import sys

from topology.synth.damage import damage
from topology.synth.defects import Defects
from topology.synth.evidence import scan_of
from topology.synth.spec import Tree, units_of
from topology.synth.text import write_text
from topology.synth.tree import draw_tree

FABRIC = Tree(units=units_of(96, 16, 4), tiers=3, pod_units=3, spines=4, cores=2, name="gpu", host_prefix="gpu-")
DEFECTS = Defects(rails_exchanged=0.0053, strays=1, missing=0.0035, seed=2)


def fabric_text() -> bytes:
    """The fabric as ibnetdiscover would print it."""
    return write_text(scan_of(damage(draw_tree(FABRIC), DEFECTS)))


if __name__ == "__main__":
    sys.stdout.buffer.write(fabric_text())
