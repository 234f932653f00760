"""The way that every command with PATHs takes: scans, the nodes among their hosts, one conclusion."""

from __future__ import annotations

from collections.abc import Sequence

from cli.node_names import node_names
from cli.reading import read_scans
from topology.conclude import Cluster, Conclusion, conclude


def conclude_paths(paths: Sequence[str], nodes: str | None) -> Conclusion:
    """Read the PATHs as scans of one cluster and conclude. CommandError where an input cannot be used."""
    scans = read_scans(paths)
    return conclude(scans, Cluster(names=node_names(nodes, scans)))
