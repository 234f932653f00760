"""The way that every command with PATHs takes: scans, the nodes among their hosts, one conclusion."""

from __future__ import annotations

from collections.abc import Sequence

from cli.ending import CommandError
from cli.node_names import node_names
from cli.progress import phase
from cli.reading import read_scans
from discovery.source import STANDARD_INPUT as STDIN
from topology.conclude import Cluster, Conclusion, conclude


def conclude_paths(paths: Sequence[str], nodes: str | None) -> Conclusion:
    """Read the PATHs as scans of one cluster and conclude. CommandError where an input cannot be used."""
    if nodes == STDIN and STDIN in paths:
        raise CommandError(
            "- is both a PATH and --nodes, and there is only one standard input; give one of them as a file"
        )
    scans = read_scans(paths)
    with phase("concluding"):
        return conclude(scans, Cluster(names=node_names(nodes, scans)))
