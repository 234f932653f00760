"""What no reader may ever see of a tree of HyperNodes, told from the objects alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Seen:
    """One HyperNode as it stands in the API."""

    tier: int
    nodes: frozenset[str]
    """Those that it lists itself."""
    children: frozenset[str]

    @staticmethod
    def of(document: Mapping[str, Any]) -> Seen:
        members = document["spec"].get("members") or []
        named = {kind: frozenset(_name(member) for member in members if member["type"] == kind) for kind in KINDS}
        return Seen(document["spec"]["tier"], named["Node"], named["HyperNode"])


KINDS = ("Node", "HyperNode")
Tree = Mapping[str, Seen]


def _name(member: Mapping[str, Any]) -> str:
    return str(member["selector"]["exactMatch"]["name"])


def below(tree: Tree) -> dict[str, frozenset[str]]:
    """All nodes below each HyperNode."""
    return {name: frozenset(_nodes(tree, name, frozenset())) for name in tree}


def _nodes(tree: Tree, name: str, above: frozenset[str]) -> Iterator[str]:
    if name not in tree or name in above:
        return
    yield from tree[name].nodes
    for child in tree[name].children:
        yield from _nodes(tree, child, above | {name})


def broken(tree: Tree) -> list[str]:
    """The laws that this tree breaks, a sentence each."""
    return [*_of_members(tree), *_of_parents(tree), *_of_tiers(tree)]


def _of_members(tree: Tree) -> Iterator[str]:
    for name, found in tree.items():
        if not found.nodes and not found.children:
            yield f"{name} has no members"
        if found.nodes and found.children:
            yield f"{name} has nodes and HyperNodes"
        for child in found.children:
            if child not in tree:
                yield f"{name} lists {child}, which is not there"
            elif tree[child].tier >= found.tier:
                yield f"{name} of tier {found.tier} lists {child} of tier {tree[child].tier}"


def _of_parents(tree: Tree) -> Iterator[str]:
    parents = Counter(child for found in tree.values() for child in found.children)
    yield from (f"{child} has {count} parents" for child, count in parents.items() if count > 1)


def _of_tiers(tree: Tree) -> Iterator[str]:
    places = Counter((tree[name].tier, node) for name, nodes in below(tree).items() for node in nodes)
    yield from (
        f"{node} is in {count} HyperNodes of tier {tier}" for (tier, node), count in places.items() if count > 1
    )
