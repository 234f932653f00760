"""What changes between two trees, in sentences for an operator: grouped, bounded, the nodes first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from types import MappingProxyType

from topology.documents import Document
from topology.members import children_of, nodes_below

_NAMED = 300
"""Letters of names that a sentence gives; the first name is always given."""
_NOBODY: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Change:
    """One sentence, and whom it is about: all the HyperNodes, and the nodes that came, went or moved."""

    kind: str
    """HyperNodeAdded, HyperNodeRemoved, HyperNodeRenamed, HyperNodeMoved, NodesMoved or HyperNodeChanged."""
    sentence: str
    hyper_nodes: tuple[str, ...]
    nodes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two trees, looked at from its nodes and from its children."""

    by_name: Mapping[str, Document]
    below: Mapping[str, frozenset[str]]
    home: Mapping[str, str]
    """Node to the lowest HyperNode that holds it."""
    parent: Mapping[str, str]

    @staticmethod
    def of(tree: Sequence[Document]) -> _Side:
        by_name = {document.name: document for document in tree}
        home = {
            node: document.name
            for document in sorted(tree, key=lambda document: -document.tier)
            if document.member_kind == "Node"
            for node in document.members
        }
        parent = {child: document.name for document in tree for child in children_of(document)}
        return _Side(by_name, nodes_below(by_name), home, parent)


def describe_changes(
    current: Sequence[Document], desired: Sequence[Document], limit: int = 20, holders: Mapping[str, str] = _NOBODY
) -> list[str]:
    """At most `limit` sentences, and one more that counts the rest; empty when nothing changes."""
    sentences = [change.sentence for change in find_changes(current, desired, holders)]
    if len(sentences) <= limit:
        return sentences
    return [*sentences[:limit], f"and {len(sentences) - limit} more changes"]


def find_changes(
    current: Sequence[Document], desired: Sequence[Document], holders: Mapping[str, str] = _NOBODY
) -> list[Change]:
    """All that changes; of annotations, every one that the documents have. `holders`: who of others holds a node."""
    old, new = _Side.of(current), _Side.of(desired)
    renamed = _renamed(old, new)
    return [
        *(Change("HyperNodeRenamed", f"{old.by_name[a].label} is now called {b}", (a, b)) for a, b in renamed.items()),
        *_new_and_gone(old, new, renamed, holders),
        *_node_moves(old, new, renamed, holders),
        *_new_parents(old, new, renamed),
        *_changed_fields(old, new),
    ]


def _renamed(old: _Side, new: _Side) -> dict[str, str]:
    """An object that goes while one with the same tier and the same nodes comes is the same one under a new name."""
    coming = {
        (new.by_name[name].tier, new.below[name]): name for name in sorted(new.by_name.keys() - old.by_name.keys())
    }
    pairs = {
        name: coming.pop((old.by_name[name].tier, old.below[name]), None)
        for name in sorted(old.by_name.keys() - new.by_name.keys())
    }
    return {name: other for name, other in pairs.items() if other is not None}


def _new_and_gone(old: _Side, new: _Side, renamed: Mapping[str, str], holders: Mapping[str, str]) -> Iterator[Change]:
    for name in sorted(new.by_name.keys() - old.by_name.keys() - set(renamed.values())):
        under = f" under {new.parent[name]}" if name in new.parent else ""
        sentence = f"new {new.by_name[name].label} with {_count(len(new.below[name]), 'node')}{under}"
        yield Change("HyperNodeAdded", sentence, (name,), _own_nodes(new.by_name[name]))
    for name in sorted(old.by_name.keys() - new.by_name.keys() - renamed.keys()):
        nodes = _own_nodes(old.by_name[name])
        size = _count(len(old.below[name]), "node")
        sentence = f"{old.by_name[name].label} goes (it had {size}){_why(nodes, holders)}"
        yield Change("HyperNodeRemoved", sentence, (name,), nodes)


def _own_nodes(document: Document) -> tuple[str, ...]:
    """Nodes are told of where they stand, and not once more at every level above."""
    return document.members if document.member_kind == "Node" else ()


