"""Small clusters and gangs for the kernel's tests, written down by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from scheduler.kernel.gang import Gang, Mode, PodClass
from scheduler.kernel.outcome import Placement, Refusal
from scheduler.kernel.placement import place
from scheduler.kernel.quantity import GPU
from scheduler.kernel.snapshot import LinkCount, NodeFacts, Snapshot
from scheduler.kernel.snapshot_build import take_snapshot
from scheduler.kernel.tree import HyperNodeEntry, Tree
from scheduler.kernel.tree_build import build_tree

ROOM = {"cpu": 64_000, "memory": 512 << 30, "pods": 110, GPU: 4}


def rack(name: str, *nodes: str, tier: int = 1) -> HyperNodeEntry:
    return HyperNodeEntry(name, tier, "rack" if tier == 1 else "", (), nodes)


def row(name: str, *racks: str, tier: int = 2) -> HyperNodeEntry:
    return HyperNodeEntry(name, tier, "row" if tier == 2 else "", racks)


def names(prefix: str, count: int) -> tuple[str, ...]:
    return tuple(f"{prefix}-n{number}" for number in range(1, count + 1))


def two_rows(racks_a_row: int = 3, nodes_a_rack: int = 4) -> tuple[HyperNodeEntry, ...]:
    """Rows `row1`, `row2` of racks `r11`, `r12` … with nodes `r11-n1` …."""
    entries: list[HyperNodeEntry] = []
    for number in (1, 2):
        racks = [f"r{number}{place}" for place in range(1, racks_a_row + 1)]
        entries += [rack(one, *names(one, nodes_a_rack)) for one in racks]
        entries.append(row(f"row{number}", *racks))
    return tuple(entries)


def tree_of(entries: Iterable[HyperNodeEntry], outside: Iterable[str] = ()) -> Tree:
    entries = tuple(entries)
    return build_tree(entries, [*(node for entry in entries for node in entry.nodes), *outside])


def snapshot_of(
    entries: Iterable[HyperNodeEntry],
    *special: NodeFacts,
    outside: Iterable[str] = (),
    room: Mapping[str, int] = ROOM,
    links: Mapping[str, LinkCount] | None = None,
) -> Snapshot:
    """All nodes alike with `room`, but the `special` ones."""
    tree = tree_of(entries, outside)
    facts = {str(name): NodeFacts(str(name), room) for name in tree.node_names}
    facts |= {fact.name: fact for fact in special}
    return take_snapshot(tree, facts.values(), links)


def node(name: str, gpus_used: int = 0, pods_used: int = 0) -> NodeFacts:
    return NodeFacts(name, ROOM, {GPU: gpus_used, "pods": pods_used})


def workers(count: int, gpus: int = 4, name: str = "worker") -> PodClass:
    return PodClass(name, count, {GPU: gpus})


def gang(
    *classes: PodClass,
    mode: Mode = "hard",
    tier: int | None = 1,
    min_member: int | None = None,
    bound: tuple[str, ...] = (),
) -> Gang:
    return Gang("team/job", classes, mode, tier if mode == "hard" else None, None, min_member, bound)


def named_tier(one: Gang, name: str) -> Gang:
    return replace(one, highest_tier=None, highest_tier_name=name)


def placed(snapshot: Snapshot, one: Gang) -> Placement:
    outcome = place(snapshot, one)
    assert isinstance(outcome, Placement), outcome
    return outcome


def refused(snapshot: Snapshot, one: Gang) -> Refusal:
    outcome = place(snapshot, one)
    assert isinstance(outcome, Refusal), f"placed in {outcome.domain}"
    return outcome


def nodes_of(placement: Placement, index: int = 0) -> list[str]:
    """The node of each placed pod of a class, in the order of its pods."""
    return [str(name) for name in placement.node_names(index)]
