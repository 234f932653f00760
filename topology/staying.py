"""Nodes that stay where they are although today's evidence does not show it.

Absence alone moves no node: one whose cables are all out, or that is switched off, keeps its place as long as it is one
of the cluster's; and one that appears elsewhere moves only when it was seen there often enough (whoever counts decides,
here is only how the tree looks then).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from topology.hierarchy import Hierarchy, HyperNode, tier_number
from topology.names import cut, legal


def lowest_of(tree: Sequence[HyperNode]) -> dict[str, str]:
    """Node to the name of the lowest HyperNode that holds it."""
    return {node: found.name for found in tree if not found.children for node in found.nodes}


def keep_in_place(hierarchy: Hierarchy, previous: Sequence[HyperNode], homes: Mapping[str, str]) -> Hierarchy:
    """The tree with each node of `homes` in the lowest HyperNode named there, as it stood in `previous`.

    A HyperNode that today's tree lacks comes back under its former parent; where its level is gone the node joins what
    stands there now, and where there is a new level below it becomes a HyperNode of one node there.
    """
    if not homes:
        return hierarchy
    tree = _Growing(
        {found.name: _Spot(found, set(found.children), set(found.nodes)) for found in hierarchy.hyper_nodes},
        {found.name: found for found in previous},
        hierarchy.tiers,
    )
    now = lowest_of(hierarchy.hyper_nodes)
    for node, home in sorted(homes.items()):
        if now.get(node) == home:
            continue
        if node in now:
            tree.spots[now[node]].nodes.discard(node)
        tree.put(node, home)
    return Hierarchy(tree.finish(), hierarchy.tiers)


@dataclass(slots=True)
class _Spot:
    found: HyperNode
    children: set[str]
    nodes: set[str]


@dataclass(slots=True)
class _Growing:
    spots: dict[str, _Spot]
    previous: Mapping[str, HyperNode]
    tiers: Mapping[str, int]

    def put(self, node: str, home: str) -> None:
        spot = self._open(home)
        if not spot.children:
            spot.nodes.add(node)
            return
        below = self.spots[min(spot.children)].found
        name = cut(f"{below.fabric}-{below.tier_name}-{legal(node)}")
        alone = replace(below, name=name, children=(), nodes=(), switches=(), switch_guids=())
        self.spots.setdefault(name, _Spot(alone, set(), set())).nodes.add(node)
        spot.children.add(name)

    def _open(self, name: str) -> _Spot:
        """The place of that name; else what stands where it stood; else the place itself, put back."""
        if name in self.spots:
            return self.spots[name]
        was = self.previous[name]
        parent = self.previous.get(was.parent or "")
        above = self._open(parent.name) if parent is not None and parent.tier > was.tier else None
        if above is not None and not above.children and above.nodes:
            return above
        found = replace(was, tier=tier_number(self.tiers, was.tier_name), children=(), nodes=())
        spot = self.spots[name] = _Spot(found, set(), set())
        if above is not None and above.found.tier > found.tier:
            above.children.add(name)
        return spot

    def finish(self) -> tuple[HyperNode, ...]:
        """All places, children first, with the nodes below and the parents as they are now."""
        parent = {child: name for name, spot in self.spots.items() for child in spot.children}
        finished: dict[str, HyperNode] = {}
        for name, spot in sorted(self.spots.items(), key=lambda item: item[1].found.tier):
            if spot.children:
                spot.nodes = {node for child in spot.children for node in self.spots[child].nodes}
            finished[name] = replace(
                spot.found,
                parent=parent.get(name),
                children=tuple(sorted(spot.children)),
                nodes=tuple(sorted(spot.nodes)),
            )
        return tuple(finished.values())
