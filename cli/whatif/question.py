"""What a what-if asks: the gang in values, and the snapshot that it is asked of, captured or live."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cli.ending import CommandError
from scheduler.kernel.gang import Gang, Mode
from scheduler.kernel.snapshot import Snapshot
from scheduler.kernel.what_if import GangTextError, parse_amounts, parse_gang_text


@dataclass(frozen=True, slots=True)
class Source:
    """Where the fabric and its nodes come from; without paths the live cluster."""

    paths: Sequence[str]
    nodes: str | None
    node_resources: str | None


DEFAULT_RESOURCES = "8gpu+1024cpu+16Ti"
"""Of every node in a captured fabric: 8 GPUs, and more of the rest than any pod asks for."""


def read_gang(text: str, mode: Mode, tier: str | None) -> Gang:
    """The gang that `--gang`, `--hard TIER` and `--soft` describe; TIER is a number or a tier's name."""
    try:
        classes = parse_gang_text(text)
    except GangTextError as error:
        raise CommandError(f"--gang: {error}") from error
    number = int(tier) if tier is not None and tier.isascii() and tier.isdigit() and len(tier) < 10 else None
    name = tier if number is None else None
    return Gang(name=text, classes=classes, mode=mode, highest_tier=number, highest_tier_name=name)


def take(source: Source) -> Snapshot:
    """The snapshot as things stand."""
    if source.paths:
        from cli.captured import captured_snapshot
        from cli.concluding import conclude_paths

        try:
            resources = parse_amounts(source.node_resources or DEFAULT_RESOURCES)
        except GangTextError as error:
            raise CommandError(f"--node-resources: {error}") from error
        return captured_snapshot(conclude_paths(source.paths, source.nodes), resources)
    for option, value in (("--nodes", source.nodes), ("--node-resources", source.node_resources)):
        if value is not None:
            raise CommandError(f"{option} describes the nodes of captured scans; give a PATH, or leave {option} out")
    from cli.live import ask, read_cluster, snapshot_of

    return snapshot_of(ask(read_cluster))
