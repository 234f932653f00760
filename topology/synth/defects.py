"""Specs of defects: what is wrong with the cabling, in the words of those who have to find it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SwitchNames = Literal["good", "factory", "product"]
"""The operator's names; `MF0;switch-<MAC>:MODEL/U1` as shipped; the product text that all unmanaged switches share."""


@dataclass(frozen=True, slots=True)
class Construction:
    """A unit that is being cabled; rails count from 0."""

    unit: int
    part_rails: tuple[int, ...] = ()
    """Rails that only the first `part_hosts` hosts are cabled to."""
    part_hosts: int = 6
    bare_rails: tuple[int, ...] = ()
    """Rails that no host is cabled to; their leaves keep their uplinks."""


@dataclass(frozen=True, slots=True)
class Defects:
    """What to damage. Fractions are of the cables that are there; no cable suffers two exchanges."""

    missing: float = 0.0
    """Of all cables but those of aggregation nodes."""
    missing_host: float = 0.0
    """Of the host cables."""
    rails_exchanged: float = 0.0
    """Of the host cables: pairs of one host that hang on each other's rail."""
    hosts_exchanged: float = 0.0
    """Of the host cables: pairs of hosts of different units."""
    strays: int = 0
    """Host cables in a free port of another unit's leaf."""
    dead_leaves: int = 0
    dead_spines: int = 0
    cut_off: tuple[int, ...] = ()
    """Units whose leaves have lost every uplink: islands."""
    switch_names: SwitchNames = "good"
    factory_adapters: float = 0.0
    """Of the adapters: they carry their product's text."""
    construction: Construction | None = None
    seed: int = 0
