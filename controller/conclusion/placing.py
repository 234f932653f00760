"""The condition `Placed` of every NodeReport: where the node stands, or why nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from controller.conclusion.reading import Owned
from topology.graph import Unplaced
from topology.hierarchy import Hierarchy
from topology.staying import lowest_of

IN_HYPER_NODE, NO_FABRIC_PORT, UNKNOWN_GUID, AMBIGUOUS_DOMAIN, FOREIGN_HYPER_NODE, NO_SWITCH, UNKNOWN_NODE = (
    "InHyperNode", "NoFabricPort", "UnknownGuid", "AmbiguousDomain", "ForeignHyperNode", "NoSwitch", "UnknownNode",
)  # fmt: skip

_REASONS: Mapping[str, str] = {"no-switch": NO_SWITCH}
"""Reasons of the topology room that are no CamelCase words."""
_SENTENCES: Mapping[str, str] = {
    NO_FABRIC_PORT: "it has no port on a fabric that makes a tree",
    UNKNOWN_GUID: "no sweep has seen any of its ports",
    AMBIGUOUS_DOMAIN: "its links lead into several domains, and none of them holds most",
    FOREIGN_HYPER_NODE: "a HyperNode that is not ours holds it",
    NO_SWITCH: "its cables lead to no switch",
    UNKNOWN_NODE: "there is no Node of this name",
}


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a node stands, or why nowhere."""

    hyper_node: str | None
    reason: str
    message: str


def place(
    owned: Iterable[Owned],
    names: frozenset[str],
    hierarchy: Hierarchy,
    unplaced: Iterable[Unplaced],
    foreign: frozenset[str],
) -> dict[str, Placement]:
    """By node, for every NodeReport. One whose Node was deleted (it is none of `names`) keeps its place as long as its
    name is held."""
    lowest = lowest_of(hierarchy.hyper_nodes)
    why = {entry.node: _REASONS.get(entry.reason, entry.reason) for entry in unplaced}
    placements: dict[str, Placement] = {}
    for report in owned:
        node = report.node
        if node in lowest:
            placements[node] = Placement(lowest[node], IN_HYPER_NODE, f"in {lowest[node]}")
            continue
        reason = why.get(node) or _unseen(report)
        if node not in names:
            reason = UNKNOWN_NODE
        elif node in foreign:
            reason = FOREIGN_HYPER_NODE
        placements[node] = Placement(None, reason, _SENTENCES.get(reason, "it has no place in the tree"))
    return placements


def _unseen(report: Owned) -> str:
    return UNKNOWN_GUID if any(adapter.port_guid for adapter in report.adapters) else NO_FABRIC_PORT
