"""The taint of Nodes whose fabric is unhealthy: who gets it, who loses it, and who is kept from it by the limits.

Pure. Only current evidence adds or removes; where it is old or unknown, what stands stays. The limits hold up additions
and remove nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from controller.nodes.marks import TAINT
from controller.settings import NodeMarks
from kube.types import Node
from topology.health import Condition, Findings, Freshness
from topology.hierarchy import Hierarchy
from topology.links import KnownLinks
from topology.staying import lowest_of

CLUSTER = ""
"""The place that holds all Nodes."""


@dataclass(frozen=True, slots=True)
class HeldBack:
    """Nodes that a limit keeps from the taint."""

    place: str
    """A lowest HyperNode, or CLUSTER."""
    nodes: tuple[str, ...]
    tainted: int
    size: int


@dataclass(frozen=True, slots=True)
class Taints:
    """By node the effect that its taint should have, "" none, for those that have another; and who is kept from it."""

    changes: Mapping[str, str]
    held_back: tuple[HeldBack, ...] = ()


def choose_taints(
    nodes: Sequence[Node], tree: Hierarchy, health: Mapping[str, Condition], findings: Findings, settings: NodeMarks
) -> Taints:
    """From the conditions FabricHealthy and the age of what they are concluded from."""
    standing = {node.metadata.name: _effects(node) for node in nodes if node.spec.taints and _effects(node)}
    if not settings.taint:
        return Taints(dict.fromkeys(standing, ""))
    names = {node.metadata.name for node in nodes}
    sick = {name for name, condition in health.items() if condition.status == "False"} & names
    current = _current(sick.union(standing), findings)
    sick &= current
    well = {name for name in current.intersection(standing) if name in health and health[name].status == "True"}
    changes = dict.fromkeys(sorted(well), "")
    changes |= {name: settings.taint for name in sick.intersection(standing) if standing[name] != settings.taint}
    if sick <= standing.keys():
        return Taints(changes)
    places = _Places.of(tree, names, standing.keys() - well, settings)
    refused: dict[str, list[str]] = defaultdict(list)
    for name in sorted(sick.difference(standing)):
        full = places.add(name)
        if full is None:
            changes[name] = settings.taint
        else:
            refused[full].append(name)
    return Taints(changes, tuple(places.held_back(refused)))


def _effects(node: Node) -> str:
    """Of our taints; somebody may have added a second one."""
    return ",".join(taint.effect for taint in node.spec.taints if taint.key == TAINT)


def _current(names: AbstractSet[str], findings: Findings) -> set[str]:
    """Those whose report, where they have one, and all of whose switches were heard of in time."""
    freshness = findings.freshness
    if not names or not freshness.known:
        return set()
    return set(names) - freshness.stale_nodes - set(_behind_stale_switches(findings.known, freshness))


def _behind_stale_switches(known: KnownLinks, freshness: Freshness) -> Iterator[str]:
    if freshness.stale_switches:
        for link in known.links:
            if link.upper.guid in freshness.stale_switches:
                yield known.node.get(link.lower.guid, "")


@dataclass(frozen=True, slots=True)
class _Places:
    """How many nodes each place has, and how many of them are tainted."""

    lowest: Mapping[str, str]
    size: Mapping[str, int]
    tainted: Counter[str]
    settings: NodeMarks

    @staticmethod
    def of(tree: Hierarchy, names: AbstractSet[str], tainted: Iterable[str], settings: NodeMarks) -> _Places:
        """Nodes in no HyperNode count for the cluster alone."""
        lowest = lowest_of(tree.hyper_nodes)
        size = {found.name: len(found.nodes) for found in tree.hyper_nodes if not found.children}
        places = _Places(lowest, {**size, CLUSTER: len(names)}, Counter(), settings)
        for name in tainted:
            places.tainted.update(places._of(name))
        return places

    def _of(self, name: str) -> set[str]:
        return {CLUSTER, self.lowest.get(name, CLUSTER)}

    def add(self, name: str) -> str | None:
        """Count one more; or the place that has as many as it may."""
        inside = self._of(name)
        for place in sorted(inside):
            if self.tainted[place] >= self._allowed(place):
                return place
        self.tainted.update(inside)
        return None

    def _allowed(self, place: str) -> int:
        share = self.settings.tainted_of_cluster if place == CLUSTER else self.settings.tainted_of_domain
        return max(1, int(share * self.size[place] + 1e-9))

    def held_back(self, refused: Mapping[str, list[str]]) -> Iterator[HeldBack]:
        for place, nodes in sorted(refused.items()):
            yield HeldBack(place, tuple(nodes), self.tainted[place], self.size[place])
