"""Where something stands in the tree of a live cluster: from the lowest HyperNode to the root."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scheduler.kernel.tree import Tree


def upward(tree: Tree, domain: int) -> Iterator[int]:
    """The HyperNode and those above it; nothing for what stands outside every HyperNode."""
    while 0 <= domain < len(tree.names):
        yield domain
        domain = int(tree.parent[domain])


def home_of(tree: Tree, node: str) -> int:
    """The lowest HyperNode that holds the node; `tree.outside` where none does. KeyError for an unknown node."""
    return int(tree.home[tree.position[node]])


def common_domain(tree: Tree, nodes: Sequence[str]) -> int:
    """The lowest HyperNode that holds all of the nodes (at least one); `tree.top` where none does."""
    places = [tree.position[node] for node in nodes]
    for domain in upward(tree, int(tree.home[min(places)])):
        if tree.start[domain] <= min(places) and max(places) < tree.end[domain]:
            return domain
    return tree.top
