"""Taking over HyperNodes of others, those alone that the setting `adopt` names.

One write turns a foreign HyperNode into one of ours: it gets our label, its members as exact names, and a note of the
tier that it stands for. Nothing else of it changes, so the tree is as legal as it was. When all are taken over, parents
first, the plan treats them like every other: where its members are those of a domain of the tree, one becomes that
domain under its own name, else it is removed in safe order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from controller.conclusion.foreign import find_foreign, take_in
from controller.conclusion.memory import Memory
from controller.conclusion.standing import ADOPTED_AS
from controller.conclusion.tree import conclude_tree
from controller.notices import Notice
from controller.settings import ControllerSettings
from controller.snapshot import Snapshot
from kube.meta import Body
from kube.types import HyperNode
from topology.documents import SOURCE, SOURCE_LABEL, Document, MemberKind, to_manifest
from topology.hierarchy import Hierarchy

REFUSED, ADOPTED = "AdoptionRefused", "Adopted"


@dataclass(frozen=True, slots=True)
class Adoption:
    """One HyperNode to take over, as it was read, and what is to be applied to it."""

    found: HyperNode
    manifest: Body
    sentence: str


@dataclass(frozen=True, slots=True)
class Adopting:
    """What one look takes over, what is to be said about the names in the setting, and those ever taken over here."""

    steps: tuple[Adoption, ...] = ()
    notices: tuple[Notice, ...] = ()
    names: frozenset[str] = frozenset()


def find_adoptions(
    memory: Memory, snapshot: Snapshot, standing: tuple[Document, ...], settings: ControllerSettings
) -> Adopting:
    """From a memory that has taken note of the snapshot. `settings` have the numbers of the tiers that are used."""
    wanted = frozenset(settings.adopt)
    if not wanted:
        return Adopting()
    there = [found for found in snapshot.foreign if found.metadata.name in wanted]
    named = [found for found in there if not found.metadata.deleting]
    refused = dict(_refused(snapshot, named))
    candidates = [found for found in _parents_first(named) if found.metadata.name not in refused]
    names = memory.adopted | {found.metadata.name for found in there}
    notices = (*_unusable(snapshot, wanted - names), *refused.values())
    if not candidates:
        return Adopting((), notices, names)
    taken = {found.metadata.name for found in candidates}
    rest = [found for found in snapshot.foreign if found.metadata.name not in taken]
    foreign = find_foreign(rest, snapshot.nodes, frozenset(document.name for document in standing))
    hierarchy = conclude_tree(replace(memory, warm=True), snapshot, standing, foreign, settings).hierarchy
    nodes = take_in(snapshot.hyper_nodes, snapshot.nodes).nodes
    below = {found.metadata.name: _below(found.metadata.name, snapshot, nodes) for found in candidates}
    steps = (_adoption(found, nodes, _fit(found, below[found.metadata.name], hierarchy)) for found in candidates)
    return Adopting(tuple(steps), notices, names)


def _parents_first(named: Sequence[HyperNode]) -> list[HyperNode]:
    """None of ours is ever listed by one that is still to be taken over."""
    return sorted(named, key=lambda found: (-found.spec.tier, found.metadata.name))


def _unusable(snapshot: Snapshot, names: frozenset[str]) -> Iterator[Notice]:
    ours = {found.metadata.name for found in snapshot.ours}
    for name in sorted(names):
        if name in ours:
            yield Notice("", name, "the setting adopt names it, and it is ours already; it can be left out there")
        else:
            yield Notice("", name, "the setting adopt names it, and there is none; when there is, it is taken over")


def _refused(snapshot: Snapshot, named: Sequence[HyperNode]) -> Iterator[tuple[str, Notice]]:
    """Those that a HyperNode lists which stays foreign: it would list a missing one when ours is removed.

    One that is refused refuses those that it lists in turn.
    """
    names = {found.metadata.name for found in named}
    foreign = {found.metadata.name: found for found in snapshot.foreign}
    staying = [name for name in sorted(foreign) if name not in names]
    while staying:
        parent = staying.pop()
        for child in sorted(_children(foreign[parent]) & names):
            names.discard(child)
            staying.append(child)
            sentence = (
                f"the setting adopt names it, but {parent} lists it and stays with others: name {parent} in adopt as "
                f"well, or take {child} out of it"
            )
            yield child, Notice(REFUSED, child, sentence)


def _children(found: HyperNode) -> frozenset[str]:
    return frozenset(
        member.selector.exact_match.name
        for member in found.spec.members
        if member.type == "HyperNode" and member.selector.exact_match is not None
    )


def _below(name: str, snapshot: Snapshot, own: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """All nodes below a HyperNode, whoever's those in between are; a circle is cut somewhere."""
    by_name = {found.metadata.name: found for found in snapshot.hyper_nodes}
    seen, open_, nodes = {name}, [name], set[str]()
    while open_:
        at = open_.pop()
        nodes |= own.get(at, frozenset())
        fresh = (_children(by_name[at]) & by_name.keys()) - seen
        seen |= fresh
        open_ += sorted(fresh)
    return frozenset(nodes)


def _fit(found: HyperNode, nodes: frozenset[str], hierarchy: Hierarchy) -> str:
    """The tier whose domain has its members, more than half of either's; "" where there is none.

    Of several the one that shares most, then the one with its own number, then the lowest.
    """
    fits = [
        (-len(nodes & members) / len(nodes | members), domain.tier != found.spec.tier, domain.tier, domain.tier_name)
        for domain in hierarchy.hyper_nodes
        if 2 * len(nodes & (members := frozenset(domain.nodes))) > max(len(nodes), len(members))
    ]
    return min(fits)[-1] if fits else ""


def _adoption(found: HyperNode, nodes: Mapping[str, frozenset[str]], tier_name: str) -> Adoption:
    name, spec = found.metadata.name, found.spec
    own, children = nodes.get(name, frozenset()), _children(found)
    note = ((ADOPTED_AS, tier_name),)
    becomes = (
        f"it stands for a domain of tier {tier_name} and keeps its name"
        if tier_name
        else "no domain of the tree has its members, so it is removed"
    )
    sentence = f"taken over, as the setting adopt asks: {becomes}"
    if bool(own) == bool(children):  # both, or none of them: there is no list of one kind to write
        metadata = {"name": name, "labels": {SOURCE_LABEL: SOURCE}, "annotations": dict(note)}
        return Adoption(found, {"metadata": metadata}, sentence)
    kind: MemberKind = "HyperNode" if children else "Node"
    document = Document(name, spec.tier, spec.tier_name, kind, tuple(sorted(own or children)), note)
    return Adoption(found, to_manifest(document), sentence)
