"""Which memberships of HyperNodes in HyperNodes hold: no cycle, parents above their children, one parent each.

The scheduler of Volcano stops placing every topology job while one of these is broken; here the broken membership is
left out and named, and the rest goes on.
"""

from __future__ import annotations

from collections.abc import Mapping

from scheduler.kernel.tree import HyperNodeEntry, TreeProblem

Edges = dict[str, list[str]]
"""Parent to children, both by name."""


def sound_edges(entries: Mapping[str, HyperNodeEntry], problems: list[TreeProblem]) -> Edges:
    """The children of every HyperNode that hold; what contradicts the rest is left out and added to `problems`."""
    edges = _existing(entries, problems)
    _drop_cycles(edges, problems)
    _drop_misordered(edges, entries, problems)
    _drop_second_parents(edges, problems)
    return edges


def _existing(entries: Mapping[str, HyperNodeEntry], problems: list[TreeProblem]) -> Edges:
    edges: Edges = {}
    for name, entry in entries.items():
        children = sorted(set(entry.children))
        missing = [child for child in children if child not in entries]
        if missing:
            problems.append(dangling(name, "HyperNode", missing))
        edges[name] = [child for child in children if child in entries]
    return edges


def dangling(name: str, kind: str, missing: list[str]) -> TreeProblem:
    """The problem of members that do not exist; names the first three."""
    some = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
    return TreeProblem("dangling-member", (name,), f"HyperNode {name} lists {kind} members that do not exist: {some}")


def _drop_cycles(edges: Edges, problems: list[TreeProblem]) -> None:
    """Peel off what has no parent left or no child left; what remains lies on a cycle, or between two."""
    remaining = set(edges)
    while True:
        has_parent = {child for parent in remaining for child in edges[parent] if child in remaining}
        has_child = {parent for parent in remaining if any(child in remaining for child in edges[parent])}
        kept = remaining & has_parent & has_child
        if kept == remaining:
            break
        remaining = kept
    if not remaining:
        return
    names = tuple(sorted(remaining))
    problems.append(TreeProblem("cycle", names, f"HyperNodes contain each other in a circle: {', '.join(names[:10])}"))
    for name in remaining:
        edges[name] = [child for child in edges[name] if child not in remaining]


def _drop_misordered(edges: Edges, entries: Mapping[str, HyperNodeEntry], problems: list[TreeProblem]) -> None:
    for name, children in edges.items():
        tier = entries[name].tier
        for child in children:
            if entries[child].tier >= tier:
                detail = f"HyperNode {name} (tier {tier}) lists {child} (tier {entries[child].tier}): not below it"
                problems.append(TreeProblem("tier-order", (name, child), detail))
        edges[name] = [child for child in children if entries[child].tier < tier]


def _drop_second_parents(edges: Edges, problems: list[TreeProblem]) -> None:
    """A child of several parents stays under none: each of them is then at most smaller than it says."""
    parents: dict[str, list[str]] = {}
    for name, children in edges.items():
        for child in children:
            parents.setdefault(child, []).append(name)
    torn = {child: sorted(names) for child, names in parents.items() if len(names) > 1}
    for child, names in sorted(torn.items()):
        detail = f"HyperNode {child} has several parents, so it stands under none: {', '.join(names[:10])}"
        problems.append(TreeProblem("second-parent", (child, *names), detail))
    for name, children in edges.items():
        edges[name] = [child for child in children if child not in torn]
