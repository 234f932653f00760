"""What changes between two trees, in sentences for an operator: grouped, bounded, the nodes first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from topology.documents import Document
from topology.members import children_of, nodes_below

_NAMED = 5
"""How many names a sentence gives."""


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


def describe_changes(current: Sequence[Document], desired: Sequence[Document], limit: int = 20) -> list[str]:
    """At most `limit` sentences, and one more that counts the rest; empty when nothing changes."""
    sentences = [change.sentence for change in find_changes(current, desired)]
    if len(sentences) <= limit:
        return sentences
    return [*sentences[:limit], f"and {len(sentences) - limit} more changes"]


def find_changes(current: Sequence[Document], desired: Sequence[Document]) -> list[Change]:
    """All that changes; of annotations, every one that the documents have."""
    old, new = _Side.of(current), _Side.of(desired)
    renamed = _renamed(old, new)
    return [
        *(Change("HyperNodeRenamed", f"{_what(old.by_name[a])} is now called {b}", (a, b)) for a, b in renamed.items()),
        *_new_and_gone(old, new, renamed),
        *_node_moves(old, new, renamed),
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


def _new_and_gone(old: _Side, new: _Side, renamed: Mapping[str, str]) -> Iterator[Change]:
    for name in sorted(new.by_name.keys() - old.by_name.keys() - set(renamed.values())):
        under = f" under {new.parent[name]}" if name in new.parent else ""
        sentence = f"new {_what(new.by_name[name])} with {_count(len(new.below[name]), 'node')}{under}"
        yield Change("HyperNodeAdded", sentence, (name,), _own_nodes(new.by_name[name]))
    for name in sorted(old.by_name.keys() - new.by_name.keys() - renamed.keys()):
        sentence = f"{_what(old.by_name[name])} goes (it had {_count(len(old.below[name]), 'node')})"
        yield Change("HyperNodeRemoved", sentence, (name,), _own_nodes(old.by_name[name]))


def _own_nodes(document: Document) -> tuple[str, ...]:
    """Nodes are told of where they stand, and not once more at every level above."""
    return document.members if document.member_kind == "Node" else ()


def _node_moves(old: _Side, new: _Side, renamed: Mapping[str, str]) -> Iterator[Change]:
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
            yield Change("NodesMoved", f"{_nodes(moved)} left {was}", (was,), moved)


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
        was, now, what = stands.get(name), new.parent.get(name), _what(new.by_name[name])
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


def _what(document: Document) -> str:
    return f"{document.tier_name} {document.name}"


def _tier(document: Document) -> str:
    return f"tier {document.tier} ({document.tier_name})"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _nodes(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"node {names[0]}"
    named = ", ".join(names[:_NAMED])
    return f"{len(names)} nodes ({named}{', …' if len(names) > _NAMED else ''})"
