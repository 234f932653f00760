"""Nodes and HyperNodes that stay where they are although today's evidence does not show it.

Absence alone moves nothing: a node whose cables are all out, or that is switched off, keeps its place as long as it is
one of the cluster's, and a HyperNode whose uplinks are all lost keeps its parent; what appears elsewhere moves only
when it was seen there often enough (whoever counts decides, here is only how the tree looks then).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from topology.hierarchy import Hierarchy, HyperNode, has_number, tier_number
from topology.names import cut, legal

TOP = ""
"""Above a HyperNode that has no parent."""


def lowest_of(tree: Sequence[HyperNode]) -> dict[str, str]:
    """Node to the name of the lowest HyperNode that holds it."""
    return {node: found.name for found in tree if not found.children for node in found.nodes}


def keep_in_place(
    hierarchy: Hierarchy,
    previous: Sequence[HyperNode],
    homes: Mapping[str, str],
    parents: Mapping[str, str] | None = None,
) -> Hierarchy:
    """The tree with each node of `homes` in the lowest HyperNode named there, and each HyperNode of `parents` below the
    one named there, as they stood in `previous`.

    With the parent `TOP` it stays a root. A HyperNode that today's tree lacks comes back under its former parent; where
    its level is gone the node joins what stands there now, and where there is a new level below it becomes a HyperNode
    of one node there. One that nothing is left in goes.
    """
    now = lowest_of(hierarchy.hyper_nodes)
    above = {found.name: found.parent for found in hierarchy.hyper_nodes}
    away = {node: home for node, home in homes.items() if now.get(node) != home}
    apart = {name: parent for name, parent in (parents or {}).items() if (above.get(name) or TOP) != parent}
    if not away and not apart:
        return hierarchy
    tree = _Growing(
        {found.name: _Spot.of(found) for found in hierarchy.hyper_nodes},
        {found.name: found for found in previous if has_number(hierarchy.tiers, found.tier_name)},
        hierarchy.tiers,
    )
    for node, home in sorted(away.items()):
        if node in now:
            tree.spots[now[node]].nodes.discard(node)
        tree.put(node, home)
    for name, parent in sorted(apart.items()):
        tree.hang(name, parent)
    return Hierarchy(tree.finish(), hierarchy.tiers)


@dataclass(slots=True)
class _Spot:
    """A HyperNode: the names of those below, or else its nodes."""

    found: HyperNode
    children: set[str]
    nodes: set[str]

    @staticmethod
    def of(found: HyperNode) -> _Spot:
        return _Spot(found, set(found.children), set() if found.children else set(found.nodes))


@dataclass(slots=True)
class _Growing:
    spots: dict[str, _Spot]
    previous: Mapping[str, HyperNode]
    tiers: Mapping[str, int]

    def put(self, node: str, home: str) -> None:
        """The node into that place."""
        spot = self._open(home)
        if not spot.children:
            spot.nodes.add(node)
            return
        below = self.spots[min(spot.children)].found
        name = cut(f"{below.fabric}-{below.tier_name}-{legal(node)}")
        alone = replace(below, name=name, children=(), nodes=(), switches=(), switch_guids=())
        self.spots.setdefault(name, _Spot(alone, set(), set())).nodes.add(node)
        spot.children.add(name)

    def hang(self, name: str, parent: str) -> None:
        """The HyperNode below that one, and below no other; unless that has nodes of its own, or a tier as low."""
        spot, above = self.spots.get(name), self._open(parent) if parent != TOP else None
        if spot is None or (above is not None and (above.nodes or above.found.tier <= spot.found.tier)):
            return
        for other in self.spots.values():
            other.children.discard(name)
        if above is not None:
            above.children.add(name)

    def _open(self, name: str) -> _Spot:
        """The place of that name; else what stands where it stood; else the place itself, put back."""
        if name in self.spots:
            return self.spots[name]
        was = self.previous[name]
        parent = self.previous.get(was.parent or "")
        above = self._open(parent.name) if parent is not None and parent.tier > was.tier else None
        if above is not None and above.nodes:
            return above
        found = replace(
            was, tier=tier_number(self.tiers, was.tier_name), children=(), nodes=(), switches=(), switch_guids=()
        )
        spot = self.spots[name] = _Spot(found, set(), set())
        if above is not None and above.found.tier > found.tier:
            above.children.add(name)
        return spot

    def finish(self) -> tuple[HyperNode, ...]:
        """All places that hold something, children first, with the nodes below and the parents as they are now."""
        below: dict[str, set[str]] = {}
        for name, spot in sorted(self.spots.items(), key=lambda item: item[1].found.tier):
            spot.children &= below.keys()
            nodes = spot.nodes.union(*(below[child] for child in spot.children))
            if nodes:
                below[name] = nodes
        parent = {child: name for name in below for child in self.spots[name].children}
        return tuple(
            replace(
                self.spots[name].found,
                parent=parent.get(name),
                children=tuple(sorted(self.spots[name].children)),
                nodes=tuple(sorted(nodes)),
            )
            for name, nodes in below.items()
        )
