"""The tree: HyperNodes as values, tier numbers and names included.

Holds the values only; `topology.tree` builds them from the structure, `topology.documents` turns them into what is
written to the API server.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

DEFAULT_TIERS: Mapping[str, int] = {"nvlink": 1, "leaf": 2, "spine": 3, "core": 4, "core2": 5, "core3": 6}
"""Tier numbers come from one table and never from what is present, so nobody's manifest changes its meaning."""


def tier_name(level: int) -> str:
    """The tier of a level of switches: leaf, spine, core, core2, core3 and so on."""
    return ("leaf", "spine", "core")[level] if level < 3 else f"core{level - 1}"


LEVELS = ("nvlink", *map(tier_name, range(32)))
"""The names of all tiers, from the bottom up."""


def tier_number(tiers: Mapping[str, int], name: str) -> int:
    """The number of a tier; a core that the table does not name stands above all that it names, in order.

    ValueError for one that has none: nvlink where the table leaves it out, or a word that is no tier's name.
    """
    if name in tiers:
        return tiers[name]
    if name not in LEVELS or name == "nvlink":
        raise ValueError(f"the tier {name!r} has no number in the tier table")
    beyond = int(name.removeprefix("core") or "1")
    named = max((int(tier.removeprefix("core") or "1") for tier in tiers if tier.startswith("core")), default=0)
    return max(tiers.values()) + beyond - named


def has_number(tiers: Mapping[str, int], name: str) -> bool:
    """Whether `tier_number` knows it."""
    return name in tiers or (name in LEVELS and name != "nvlink")


def check_tiers(tiers: Mapping[str, int]) -> None:
    """Raise ValueError, in a sentence, for a table in which a higher level has no higher number or a number below 1."""
    ordered = [(name, tiers[name]) for name in LEVELS if name in tiers]
    unknown = set(tiers) - {name for name, _ in ordered}
    if unknown:
        raise ValueError(f"unknown tier {sorted(unknown)[0]!r}: use nvlink, leaf, spine, core, core2, core3 …")
    if not {"leaf", "spine", "core"} <= set(tiers):
        raise ValueError("the tier table must number at least leaf, spine and core")
    for (lower, low), (upper, high) in pairwise(ordered):
        if not 1 <= low < high:
            raise ValueError(f"tier numbers must start at 1 and rise upward: {lower} is {low}, {upper} is {high}")


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
    """Node GUIDs of all their ASICs, sorted; a switch of several planes has one for each. Chassis ids where the link
    layer is Ethernet."""
    assumed: bool = False
    """Some of what stands below it does so because nobody swept its switches: nothing is known of their uplinks."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The whole tree, children before parents, in a stable order."""

    hyper_nodes: tuple[HyperNode, ...]
    tiers: Mapping[str, int] = field(default_factory=lambda: dict(DEFAULT_TIERS))
