"""The snapshot that a what-if asks: captured or live, less what is drained or left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cli.ending import CommandError
from scheduler.kernel.snapshot import Snapshot, SnapshotError, leave_out


@dataclass(frozen=True, slots=True)
class Source:
    """Where the fabric and its nodes come from; without paths the live cluster."""

    paths: Sequence[str]
    nodes: str | None
    node_resources: str | None


DEFAULT_RESOURCES = "8gpu+1024cpu+16Ti"
"""Of every node in a captured fabric: 8 GPUs, and more of the rest than any pod asks for."""


def take(source: Source) -> Snapshot:
    """The snapshot as things stand."""
    if source.paths:
        from cli.captured import captured_snapshot
        from cli.concluding import conclude_paths
        from cli.whatif.gang_text import read_amounts

        resources = read_amounts(source.node_resources or DEFAULT_RESOURCES, "--node-resources")
        return captured_snapshot(conclude_paths(source.paths, source.nodes), resources)
    for option, value in (("--nodes", source.nodes), ("--node-resources", source.node_resources)):
        if value is not None:
            raise CommandError(f"{option} describes the nodes of captured scans; give a PATH, or leave {option} out")
    from cli.live import ask, read_cluster, snapshot_of

    return snapshot_of(ask(read_cluster))


def without(snapshot: Snapshot, drained: Sequence[str], left_out: Sequence[str]) -> Snapshot:
    """The snapshot in which the nodes of these HyperNodes, and these nodes, are not used."""
    tree = snapshot.tree
    gone = list(left_out)
    for name in drained:
        domain = tree.index.get(name)
        if domain is None:
            raise CommandError(f"--drain {name}: no HyperNode has this name; hyperscout map shows their names")
        gone += tree.node_names[tree.start[domain] : tree.end[domain]].tolist()
    try:
        return leave_out(snapshot, gone)
    except SnapshotError as error:
        raise CommandError(f"--without: {error}") from error
