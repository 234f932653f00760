"""Where something stands in the tree, as lines: from the lowest HyperNode to the root."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from scheduler.kernel.tree import Tree

Remarks = Callable[[str], Sequence[str]]
"""What is to be said of a HyperNode, one phrase each."""


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


def chain_lines(tree: Tree, domain: int, remarks: Remarks) -> Iterator[str]:
    """One line a HyperNode, the lowest first, with what is to be said of each below it."""
    rows = [(tree.names[one], _tier(tree, one), _nodes(tree, one)) for one in upward(tree, domain)]
    if not rows:
        yield "  in no HyperNode"
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)] if rows else [0, 0]
    for name, tier, nodes in rows:
        yield f"  {name:{widths[0]}}  {tier:{widths[1]}}  {nodes}"
        yield from (f"      {remark}" for remark in remarks(name))


def _tier(tree: Tree, domain: int) -> str:
    tier = tree.tier_of(domain)
    return tier.label if tier is not None else ""


def _nodes(tree: Tree, domain: int) -> str:
    count = int(tree.end[domain] - tree.start[domain])
    return f"{count:,} node{'' if count == 1 else 's'}"
