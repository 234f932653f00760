"""What several tests count in a drawing, or in what is concluded from it."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from topology.conclude import Conclusion
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


def domains(conclusion: Conclusion, tier_name: str) -> set[frozenset[str]]:
    """The node sets of the HyperNodes of one tier."""
    return {frozenset(node.nodes) for node in conclusion.hierarchy.hyper_nodes if node.tier_name == tier_name}


def roots(conclusion: Conclusion) -> list[frozenset[str]]:
    """The node sets of the HyperNodes without a parent."""
    return [frozenset(node.nodes) for node in conclusion.hierarchy.hyper_nodes if node.parent is None]


def units(drawing: Drawing) -> set[frozenset[str]]:
    """The hosts of each unit, by truth."""
    return _grouped(drawing, drawing.host_unit)


def pods(drawing: Drawing) -> set[frozenset[str]]:
    """The hosts of each pod, by truth."""
    return _grouped(drawing, drawing.host_pod)


def _grouped(drawing: Drawing, group: NDArray[np.int32]) -> set[frozenset[str]]:
    hosts = np.array(drawing.hosts)
    return {frozenset(hosts[group == one].tolist()) for one in np.unique(group[group >= 0]).tolist()}


def wrong_levels(drawing: Drawing, conclusion: Conclusion) -> dict[str, tuple[int, int]]:
    """Switches whose concluded level is not the true one: description to (true, concluded)."""
    level_of = dict(zip(drawing.nodes.guid.tolist(), drawing.places.level.tolist(), strict=True))
    rows = zip(conclusion.graph.switches, conclusion.structure.level.tolist(), strict=True)
    return {
        switch.description: (level_of[switch.guid], level) for switch, level in rows if level_of[switch.guid] != level
    }


def kinds(conclusion: Conclusion) -> dict[str, int]:
    """How many anomalies there are of each kind."""
    return dict(Counter(anomaly.kind for anomaly in conclusion.anomalies))
