"""Fat trees: rail-optimised, rail-only and classic, 1 to 3 tiers, on one or several planes, in boxes or a director."""

from __future__ import annotations

import numpy as np

from discovery.scan import NodeKind
from topology.synth.draft import ADAPTER, Block, Draft, Indices
from topology.synth.drawing import Drawing
from topology.synth.guests import add_spine_hosts, add_storage_leaf
from topology.synth.layout import Layout, lay_out
from topology.synth.spec import Tree
from topology.synth.switches import PlaneSwitches, add_switches


def draw_tree(spec: Tree) -> Drawing:
    """Draw the fat tree of the spec, every cable in its place."""
    draft, layout = Draft(spec.number, spec.seed), lay_out(spec)
    names = list(spec.host_names) or [f"{spec.host_prefix}{host:05d}" for host in range(len(layout.host_unit))]
    adapters = _add_adapters(draft, spec, layout, names)
    planes = [add_switches(draft, spec, layout, plane) for plane in range(spec.planes)]
    for plane, switches in enumerate(planes):
        draft.join(adapters, switches.leaves[layout.adapter_leaf], spec.hardware.speed, lower_port=plane + 1)
        if spec.tiers > 1:
            _join_spines(draft, spec, layout, switches)
        if spec.tiers > 2:
            _join_cores(draft, spec, switches)
    everything = [switches.all() for switches in planes]
    if spec.storage_leaf:
        everything.append(add_storage_leaf(draft, spec, layout, planes[0], names))
    if spec.spine_hosts:
        add_spine_hosts(draft, spec, planes[0], names)
    if spec.aggregation:
        draft.add_aggregation(np.concatenate(everything), spec.hardware.speed)
    host_unit = np.full(len(names), -1, np.int32)
    host_pod = host_unit.copy()
    host_unit[: len(layout.host_unit)] = layout.host_unit
    host_pod[: len(layout.host_unit)] = layout.pods_of(layout.host_unit)
    return draft.finish(spec.name, names, host_unit, host_pod)


def _add_adapters(draft: Draft, spec: Tree, layout: Layout, names: list[str]) -> Indices:
    host, rail = layout.adapter_host, layout.adapter_rail
    unit = layout.host_unit[host]
    rows = zip(host.tolist(), rail.tolist(), strict=True)
    block = Block(
        NodeKind.HOST,
        spec.hardware.adapter_device,
        spec.planes,
        [f"{names[owner]} {spec.device_prefix}{spec.first_device + number}" for owner, number in rows],
        guid=draft.identify(ADAPTER, unit=unit, rail=rail, slot=layout.host_slot[host]),
        pod=layout.pods_of(unit),
        unit=unit,
        rail=rail,
        host=host,
    )
    return draft.add(block)


def _join_spines(draft: Draft, spec: Tree, layout: Layout, switches: PlaneSwitches) -> None:
    """Every leaf to every spine of its pod, and of its rail where spines have one."""
    group = layout.leaf_rail if layout.groups > 1 else np.zeros_like(layout.leaf_rail)
    above = switches.spines[layout.pods_of(layout.leaf_unit), group]
    fan = spec.spines * spec.trunk
    draft.join(np.repeat(switches.leaves, fan), np.repeat(above, spec.trunk, axis=1).ravel(), spec.hardware.speed)


def _join_cores(draft: Draft, spec: Tree, switches: PlaneSwitches) -> None:
    """Every spine to every core of its position; cores of rail-only fabrics keep to their rail."""
    pods, groups, spines = switches.spines.shape
    fan = spec.cores * spec.core_trunk
    cores = np.repeat(switches.cores, spec.core_trunk, axis=2)
    above = np.broadcast_to(cores, (pods, groups, spines, fan))
    draft.join(np.repeat(switches.spines.ravel(), fan), above.ravel(), spec.hardware.speed)
