"""Random trees of HyperNode documents, and the invariants of a tree, written from the rules and not from the code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from hypothesis import strategies as st

from topology.documents import Document, MemberKind

NODES = tuple(f"node{number}" for number in range(1, 9))
LEVEL_NAMES = ("nvlink", "leaf", "spine", "core", "block", "row")
SHARED_NAMES = tuple("abcdefgh")


@st.composite
def trees(draw: st.DrawFn) -> tuple[Document, ...]:
    """A legal tree: 1 to 4 levels, often one-node leaves and only children, any tier numbers that rise, several roots.

    Half of the trees name every level's objects from one common pool, so that between two trees an object changes its
    level, its tier number and the kind of its members.
    """
    depth = draw(st.integers(1, 4))
    tiers = sorted(draw(st.sets(st.integers(1, 6), min_size=depth, max_size=depth)))
    level_names = draw(st.lists(st.sampled_from(LEVEL_NAMES), min_size=depth, max_size=depth, unique=True))
    common = draw(st.booleans())
    shared = list(draw(st.permutations(SHARED_NAMES)))
    members = draw(st.lists(st.sampled_from(NODES), max_size=len(NODES), unique=True))
    kind: MemberKind = "Node"
    tree: list[Document] = []
    for level, (tier, level_name) in enumerate(zip(tiers, level_names, strict=True)):
        width = draw(st.integers(1, 5))
        groups: dict[int, list[str]] = {}
        for member in members:
            place = draw(st.integers(0, width))
            if place < width or level == 0:
                groups.setdefault(place, []).append(member)
        documents = []
        for place, group in groups.items():
            if common and not shared:
                break
            name = shared.pop() if common else f"{'nlsc'[level]}{place}"
            annotations = (("links", str(draw(st.integers(0, 1)))),) if level == 0 else ()
            documents.append(Document(name, tier, level_name, kind, tuple(sorted(group)), annotations))
        tree += documents
        members, kind = [document.name for document in documents], "HyperNode"
        if not members:
            break
    return tuple(tree)


def broken_invariants(tree: Iterable[Document]) -> list[str]:
    """Every rule of a tree that Volcano may read at any moment, and what breaks it."""
    state = {document.name: document for document in tree}
    broken = [f"{name} has no members" for name, document in state.items() if not document.members]
    parents: Counter[str] = Counter()
    for name, document in state.items():
        for child in document.members if document.member_kind == "HyperNode" else ():
            parents[child] += 1
            if child not in state:
                broken.append(f"{name} lists {child}, which is missing")
            elif state[child].tier >= document.tier:
                broken.append(f"{name} is not above {child}")
    broken += [f"{child} has {count} parents" for child, count in parents.items() if count > 1]
    places = Counter((state[name].tier, node) for name in state for node in nodes_under(state, name))
    broken += [f"{node} is {count} times at tier {tier}" for (tier, node), count in places.items() if count > 1]
    return broken


def nodes_under(state: dict[str, Document], name: str) -> set[str]:
    """All nodes below one HyperNode."""
    if name not in state:
        return set()
    document = state[name]
    if document.member_kind == "Node":
        return set(document.members)
    return {node for child in document.members for node in nodes_under(state, child)}
