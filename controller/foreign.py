"""HyperNodes of others: nodes that they hold are left out of ours, names that they have are not taken.

A foreign parent that lists one of ours, and a member that we cannot read, are reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kube.types import HyperNode, LabelSelector, LabelSelectorRequirement, MemberSelector, Node
from topology.hierarchy import Hierarchy

FALLBACK = "-hyperscout"
"""What a name gets at its end where another's object has it."""


@dataclass(frozen=True, slots=True)
class Foreign:
    """What the HyperNodes of others take, and what is odd with them."""

    nodes: frozenset[str]
    names: frozenset[str]
    reports: Mapping[str, str]
    """HyperNode to one sentence."""


def find_foreign(foreign: Iterable[HyperNode], nodes: Sequence[Node], ours: frozenset[str]) -> Foreign:
    """Look through all HyperNodes that are not ours. `ours`: the names of those that are."""
    held: set[str] = set()
    names: set[str] = set()
    reports: dict[str, str] = {}
    for found in foreign:
        name = found.metadata.name
        names.add(name)
        for member in found.spec.members:
            exact = member.selector.exact_match
            if member.type == "HyperNode":
                if exact is not None and exact.name in ours:
                    reports[name] = f"it lists {exact.name}, which is ours; a HyperNode has one parent only"
            elif member.selector.regex_match is not None:
                pattern = member.selector.regex_match.pattern
                reports[name] = f"its pattern {pattern!r} is not evaluated; nodes that it matches may be in ours, too"
            else:
                held.update(_matching(member.selector, nodes))
    return Foreign(frozenset(held), frozenset(names), reports)


def _matching(selector: MemberSelector, nodes: Sequence[Node]) -> set[str]:
    if selector.exact_match is not None:
        return {selector.exact_match.name}
    if selector.label_match is None:
        return set()
    return {node.metadata.name for node in nodes if _selects(selector.label_match, node.metadata.labels)}


def _selects(selector: LabelSelector, labels: Mapping[str, str]) -> bool:
    """As Volcano does: an empty selector selects nothing."""
    if not selector.match_labels and not selector.match_expressions:
        return False
    plain = all(labels.get(key) == value for key, value in selector.match_labels.items())
    return plain and all(_holds(expression, labels) for expression in selector.match_expressions)


def _holds(expression: LabelSelectorRequirement, labels: Mapping[str, str]) -> bool:
    value = labels.get(expression.key)
    match expression.operator:
        case "In":
            return value in expression.values
        case "NotIn":
            return value not in expression.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case _:
            return False


def with_free_names(hierarchy: Hierarchy, taken: frozenset[str]) -> Hierarchy:
    """The tree with fallback names in the place of those that others have."""
    own = frozenset(found.name for found in hierarchy.hyper_nodes)
    new = {name: _free(name, own | taken) for name in own & taken}
    if not new:
        return hierarchy
    renamed = tuple(
        replace(
            found,
            name=new.get(found.name, found.name),
            parent=new.get(found.parent, found.parent) if found.parent is not None else None,
            children=tuple(sorted(new.get(child, child) for child in found.children)),
        )
        for found in hierarchy.hyper_nodes
    )
    return Hierarchy(renamed, hierarchy.tiers)


def _free(name: str, taken: frozenset[str]) -> str:
    candidate, number = f"{name}{FALLBACK}", 2
    while candidate in taken:
        candidate, number = f"{name}{FALLBACK}-{number}", number + 1
    return candidate
