"""The tree: HyperNodes as values, tier numbers and names included.

Holds the values only; `topology.tree` builds them from the structure, `topology.documents` turns them into what is
written to the API server.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

DEFAULT_TIERS: Mapping[str, int] = {"nvlink": 1, "leaf": 2, "spine": 3, "core": 4, "core2": 5, "core3": 6}
"""Tier numbers come from one table and never from what is present, so nobody's manifest changes its meaning."""


@dataclass(frozen=True, slots=True)
class HyperNode:
    """One HyperNode of the tree."""

    name: str
    fabric: str
    tier: int
    tier_name: str
    parent: str | None
    children: tuple[str, ...]
    """Names of the HyperNodes that are its members; empty at the lowest tier, whose members are nodes."""
    nodes: tuple[str, ...]
    """All nodes below, sorted."""
    switches: tuple[str, ...]
    """Names (or GUIDs, where a switch has no name) of the switches of this domain itself, sorted."""
    switch_guids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The whole tree, children before parents, in a stable order."""

    hyper_nodes: tuple[HyperNode, ...]
    tiers: Mapping[str, int] = field(default_factory=lambda: dict(DEFAULT_TIERS))
