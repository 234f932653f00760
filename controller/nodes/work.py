"""What is to be written to Nodes and NodeReports beside their conditions: owners, labels, taints. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from controller.nodes.labels import NONE, Labels, change_labels, stand, wanted_labels
from controller.nodes.ownership import Claim, find_claims
from controller.nodes.taints import Taints, choose_taints
from controller.settings import NodeMarks
from controller.snapshot import Snapshot
from topology.health import Findings, Health
from topology.hierarchy import Hierarchy

_NAMED = 3


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What a look concluded, as far as Nodes have to do with it."""

    tree: Hierarchy
    health: Health
    findings: Findings
    foreign: AbstractSet[str] = frozenset()
    """Nodes that HyperNodes of others hold."""


@dataclass(frozen=True, slots=True)
class NodeWork:
    """Only what differs from what stands."""

    claims: tuple[Claim, ...] = ()
    labels: Mapping[str, Labels] = field(default_factory=dict)
    """By node: all labels that it should have from us."""
    taken: Mapping[str, str] = field(default_factory=dict)
    """Label keys that others use, each with a sentence."""
    taints: Taints = field(default_factory=lambda: Taints({}))
    asked: bool = False
    """Whether the settings ask for labels or taints; else there is only something to take off."""

    @property
    def limited(self) -> frozenset[str]:
        """Places whose limit keeps nodes from the taint."""
        return frozenset(held.place for held in self.taints.held_back)


def find_work(snapshot: Snapshot, judged: Judged, settings: NodeMarks) -> NodeWork:
    """From the objects as they stand and what was concluded."""
    labels, taken = _labels(snapshot, judged, settings)
    taints = choose_taints(snapshot.nodes, judged.tree, judged.health.nodes, judged.findings, settings)
    return NodeWork(find_claims(snapshot), labels, taken, taints, settings.edits_nodes)


def _labels(snapshot: Snapshot, judged: Judged, settings: NodeMarks) -> tuple[dict[str, Labels], dict[str, str]]:
    """Labels of nodes that others hold stay as they are: HyperNodes may be made from labels, and must not blink."""
    wanted = wanted_labels(judged.tree, settings)
    left_alone = judged.foreign if settings.labels or settings.other_labels else frozenset[str]()
    changed: dict[str, Labels] = {}
    taken: dict[str, list[str]] = defaultdict(list)
    for node in snapshot.nodes:
        name, metadata = node.metadata.name, node.metadata
        should = wanted.get(name, NONE)
        if stand(metadata.labels, metadata.annotations, should) or name in left_alone:
            continue
        change = change_labels(metadata.labels, metadata.annotations, should)
        if change.changes:
            changed[name] = should
        for key, value in change.taken.items():
            taken[key].append(f"{name} ({value})")
    return changed, {key: _left(found) for key, found in taken.items()}


def _left(found: list[str]) -> str:
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return f"set by others and left as it is on {', '.join(found[:_NAMED])}{more}"
