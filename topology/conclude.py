"""The whole way through this room in one call: scans in; graph, structure, tree and anomalies out.

The map command, what-if and the controller all go through here, so they can never disagree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from discovery.scan import Scan
from topology.anomalies import find_anomalies
from topology.anomaly import Anomaly
from topology.choices import kept_fabrics
from topology.cluster import EVERY_HOST, Cluster
from topology.domains import find_structure, says_the_same
from topology.graph import Graph, Unplaced
from topology.hierarchy import DEFAULT_TIERS, Hierarchy, HyperNode, check_tiers
from topology.merge import merge
from topology.structure import Structure
from topology.tree import build_tree

__all__ = ["Cluster", "Conclusion", "Settings", "conclude"]

ROUNDS = 4
"""So often a tree is asked for what it keeps itself: what an NVLink domain drew along no longer tells what it chose."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What an operator may decide about the tree."""

    tiers: Mapping[str, int] = field(default_factory=lambda: dict(DEFAULT_TIERS))
    nvlink_tier: bool | None = None
    """True or False as the setting `tiers.nvlink: on|off`; None decides by the rules."""

    def __post_init__(self) -> None:
        check_tiers(self.tiers)
        if self.nvlink_tier and "nvlink" not in self.tiers:
            raise ValueError("a tier of NVLink domains needs a number below that of leaf in the tier table")


@dataclass(frozen=True, slots=True, eq=False)
class Conclusion:
    """Everything that one look at the evidence says."""

    graph: Graph
    structure: Structure
    hierarchy: Hierarchy
    anomalies: tuple[Anomaly, ...]
    unplaced: tuple[Unplaced, ...]


def conclude(
    scans: Sequence[Scan],
    cluster: Cluster = EVERY_HOST,
    settings: Settings = Settings(),
    previous: Sequence[HyperNode] = (),
) -> Conclusion:
    """Conclude from all current scans. `previous` is the tree as it stands: names, fabrics and tie-breaks keep to
    it."""
    graph = merge(scans, cluster)
    structure = find_structure(graph, kept_fabrics(previous))
    nvlink_tier = settings.nvlink_tier if "nvlink" in settings.tiers else False
    tree = build_tree(graph, structure, cluster.nvlink, settings.tiers, nvlink_tier, previous)
    for _ in range(ROUNDS if previous else 0):
        after = kept_fabrics(tree.hierarchy.hyper_nodes)
        if not any(fabric.rule == "kept" for fabric in structure.fabrics) or says_the_same(graph, structure, after):
            break
        structure = find_structure(graph, after)
        tree = build_tree(graph, structure, cluster.nvlink, settings.tiers, nvlink_tier, previous)
    anomalies = (*find_anomalies(graph, structure, cluster.contested), *tree.anomalies)
    return Conclusion(graph, structure, tree.hierarchy, anomalies, tree.unplaced)
