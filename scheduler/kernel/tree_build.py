"""From HyperNodes and node names to the static tree; what contradicts itself is kept out and named.

Nothing good is lost with something bad: a cycle, a child that is not lower than its parent, a second parent, a member
that does not exist takes away that one membership. A domain can only become smaller by it, so a gang that is placed
inside one is inside it by everybody's reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from scheduler.kernel.tree import HyperNodeEntry, Tier, Tree, TreeProblem
from scheduler.kernel.tree_check import Edges, dangling, sound_edges

_NUMBER = re.compile("([0-9]+)")


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where each domain and each node lies; `order` is the order of the domains in the columns."""

    order: tuple[str, ...]
    start: Mapping[str, int]
    direct: Mapping[str, int]
    end: Mapping[str, int]
    node_names: list[str]
    home: list[str | None]


def build_tree(entries: Iterable[HyperNodeEntry], node_names: Iterable[str]) -> Tree:
    """Build the tree of all HyperNodes over all nodes of the cluster. Never fails; see Tree.problems."""
    problems: list[TreeProblem] = []
    by_name = _distinct(entries, problems)
    edges = sound_edges(by_name, problems)
    for children in edges.values():
        children.sort(key=natural)
    nodes = sorted(set(node_names), key=natural)
    members = _members(by_name, edges, nodes, problems)
    layout = _lay_out(by_name, edges, members, nodes)
    return _columns(by_name, edges, layout, problems)


def natural(name: str) -> tuple[tuple[str | int, ...], str]:
    """The sort key under which `rack2` stands before `rack10`; a total order, so input order never matters."""
    parts = _NUMBER.split(name)
    return tuple(int(part) if place % 2 else part for place, part in enumerate(parts)), name


def _distinct(entries: Iterable[HyperNodeEntry], problems: list[TreeProblem]) -> dict[str, HyperNodeEntry]:
    by_name: dict[str, HyperNodeEntry] = {}
    for entry in sorted(entries, key=lambda one: (natural(one.name), one.tier, one.tier_name, one.children, one.nodes)):
        if entry.name in by_name:
            detail = f"HyperNode {entry.name} is given twice; the one of tier {by_name[entry.name].tier} counts"
            problems.append(TreeProblem("duplicate-name", (entry.name,), detail))
        else:
            by_name[entry.name] = entry
    return by_name


def _members(
    entries: Mapping[str, HyperNodeEntry], edges: Edges, nodes: Sequence[str], problems: list[TreeProblem]
) -> dict[str, list[str]]:
    """The nodes that each HyperNode holds itself, in natural order: a node belongs to the lowest that lists it."""
    parent = {child: name for name, children in edges.items() for child in children}
    known = set(nodes)
    home: dict[str, str] = {}
    for name, entry in sorted(entries.items(), key=lambda item: (item[1].tier, natural(item[0]))):
        missing, torn = [], []
        for node in dict.fromkeys(entry.nodes):
            if node not in known:
                missing.append(node)
            elif home.setdefault(node, name) != name and not _is_above(parent, home[node], name):
                torn.append(node)
        if missing:
            problems.append(dangling(name, "Node", missing))
        if torn:
            others = tuple(sorted({home[node] for node in torn}, key=natural))
            detail = f"HyperNode {name} lists {len(torn)} nodes that {others[0]} holds already, such as {torn[0]}"
            problems.append(TreeProblem("node-in-two", (name, *others), detail))
    members: dict[str, list[str]] = {name: [] for name in entries}
    for node in nodes:
        if node in home:
            members[home[node]].append(node)
    return members


def _is_above(parent: Mapping[str, str], below: str, name: str) -> bool:
    above = parent.get(below)
    while above is not None and above != name:
        above = parent.get(above)
    return above == name


