"""What a what-if asks: the gang in values, and the snapshot that it is asked of, captured or live."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cli.ending import CommandError
from cli.finding import as_typed, did_you_mean, find_name
from cli.whatif.taints import tolerating
from cli.whatif.tolerations import read_tolerations
from scheduler.kernel.gang import Gang, Mode
from scheduler.kernel.snapshot import Snapshot
from scheduler.kernel.tree import Tree
from scheduler.kernel.what_if import GangTextError, parse_amounts, parse_gang_text

if TYPE_CHECKING:
    from cli.captured import Offer

_NUMBER = re.compile(r"[-+]?[0-9]+([.,][0-9]*)?")
"""What nobody means as a tier's name."""
HIGHEST_TIER = 999_999_999


@dataclass(frozen=True, slots=True)
class Source:
    """Where the fabric and its nodes come from; without paths the live cluster."""

    paths: Sequence[str]
    nodes: str | None
    node_resources: str | None
    kubeconfig: str
    tolerates: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """What is asked: the snapshot, and what had to be assumed of every node (None: the cluster itself says it)."""

    snapshot: Snapshot
    assumed: Offer | None


def read_gang(text: str, mode: Mode, tier: str | None, tolerate: Sequence[str] = ()) -> Gang:
    """The gang that `--gang`, `--hard TIER`, `--soft` and `--tolerate` describe; TIER is a number or a tier's name."""
    try:
        classes = parse_gang_text(text)
    except GangTextError as error:
        raise CommandError(f"--gang: {error}") from error
    number = None if tier is None else _read_tier(tier)
    name = tier if number is None else None
    gang = Gang(name=text, classes=classes, mode=mode, highest_tier=number, highest_tier_name=name)
    return tolerating(gang, read_tolerations(tolerate))


def _read_tier(tier: str) -> int | None:
    """The tier's number; None for a name. CommandError for what is neither."""
    if not tier.strip():
        raise CommandError("--hard: the tier is empty; give its number or its name")
    if not _NUMBER.fullmatch(tier):
        return None
    digits = tier.lstrip("0") or "0"
    if not digits.isdigit() or len(digits) > len(str(HIGHEST_TIER)):
        cut = tier if len(tier) <= 20 else f"{tier[:19]}…"
        raise CommandError(
            f"--hard: {cut} is no tier; give a whole number from 0 to {HIGHEST_TIER:,}, or a tier's name"
        )
    return int(digits)


def take(source: Source) -> Subject:
    """The snapshot as things stand; of a scan that is cut off it is said that it is."""
    if source.paths:
        if source.kubeconfig:
            raise CommandError("--kubeconfig names a cluster and PATH captured scans; give one of them")
        if source.tolerates:
            raise CommandError("captured scans know no taints; leave --tolerate out, or PATH to ask the live cluster")
        from cli.captured import captured_snapshot
        from cli.concluding import conclude_paths
        from cli.remarks import say_if_partial

        offer = _read_offer(source.node_resources)
        conclusion = conclude_paths(source.paths, source.nodes)
        say_if_partial(conclusion)
        return Subject(captured_snapshot(conclusion, offer), offer)
    for option, value in (("--nodes", source.nodes), ("--node-resources", source.node_resources)):
        if value is not None:
            raise CommandError(f"{option} describes the nodes of captured scans; give a PATH, or leave {option} out")
    from cli.live import ask, read_cluster, snapshot_of

    return Subject(snapshot_of(ask(read_cluster, "give captured scans as PATH", source.kubeconfig)), None)


def _read_offer(text: str | None) -> Offer:
    from cli.captured import DEFAULT_OFFER, full_offer

    try:
        return full_offer(DEFAULT_OFFER if text is None else parse_amounts(text))
    except GangTextError as error:
        raise CommandError(f"--node-resources: {error}") from error


def find_nodes(tree: Tree, typed: Sequence[str]) -> list[str]:
    """The nodes that `--without` names, in any case, whole or up to the first dot. CommandError for an unknown one."""
    return [_find(name, tree.position, "--without", "node") for name in typed]


def find_hyper_nodes(tree: Tree, typed: Sequence[str]) -> list[str]:
    """The HyperNodes that `--drain` names. CommandError for an unknown one."""
    return [_find(name, tree.index, "--drain", "HyperNode") for name in typed]


def _find(typed: str, known: Collection[str], option: str, kind: str) -> str:
    found = find_name(typed, known)
    if found is None:
        near = did_you_mean(typed, known) or "; hyperscout map shows the names"
        raise CommandError(f"{option}: no {kind} is named {as_typed(typed)}{near}")
    return found