def _node_moves(old: _Side, new: _Side, renamed: Mapping[str, str], holders: Mapping[str, str]) -> Iterator[Change]:
    """Moves inside a branch that only gets or loses a level are told by that level's objects, not node by node."""
    moves: dict[tuple[str | None, str | None], list[str]] = defaultdict(list)
    for node in old.home.keys() | new.home.keys():
        was, now = old.home.get(node), new.home.get(node)
        was = renamed.get(was, was) if was is not None else None
        if was != now and not _level_change(was, now, old, new):
            moves[was, now].append(node)
    for (was, now), nodes in sorted(moves.items(), key=lambda move: (move[0][0] or "", move[0][1] or "")):
        moved = tuple(sorted(nodes))
        if was is not None and now is not None:
            yield Change("NodesMoved", f"{_nodes(moved)} moved from {was} to {now}", (was, now), moved)
        elif now is not None and now in old.by_name:
            yield Change("NodesMoved", f"{_nodes(moved)} joined {now}", (now,), moved)
        elif was is not None and was in new.by_name:
            yield Change("NodesMoved", f"{_nodes(moved)} left {was}{_why(moved, holders)}", (was,), moved)


def _level_change(was: str | None, now: str | None, old: _Side, new: _Side) -> bool:
    if was is None or now is None:
        return False
    return (now not in old.by_name and _stands_under(now, was, new)) or (
        was not in new.by_name and _stands_under(was, now, old)
    )


def _stands_under(name: str, ancestor: str, side: _Side) -> bool:
    seen: set[str] = set()
    while name in side.parent and name not in seen:
        seen.add(name)
        name = side.parent[name]
        if name == ancestor:
            return True
    return False


def _new_parents(old: _Side, new: _Side, renamed: Mapping[str, str]) -> Iterator[Change]:
    stands = {name: renamed.get(parent, parent) for name, parent in old.parent.items()}
    for name in sorted(old.by_name.keys() & new.by_name.keys()):
        was, now, what = stands.get(name), new.parent.get(name), new.by_name[name].label
        if was == now:
            continue
        match was, now:
            case None, str(now):
                yield Change("HyperNodeMoved", f"{what} now stands under {now}", (name, now))
            case str(was), None:
                yield Change("HyperNodeMoved", f"{what} no longer stands under {was}", (name, was))
            case str(was), str(now):
                yield Change("HyperNodeMoved", f"{what} moved from {was} to {now}", (name, was, now))


def _changed_fields(old: _Side, new: _Side) -> Iterator[Change]:
    both = sorted(old.by_name.keys() & new.by_name.keys())
    for name in both:
        was, now = _tier(old.by_name[name]), _tier(new.by_name[name])
        if was != now:
            yield Change("HyperNodeChanged", f"{name}: {was} becomes {now}", (name,))
    for name in both:
        before, after = dict(old.by_name[name].annotations), dict(new.by_name[name].annotations)
        for key in sorted(before.keys() | after.keys()):
            if before.get(key) != after.get(key):
                sentence = f"{name}: {key} {before.get(key, 'absent')} becomes {after.get(key, 'absent')}"
                yield Change("HyperNodeChanged", sentence, (name,))


def _tier(document: Document) -> str:
    return f"tier {document.tier}" + (f" ({document.tier_name})" if document.tier_name else "")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _nodes(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"node {names[0]}"
    room = accumulate(len(name) + 2 for name in names)
    named = max(1, sum(used <= _NAMED for used in room))
    more = f" and {len(names) - named} more" if len(names) > named else ""
    return f"{len(names)} nodes ({', '.join(names[:named])}{more})"


def _why(nodes: Sequence[str], holders: Mapping[str, str]) -> str:
    """Who holds them now, of those that are not ours."""
    held = [holders[node] for node in nodes if node in holders]
    if not held:
        return ""
    who = sorted(set(held))
    others = f" and {len(who) - 1} more" if len(who) > 1 else ""
    which = "which is not ours, holds" if len(who) == 1 else "which are not ours, hold"
    them = "it" if len(nodes) == 1 else "them" if len(held) == len(nodes) else f"{len(held)} of them"
    return f": {who[0]}{others}, {which} {them}"
