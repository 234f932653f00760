"""Who stands below whom in a set of HyperNode documents, and whether Volcano's scheduler could live with it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from topology.documents import Document

_NAMED = 3
"""How many nodes a sentence names."""


def children_of(document: Document) -> tuple[str, ...]:
    """The HyperNodes that it lists."""
    return document.members if document.member_kind == "HyperNode" else ()


def children_first(by_name: Mapping[str, Document]) -> list[str]:
    """All names, every listed child before the one that lists it, else by tier and name.

    Follows the members rather than the tier numbers, which somebody may have edited; a cycle is cut somewhere.
    """
    order: list[str] = []
    entered: set[str] = set()

    def visit(name: str) -> None:
        if name in entered or name not in by_name:
            return
        entered.add(name)
        for child in children_of(by_name[name]):
            visit(child)
        order.append(name)

    for name in sorted(by_name, key=lambda name: (by_name[name].tier, name)):
        visit(name)
    return order


def nodes_below(by_name: Mapping[str, Document]) -> dict[str, frozenset[str]]:
    """All nodes below each HyperNode, whatever lies between; a missing child has none."""
    below: dict[str, frozenset[str]] = {}
    for name in children_first(by_name):
        document = by_name[name]
        if document.member_kind == "Node":
            below[name] = frozenset(document.members)
        else:
            below[name] = frozenset[str]().union(*(below.get(child, frozenset()) for child in document.members))
    return below


def faults(tree: Sequence[Document]) -> tuple[str, ...]:
    """What Volcano's scheduler could not live with, one sentence each; nothing is written while there is one.

    Volcano's webhook checks none of this but empty members: a second parent or a cycle stops its scheduler from placing
    any job with a topology, a missing child can make it panic.
    """
    names = Counter(document.name for document in tree)
    by_name = {document.name: document for document in tree}
    return (
        *(f"HyperNode {name} is there {count} times" for name, count in names.items() if count > 1),
        *(f"HyperNode {document.name} has no members" for document in tree if not document.members),
        *_child_faults(tree, by_name),
        *_node_faults(by_name),
    )


def _child_faults(tree: Sequence[Document], by_name: Mapping[str, Document]) -> Iterator[str]:
    parent: dict[str, str] = {}
    for document in tree:
        for child in children_of(document):
            if child not in by_name:
                yield f"HyperNode {document.name} lists {child}, which does not exist"
            elif by_name[child].tier >= document.tier:
                yield f"HyperNode {document.name} (tier {document.tier}) lists {child} (tier {by_name[child].tier})"
            if parent.setdefault(child, document.name) != document.name:
                yield f"HyperNode {child} has two parents, {parent[child]} and {document.name}"


def _node_faults(by_name: Mapping[str, Document]) -> Iterator[str]:
    holder: dict[tuple[int, str], str] = {}
    double: dict[tuple[int, str, str], list[str]] = defaultdict(list)
    for name, nodes in sorted(nodes_below(by_name).items()):
        tier = by_name[name].tier
        for node in nodes:
            other = holder.setdefault((tier, node), name)
            if other != name:
                double[tier, other, name].append(node)
    for (tier, other, name), nodes_twice in double.items():
        named = ", ".join(sorted(nodes_twice)[:_NAMED])
        yield f"{len(nodes_twice)} nodes are in two HyperNodes of tier {tier}, {other} and {name}: {named}"
