"""How the tree has to be in the end: from the drawing of the site and from who is there, from nothing else.

A tier number is one of the fixed table: 2 for leaf groups, 3 for pods, 4 for the core. A node of which the last sweep
saw no cable keeps the place that it had, and has none if it never had one: it may be there or not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.chaos.churn import TREE, Churn
from tests.chaos.laws import Seen, below

LEAF, SPINE, CORE = 2, 3, 4
Place = tuple[int, int]
"""Tier, and number of the leaf group, pod or core."""


@dataclass(slots=True)
class Group:
    """Who must be in one HyperNode, and who may."""

    required: set[str] = field(default_factory=set)
    allowed: set[str] = field(default_factory=set)


def groups(churn: Churn) -> dict[Place, Group]:
    """All that there should be."""
    found: dict[Place, Group] = defaultdict(Group)
    for node in churn.ledger.present:
        unit = churn.ledger.unit(node)
        for place in ((LEAF, unit), (SPINE, unit // TREE.pod_units), (CORE, 0)):
            found[place].allowed.add(node)
            if churn.seen(node):
                found[place].required.add(node)
    return found


def differences(churn: Churn, objects: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """What is not as it should be, in sentences."""
    wanted = groups(churn)
    found = {name: Seen.of(document) for name, document in objects.items()}
    nodes = below(found)
    for name, one in sorted(found.items()):
        place = next(
            (place for place, group in wanted.items() if place[0] == one.tier and _fits(nodes[name], group)), None
        )
        if place is None:
            yield f"{name} of tier {one.tier} holds {sorted(nodes[name])}, which is no group of the site"
            continue
        del wanted[place]
        count = objects[name].get("status", {}).get("nodeCount")
        if count != len(nodes[name]):
            yield f"{name} has {len(nodes[name])} nodes and counts {count}"
    for (tier, number), group in sorted(wanted.items()):
        if group.required:
            yield f"no HyperNode of tier {tier} for group {number}: {sorted(group.required)}"


def _fits(nodes: frozenset[str], group: Group) -> bool:
    return bool(nodes) and group.required <= nodes <= group.allowed
