"""HyperNodes of others: nodes that they hold are left out of ours, names that they have are not taken.

A foreign parent that lists one of ours, and a member that we cannot read, are reported. Members are resolved as Volcano
does: exact names, labels, and patterns in Go's RE2 syntax that are searched in node names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from kube.types import HyperNode, LabelSelector, LabelSelectorRequirement, MemberSelector, Node
from scheduler.kernel.node_patterns import Found, find_names
from topology.hierarchy import Hierarchy

FALLBACK = "-hyperscout"
"""What a name gets at its end where another's object has it."""
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Foreign:
    """What the HyperNodes of others take, and what is odd with them."""

    holders: Mapping[str, str]
    """Node to the HyperNode that holds it; the first by name where several do."""
    names: frozenset[str]
    reports: Mapping[str, str]
    """HyperNode to one sentence."""

    @property
    def nodes(self) -> frozenset[str]:
        """Those that are left out of ours."""
        return frozenset(self.holders)

    def took(self, members: AbstractSet[str]) -> dict[str, str]:
        """The HyperNodes that hold some of these members of ours, each with a sentence."""
        taken: dict[str, list[str]] = defaultdict(list)
        for node in sorted(members & self.holders.keys()):
            taken[self.holders[node]].append(node)
        advice = "to have them back delete it, or name it in the setting adopt"
        return {
            name: f"it holds {_listed(nodes)} that stood in ours and leave them; {advice}"
            for name, nodes in taken.items()
        }


@dataclass(frozen=True, slots=True)
class TakenIn:
    """By HyperNode the nodes that it lists itself, and what of its selectors cannot be understood."""

    nodes: Mapping[str, frozenset[str]]
    odd: Mapping[str, list[str]]


def find_foreign(foreign: Iterable[HyperNode], nodes: Sequence[Node], ours: frozenset[str]) -> Foreign:
    """Look through all HyperNodes that are not ours. `ours`: the names of those that are."""
    listed = list(foreign)
    taken = take_in(listed, nodes)
    reports: dict[str, str] = {}
    for found in listed:
        name = found.metadata.name
        children = (member.selector for member in found.spec.members if member.type == "HyperNode")
        odd = [*taken.odd[name], *(sentence for selector in children for sentence in _adopted(selector, ours))]
        if odd:
            reports[name] = "; ".join(dict.fromkeys(odd))
    holders = {node: name for name in sorted(taken.nodes, reverse=True) for node in taken.nodes[name]}
    return Foreign(holders, frozenset(found.metadata.name for found in listed), reports)


def _listed(nodes: Sequence[str]) -> str:
    more = f" and {len(nodes) - _NAMED} more" if len(nodes) > _NAMED else ""
    return f"{len(nodes)} node{'' if len(nodes) == 1 else 's'} ({', '.join(nodes[:_NAMED])}{more})"


def take_in(listed: Sequence[HyperNode], nodes: Sequence[Node]) -> TakenIn:
    """Resolve the members of kind Node, all patterns at once."""
    patterns = _patterns(listed)
    matched = find_names(patterns, [node.metadata.name for node in nodes] if patterns else [])
    taken: dict[str, frozenset[str]] = {}
    odd: dict[str, list[str]] = {}
    for found in listed:
        held: set[str] = set()
        sentences = odd[found.metadata.name] = []
        for member in found.spec.members:
            if member.type == "HyperNode":
                continue
            try:
                held |= _held(member.selector, nodes, matched)
            except _NotUnderstoodError as error:
                sentences.append(str(error))
        taken[found.metadata.name] = frozenset(held)
    return TakenIn(taken, odd)


class _NotUnderstoodError(ValueError):
    """A selector that takes in no node because it cannot be read; the message says why."""


def _patterns(foreign: Iterable[HyperNode]) -> list[str]:
    selectors = (member.selector for found in foreign for member in found.spec.members if member.type != "HyperNode")
    return [selector.regex_match.pattern for selector in selectors if selector.regex_match is not None]


def _adopted(selector: MemberSelector, ours: frozenset[str]) -> Iterator[str]:
    exact = selector.exact_match
    if exact is not None and exact.name in ours:
        yield f"it lists {exact.name}, which is ours; a HyperNode has one parent only"


def _held(selector: MemberSelector, nodes: Sequence[Node], matched: Found) -> set[str]:
    """The nodes that a selector takes in. Raises _NotUnderstoodError."""
    if selector.exact_match is not None:
        return {selector.exact_match.name}
    if selector.regex_match is not None:
        pattern = selector.regex_match.pattern
        if pattern in matched.rejected:
            raise _NotUnderstoodError(
                f"its pattern {pattern!r} is no RE2 pattern ({matched.rejected[pattern]}) and takes in no node"
            )
        return set(matched.names[pattern])
    labels = selector.label_match
    if labels is None:
        return set()
    return {node.metadata.name for node in nodes if _selects(labels, node.metadata.labels)}


def _selects(selector: LabelSelector, labels: Mapping[str, str]) -> bool:
    """As Volcano does: an empty selector selects nothing."""
    if not selector.match_labels and not selector.match_expressions:
        return False
    held = [_holds(one, labels) for one in selector.match_expressions]  # each of them: what is not known is told
    return all(held) and all(labels.get(key) == value for key, value in selector.match_labels.items())


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
        case other:
            raise _NotUnderstoodError(f"its label operator {other!r} is not known and takes in no node")


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
