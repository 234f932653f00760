"""What is counted in a drawing by several of these tests."""

from __future__ import annotations

from collections import Counter

import numpy as np

from topology.synth.drawing import Drawing


def switches_by_level(drawing: Drawing) -> dict[int, int]:
    """How many switches (ASICs) stand on each level."""
    level = drawing.places.level
    return dict(Counter(level[level >= 0].tolist()))


def cables_by_levels(drawing: Drawing) -> dict[tuple[int, int], int]:
    """How many present cables there are between two levels; a host or an aggregation node is level -1."""
    cables, level = drawing.cables, drawing.places.level
    ends = zip(level[cables.lower[cables.present]].tolist(), level[cables.upper[cables.present]].tolist(), strict=True)
    return dict(Counter(ends))


def ports_used_twice(drawing: Drawing) -> int:
    """How many ports have more than one present cable."""
    cables = drawing.cables
    rows = cables.present
    node = np.r_[cables.lower[rows], cables.upper[rows]].astype(np.int64)
    port = np.r_[cables.lower_port[rows], cables.upper_port[rows]].astype(np.int64)
    assert port.min() >= 1
    assert bool((port <= drawing.nodes.port_count[node]).all())
    return len(port) - len(np.unique(node * 100_000 + port))
