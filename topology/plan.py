"""The plan: from the HyperNodes that stand to those that should stand, one safe write at a time.

Every tree that a reader can see while the plan runs must be a legal one, because Volcano's scheduler acts on it at
once: no node in two HyperNodes of one tier (nodes further down included), no HyperNode with two parents, no listed
child missing, no object without members, every parent's tier above its child's. The order that keeps this:

1. *Down to what both trees agree on.* Every object that stays drops what it will not keep; then the objects that do not
   stay are deleted, parents first. Each state on this way is a part of the current tree, so it is as legal as that is.
2. *Up to the desired tree.* Children before parents, every missing object is created and every other one written in its
   final form. Each state on this way is a part of the desired tree, so it is legal too.

In between stands the **core** of each object that stays: members that it has and will have, and nodes that no desired
object wants (they can wait, and go with the final write). An object with no such child, or one that changes between
nodes and HyperNodes, holds the nodes themselves meanwhile: so a new level slips in between in one write, and a parent
never empties only because its one child is renamed. What has no core at all (one-node leaves that exchange their
nodes), and what changes its tier number, is deleted and created again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from topology.documents import Document, MemberKind
from topology.members import children_first, children_of, nodes_below

_NAMED = 3
"""How many members a sentence names."""


@dataclass(frozen=True, slots=True)
class Create:
    """A new object."""

    document: Document
    sentence: str


@dataclass(frozen=True, slots=True)
class Update:
    """One write that turns an object from `before` into `after`."""

    before: Document
    after: Document
    sentence: str


@dataclass(frozen=True, slots=True)
class Delete:
    """An object that nobody lists any more."""

    before: Document
    sentence: str


Step = Create | Update | Delete


def plan(current: Sequence[Document], desired: Sequence[Document]) -> Iterator[Step]:
    """Steps from `current` to `desired`; stopped after any of them, a new plan from there ends in the same tree.

    `desired` must have no `faults`. Where `current` has some (somebody edited it), they are repaired on the way and no
    new ones are made.
    """
    old, new = _Tree.of(current), _Tree.of(desired)
    cores = _cores(old, new)
    state = dict(old.by_name)
    for name in reversed(old.children_first()):
        core = cores.get(name)
        if core is not None and not _same_members(core, state[name]):
            yield Update(state[name], core, _update_sentence(state[name], core))
            state[name] = core
    for name in reversed(old.children_first()):
        if name not in cores:
            yield Delete(state.pop(name), _delete_sentence(old.by_name[name], returns=name in new.by_name))
    for name in new.children_first():
        document = new.by_name[name]
        if name not in state:
            yield Create(document, f"create {document.label} with {_size(document)}")
        elif state[name] != document:
            yield Update(state[name], document, _update_sentence(state[name], document))


def state_after(tree: Sequence[Document], *steps: Step) -> tuple[Document, ...]:
    """The tree when these steps are done."""
    state = {document.name: document for document in tree}
    for step in steps:
        match step:
            case Create(document):
                state[document.name] = document
            case Update(_, after):
                state[after.name] = after
            case Delete(before):
                del state[before.name]
    return tuple(state.values())


@dataclass(frozen=True, slots=True)
class _Tree:
    by_name: Mapping[str, Document]
    below: Mapping[str, frozenset[str]]

    @staticmethod
    def of(documents: Sequence[Document]) -> _Tree:
        by_name = {document.name: document for document in documents}
        return _Tree(by_name, nodes_below(by_name))

    def children_first(self) -> list[str]:
        return children_first(self.by_name)


def _cores(old: _Tree, new: _Tree) -> dict[str, Document]:
    """What each object that stays holds between the two halves of the plan; what has no core does not stay."""
    wanted = frozenset[str]().union(*new.below.values())
    cores: dict[str, Document] = {}
    for name in old.children_first():
        before, after = old.by_name[name], new.by_name.get(name)
        if after is None or after.tier != before.tier:
            continue
        kept = [child for child in children_of(before) if child in cores or child not in old.by_name]
        children = sorted(set(kept).intersection(children_of(after)))
        nodes = children or sorted(_kept_nodes(before, old.below[name], new.below[name], wanted))
        if children or nodes:
            kind: MemberKind = "HyperNode" if children else "Node"
            cores[name] = replace(after, member_kind=kind, members=tuple(children or nodes))
    return cores


def _kept_nodes(before: Document, had: frozenset[str], gets: frozenset[str], wanted: frozenset[str]) -> frozenset[str]:
    """Nodes to hold meanwhile. Those that no desired object wants stay where they are, if that saves a write."""
    if before.member_kind == "Node":
        return frozenset(node for node in had if node in gets or node not in wanted)
    return (had & gets) or (had - wanted)


def _same_members(one: Document, other: Document) -> bool:
    return (one.member_kind, one.members) == (other.member_kind, other.members)


def _size(document: Document) -> str:
    count, kind = len(document.members), "node" if document.member_kind == "Node" else "HyperNode"
    return f"{count} {kind}{'' if count == 1 else 's'}"


def _update_sentence(before: Document, after: Document) -> str:
    if before.member_kind != after.member_kind:
        return f"switch {after.label} from {_size(before)} to {_size(after)}"
    parts = [
        *(f"add {member}" for member in _named(set(after.members) - set(before.members))),
        *(f"drop {member}" for member in _named(set(before.members) - set(after.members))),
    ]
    if before.tier_name != after.tier_name:
        parts.append(f"call its tier {after.tier_name}" if after.tier_name else "take its tier's name away")
    if before.annotations != after.annotations:
        parts.append("change its annotations")
    return f"update {after.label}: {', '.join(parts)}"


def _named(members: set[str]) -> list[str]:
    names = sorted(members)
    if len(names) <= _NAMED:
        return names
    return [*names[:_NAMED], f"{len(names) - _NAMED} more"]


def _delete_sentence(before: Document, *, returns: bool) -> str:
    return f"delete {before.label}{', to create it again' if returns else ''}"
