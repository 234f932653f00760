"""How well a conclusion matches the truth of a drawing: hosts in their unit and pod, misplaced cable ends found."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from discovery.scan import NodeKind
from topology.anomaly import Anomaly
from topology.hierarchy import HyperNode
from topology.synth.drawing import Drawing, End, Fault

MISPLACED_KINDS = frozenset({"swapped-rails", "swapped-cables", "stray-cable"})


@dataclass(frozen=True, slots=True)
class Score:
    """One conclusion against the truth."""

    hosts: int
    """That are in a unit and still have a cable."""
    misplaced: tuple[str, ...]
    """Those of them that stand in another domain than most of their unit, or of their pod."""
    roots: int
    missed: frozenset[End]
    """Ends of misplaced cables that no anomaly names."""
    invented: frozenset[End]
    """Switch ends that an anomaly calls misplaced although they are right."""
    found: int

    @property
    def placed(self) -> float:
        """Share of the hosts that stand where they belong; 1 for no hosts."""
        return 1 - len(self.misplaced) / self.hosts if self.hosts else 1.0

    @property
    def precision(self) -> float:
        """Share of the named ends that are misplaced; 1 for none named."""
        return self.found / (self.found + len(self.invented)) if self.found or self.invented else 1.0

    @property
    def recall(self) -> float:
        """Share of the misplaced ends that are named; 1 for none misplaced."""
        return self.found / (self.found + len(self.missed)) if self.found or self.missed else 1.0


def score(drawing: Drawing, hyper_nodes: Sequence[HyperNode], anomalies: Iterable[Anomaly]) -> Score:
    """Score the tree and the anomalies that were concluded from the drawing alone."""
    attached = np.flatnonzero(drawing.attached() & (drawing.host_unit >= 0)).tolist()
    units = {drawing.hosts[host]: int(drawing.host_unit[host]) for host in attached}
    pods = {drawing.hosts[host]: int(drawing.host_pod[host]) for host in attached}
    wrong = _misplaced(units, hyper_nodes, "leaf")
    if bool((drawing.places.level > 0).any()):
        wrong |= _misplaced(pods, hyper_nodes, "spine")
    truth = drawing.switch_ends(Fault.RAILS_EXCHANGED, Fault.HOSTS_EXCHANGED, Fault.STRAY)
    named = _named_switch_ends(drawing, anomalies)
    return Score(
        hosts=len(attached),
        misplaced=tuple(sorted(wrong)),
        roots=sum(node.parent is None for node in hyper_nodes),
        missed=truth - named,
        invented=named - truth,
        found=len(truth & named),
    )


def _misplaced(truth: Mapping[str, int], hyper_nodes: Sequence[HyperNode], tier: str) -> set[str]:
    """Hosts outside the one domain that stands for their unit or pod: the one that holds most of it, and mostly it."""
    domain_of: dict[str, str] = {}
    votes: dict[str, Counter[int]] = defaultdict(Counter)
    for node in hyper_nodes:
        if node.tier_name == tier:
            for host in node.nodes:
                if host in truth:
                    domain_of[host] = node.name
                    votes[node.name][truth[host]] += 1
    stands_for: dict[int, tuple[int, str]] = {}
    for name, counted in votes.items():
        group, hosts = counted.most_common(1)[0]
        stands_for[group] = max(stands_for.get(group, (0, "")), (hosts, name))
    right = {group: name for group, (_, name) in stands_for.items()}
    return {host for host, group in truth.items() if domain_of.get(host, "none") != right.get(group)}


def _named_switch_ends(drawing: Drawing, anomalies: Iterable[Anomaly]) -> frozenset[End]:
    switches = set(drawing.nodes.guid[drawing.nodes.kind == NodeKind.SWITCH].tolist())
    ends = {
        (int(end.guid, 16), end.port)
        for anomaly in anomalies
        if anomaly.kind in MISPLACED_KINDS
        for end in anomaly.where
        if end.guid is not None and end.port is not None
    }
    return frozenset(end for end in ends if end[0] in switches)
