"""A tree counted out: which hosts, adapters and leaves there are and which belong together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from topology.synth.draft import Indices
from topology.synth.spec import Tree


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Hosts run unit by unit, adapters host by host, leaves unit by unit and in it rail by rail."""

    host_unit: Indices
    host_slot: Indices
    """From 0 within the unit."""
    adapter_host: Indices
    adapter_rail: Indices
    """The how manieth of its host, from 0."""
    adapter_leaf: Indices
    leaf_unit: Indices
    leaf_rail: Indices
    """-1 for classic wiring, whose leaves have no rail."""
    pod_units: int
    pods: int
    groups: int
    """Of spines in a pod: one for each rail, or a single one."""

    def pods_of(self, units: Indices) -> Indices:
        """The pod of each unit."""
        return units // np.int32(self.pod_units)


def lay_out(spec: Tree) -> Layout:
    """Count out the spec."""
    hosts = np.array([unit.hosts for unit in spec.units], np.int32)
    adapters = np.array([unit.adapters for unit in spec.units], np.int32)
    leaves = np.ones_like(adapters) if spec.wiring == "classic" else adapters
    host_unit, host_slot = _numbered(hosts)
    adapter_host, adapter_rail = _numbered(adapters[host_unit])
    leaf_unit, leaf_rail = _numbered(leaves)
    first_leaf = np.cumsum(leaves, dtype=np.int32) - leaves
    by_rail = spec.wiring == "rail-only" or (spec.wiring == "rails" and spec.tiers == 3)
    pod_units = spec.pod_units if spec.tiers == 3 else len(spec.units)
    return Layout(
        host_unit=host_unit,
        host_slot=host_slot,
        adapter_host=adapter_host,
        adapter_rail=adapter_rail,
        adapter_leaf=first_leaf[host_unit[adapter_host]] + (0 if spec.wiring == "classic" else adapter_rail),
        leaf_unit=leaf_unit,
        leaf_rail=np.full_like(leaf_rail, -1) if spec.wiring == "classic" else leaf_rail,
        pod_units=pod_units,
        pods=-(-len(spec.units) // pod_units),
        groups=int(adapters.max()) if by_rail else 1,
    )


def _numbered(counts: Indices) -> tuple[Indices, Indices]:
    """For counts [2, 3]: the owners 0 0 1 1 1 and the numbers 0 1 0 1 2."""
    owner = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    return owner, (np.arange(len(owner)) - first).astype(np.int32)
