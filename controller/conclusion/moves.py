"""Who stays where they are: nodes and HyperNodes that are absent, or not yet seen elsewhere in enough whole sweeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from topology.hierarchy import Hierarchy, HyperNode, has_number
from topology.staying import TOP, lowest_of
from topology.sweeps import Sweeps


@dataclass(frozen=True, slots=True)
class Move:
    """Something that appears in another HyperNode, and the whole sweeps that there were before it first did."""

    target: str
    since: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Moves:
    """What appears elsewhere: nodes by name, and HyperNodes by theirs."""

    nodes: Mapping[str, Move] = field(default_factory=dict)
    hyper_nodes: Mapping[str, Move] = field(default_factory=dict)
    apart: frozenset[str] | None = None
    """Nodes and HyperNodes that were split off when this process first looked, and have not been seen at home since:
    what joined them may have been lost while nobody looked. None: before the first look."""


@dataclass(frozen=True, slots=True)
class Homes:
    """Where nodes stay, in which lowest HyperNode, and HyperNodes, below which parent (`TOP`: none); and who moves."""

    nodes: Mapping[str, str] = field(default_factory=dict)
    parents: Mapping[str, str] = field(default_factory=dict)
    moves: Moves = field(default_factory=Moves)


@dataclass(frozen=True, slots=True)
class Trees:
    """The tree that stands, and those of the known cabling and of today's contradictions of it."""

    standing: Sequence[HyperNode]
    held: Hierarchy
    shown: Hierarchy
    refuted: frozenset[str] = frozenset()
    """Roots that stand and are in neither: all switches that they are known by serve others on a lower level."""


def find_homes(last: Moves, trees: Trees, names: frozenset[str], sweeps: Sweeps) -> Homes:
    """Absence moves nothing; what appears elsewhere stays until enough whole sweeps agree.

    A level that came in between is no move: what is below it is still where it was. A new level above all that stands
    that joins nothing waits as a move does, and one that is refuted goes as one does.
    """
    before, now, held = trees.standing, trees.shown, trees.held
    hosts, domains = list(_nodes(before, now, names)), [*_children(before, trees), *_topmost(before, now)]
    apart = _apart(last.apart, [*hosts, *domains], _Splits.of(before, now))
    nodes, node_moves = _stay(hosts, apart, last.nodes, lowest_of(held.hyper_nodes), sweeps)
    above = {name: parent or TOP for name, parent in _parents(held.hyper_nodes).items()}
    parents, moves = _stay(domains, apart, last.hyper_nodes, above, sweeps)
    if not sweeps.new:  # what no look in between shows, the next whole sweep may show again
        node_moves = {**last.nodes, **node_moves}
        moves = {**last.hyper_nodes, **moves}
    return Homes(nodes, parents, Moves(node_moves, moves, apart))


@dataclass(frozen=True, slots=True)
class _Seen:
    """Something that stands in `home`, and where it appears now (None: nowhere)."""

    name: str
    home: str
    target: str | None


@dataclass(frozen=True, slots=True)
class _Splits:
    """Which HyperNodes of today's tree are parts of one that stands, and of nothing else that stands."""

    standing: Mapping[str, frozenset[str]]
    today: Mapping[str, frozenset[str]]
    placed: frozenset[str]
    """Nodes that stand somewhere."""

    @staticmethod
    def of(before: Sequence[HyperNode], now: Hierarchy) -> _Splits:
        standing = {found.name: frozenset(found.nodes) for found in before}
        today = {found.name: frozenset(found.nodes) for found in now.hyper_nodes if found.name not in standing}
        return _Splits(standing, today, frozenset[str]().union(*standing.values()))

    def is_part(self, target: str | None, home: str) -> bool:
        """Whether the target does not stand, and all below it that stands somewhere stands in the home."""
        nodes = self.today.get(target) if target is not None else None
        return nodes is not None and nodes & self.placed <= self.standing.get(home, frozenset())


def _apart(last: frozenset[str] | None, seen: Sequence[_Seen], splits: _Splits) -> frozenset[str]:
    """At the first look all that is split off; from then on those of them that were not seen elsewhere."""
    return frozenset(
        found.name
        for found in seen
        if (splits.is_part(found.target, found.home) or (found.target is None and last is not None))
        and (last is None or found.name in last)
    )


def _stay(
    seen: Sequence[_Seen],
    apart: frozenset[str],
    last: Mapping[str, Move],
    held: Mapping[str, str],
    sweeps: Sweeps,
) -> tuple[dict[str, str], dict[str, Move]]:
    kept: dict[str, str] = {}
    moves: dict[str, Move] = {}
    for found in seen:
        if found.target is not None and found.target != found.home and found.name not in apart:
            move = last.get(found.name)
            since = move.since if move is not None and move.target == found.target else sweeps.before
            there = held.get(found.name)
            if sweeps.agree(since) and there is not None and (there == TOP) == (found.target == TOP):
                continue
            moves[found.name] = Move(found.target, since)
        kept[found.name] = found.home
    return kept, moves


def _nodes(before: Sequence[HyperNode], now: Hierarchy, names: frozenset[str]) -> Iterator[_Seen]:
    was, placed = lowest_of(before), lowest_of(now.hyper_nodes)
    by_name = {found.name: found for found in before}
    parents_before, parents_now = _parents(before), _parents(now.hyper_nodes)
    for node in sorted(names & was.keys()):
        home, target = was[node], placed.get(node)
        if _has_no_place(by_name[home], now):
            continue
        if (
            target is None
            or target == home
            or not (_reaches(target, home, parents_now) or _reaches(home, target, parents_before))
        ):
            yield _Seen(node, home, target)


def _children(before: Sequence[HyperNode], trees: Trees) -> Iterator[_Seen]:
    """HyperNodes that are still there; of the others the nodes stay or move one by one."""
    now = trees.shown
    by_name = {found.name: found for found in before}
    there, parents_now = {found.name for found in now.hyper_nodes}, _parents(now.hyper_nodes)
    for child in before:
        if child.parent is None or child.name not in there:
            continue
        if _has_no_place(child, now) or _has_no_place(by_name[child.parent], now):
            continue
        target = parents_now[child.name]
        if target is None and child.parent in trees.refuted:
            target = TOP
        if target is None or target == child.parent or not _reaches(target, child.parent, parents_now):
            yield _Seen(child.name, child.parent, target)


def _topmost(before: Sequence[HyperNode], now: Hierarchy) -> Iterator[_Seen]:
    """Roots that were told as such and appear below a new HyperNode that holds nothing else: a level that says nothing
    new. Whoever is taken over with nothing above it yet waits for nothing."""
    standing, today = {found.name for found in before}, {found.name: found for found in now.hyper_nodes}
    for root in before:
        told = root.parent is None and root.switch_guids and root.name in today
        parent = today[root.name].parent if told else None
        if parent is not None and parent not in standing and today[parent].children == (root.name,):
            yield _Seen(root.name, TOP, parent)


def _has_no_place(found: HyperNode, now: Hierarchy) -> bool:
    """Whether its tier is none of this tree: what it holds goes where the evidence says, and that is no move."""
    return not has_number(now.tiers, found.tier_name)


def _parents(tree: Sequence[HyperNode]) -> dict[str, str | None]:
    return {found.name: found.parent for found in tree}


def _reaches(name: str, ancestor: str, parents: Mapping[str, str | None]) -> bool:
    """Whether it is the other one or stands somewhere below it."""
    seen: set[str] = set()
    at: str | None = name
    while at is not None and at not in seen:
        if at == ancestor:
            return True
        seen.add(at)
        at = parents.get(at)
    return False