def _lay_out(
    entries: Mapping[str, HyperNodeEntry], edges: Edges, members: Mapping[str, list[str]], nodes: Sequence[str]
) -> _Layout:
    """Sizes from the lowest tier upward, then starts from the roots downward."""
    upward = sorted(entries, key=lambda name: entries[name].tier)
    size: dict[str, int] = {}
    for name in upward:
        size[name] = len(members[name]) + sum(size[child] for child in edges[name])
    below = {child for children in edges.values() for child in children}
    roots = sorted((name for name in entries if name not in below), key=natural)
    start: dict[str, int] = {}
    direct: dict[str, int] = {}
    placed = _line_up(roots, 0, size, start)
    names: list[str] = sorted(set(nodes).difference(*members.values()), key=natural)
    names[:0] = [""] * placed
    home: list[str | None] = [None] * len(nodes)
    for name in reversed(upward):
        first = direct[name] = _line_up(edges[name], start[name], size, start)
        last = first + len(members[name])
        names[first:last], home[first:last] = members[name], [name] * (last - first)
    end = {name: start[name] + size[name] for name in entries}
    order = tuple(sorted(entries, key=lambda name: (entries[name].tier, start[name], natural(name))))
    return _Layout(order, start, direct, end, names, home)


def _line_up(names: Iterable[str], cursor: int, size: Mapping[str, int], start: dict[str, int]) -> int:
    for name in names:
        start[name] = cursor
        cursor += size[name]
    return cursor


def _columns(entries: Mapping[str, HyperNodeEntry], edges: Edges, layout: _Layout, problems: list[TreeProblem]) -> Tree:
    order, count = layout.order, len(layout.node_names)
    index = {name: place for place, name in enumerate(order)}
    top, outside, placed = len(order), len(order) + 1, sum(home is not None for home in layout.home)
    parents = {child: index[name] for name, children in edges.items() for child in children}
    roots = sorted((name for name in order if name not in parents), key=natural)
    children = [[index[child] for child in edges[name]] for name in order] + [[index[name] for name in roots], []]
    start = np.array([layout.start[name] for name in order] + [0, placed], dtype=np.int64)
    end = np.array([layout.end[name] for name in order] + [count, count], dtype=np.int64)
    cuts = np.unique(np.concatenate((start, end)))
    return Tree(
        names=order,
        parent=np.array([parents.get(name, top) for name in order] + [-1, -1], dtype=np.int32),
        start=start,
        end=end,
        direct=np.array([layout.direct[name] for name in order] + [placed, placed], dtype=np.int64),
        cuts=cuts,
        first_cut=np.searchsorted(cuts, start),
        last_cut=np.searchsorted(cuts, end),
        child_offset=np.cumsum([0] + [len(some) for some in children], dtype=np.int64),
        child=np.array([child for some in children for child in some], dtype=np.int32),
        tiers=_tiers(entries, order),
        tier_numbers=_tier_numbers(entries, problems),
        node_names=np.array(layout.node_names, dtype=object),
        home=np.array([outside if name is None else index[name] for name in layout.home], dtype=np.int32),
        position={name: place for place, name in enumerate(layout.node_names)},
        index=index,
        problems=tuple(problems),
    )


def _tiers(entries: Mapping[str, HyperNodeEntry], order: Sequence[str]) -> tuple[Tier, ...]:
    tiers: list[Tier] = []
    first = 0
    for number, group in groupby(order, key=lambda name: entries[name].tier):
        names = list(group)
        used = sorted({entries[name].tier_name for name in names} - {""})
        tiers.append(Tier(number, tuple(used), first, first + len(names)))
        first += len(names)
    return tuple(tiers)


def _tier_numbers(entries: Mapping[str, HyperNodeEntry], problems: list[TreeProblem]) -> dict[str, tuple[int, ...]]:
    numbers: dict[str, set[int]] = {}
    for entry in entries.values():
        if entry.tier_name:
            numbers.setdefault(entry.tier_name, set()).add(entry.tier)
    for tier_name, several in sorted(numbers.items()):
        if len(several) > 1:
            where = tuple(sorted(entry.name for entry in entries.values() if entry.tier_name == tier_name))
            detail = f"tier name {tier_name} stands for several tiers: {', '.join(map(str, sorted(several)))}"
            problems.append(TreeProblem("tier-name-conflict", where[:10], detail))
    return {tier_name: tuple(sorted(several)) for tier_name, several in sorted(numbers.items())}
