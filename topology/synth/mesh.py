"""Fabrics that are no trees: Dragonfly+ (groups of leaves and spines, spines of groups linked) and meshes of leaves."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from discovery.scan import NodeKind
from topology.synth.draft import ADAPTER, LEAF, SPINE, Block, Draft, Indices
from topology.synth.drawing import Drawing
from topology.synth.spec import Mesh


def draw_mesh(spec: Mesh) -> Drawing:
    """Draw the groups. Truth: every leaf is a unit, every group a pod; `level` is that of leaf and spine."""
    draft = Draft(spec.number, spec.seed)
    leaves = _add_switches(draft, spec, "leaf", spec.leaves)
    spines = _add_switches(draft, spec, "spine", spec.spines)
    host_unit = np.repeat(np.arange(leaves.size, dtype=np.int32), spec.leaf_hosts)
    host_pod = host_unit // np.int32(spec.leaves)
    names = [f"{spec.host_prefix}{host:05d}" for host in range(len(host_unit))]
    adapters = _add_adapters(draft, spec, names, host_unit, host_pod)
    draft.join(adapters, np.repeat(leaves.ravel()[host_unit], spec.adapters), spec.hardware.speed)
    for group in range(spec.groups):
        if spec.spines:
            draft.join(np.repeat(leaves[group], spec.spines), np.tile(spines[group], spec.leaves), spec.hardware.speed)
        else:
            _link_all(draft, spec, leaves[group])
    _link_groups(draft, spec, spines if spec.spines else leaves)
    return draft.finish(spec.name, names, host_unit, host_pod)


def _add_switches(draft: Draft, spec: Mesh, word: str, count: int) -> Indices:
    """The leaves or spines of all groups, as an array (groups, count)."""
    group = np.repeat(np.arange(spec.groups, dtype=np.int32), count)
    slot = np.tile(np.arange(count, dtype=np.int32), spec.groups)
    rows = zip(group.tolist(), slot.tolist(), strict=True)
    is_leaf = word == "leaf"
    block = Block(
        NodeKind.SWITCH,
        spec.hardware.switch_device,
        spec.hardware.ports,
        [f"MF0;{spec.name}-{word}-{one + 1}-{two + 1:02d}:{spec.hardware.model}/U1" for one, two in rows],
        draft.identify(LEAF if is_leaf else SPINE, unit=group, rail=0, slot=slot),
        level=0 if is_leaf else 1,
        pod=group,
        unit=np.arange(len(group)) if is_leaf else -1,
        plane=0,
    )
    return draft.add(block).reshape(spec.groups, count)


def _add_adapters(draft: Draft, spec: Mesh, names: list[str], host_unit: Indices, host_pod: Indices) -> Indices:
    host = np.repeat(np.arange(len(names), dtype=np.int32), spec.adapters)
    rail = np.tile(np.arange(spec.adapters, dtype=np.int32), len(names))
    rows = zip(host.tolist(), rail.tolist(), strict=True)
    block = Block(
        NodeKind.HOST,
        spec.hardware.adapter_device,
        1,
        [f"{names[owner]} mlx5_{number}" for owner, number in rows],
        draft.identify(ADAPTER, unit=host_unit[host], rail=rail, slot=host % spec.leaf_hosts),
        pod=host_pod[host],
        unit=host_unit[host],
        rail=rail,
        host=host,
    )
    return draft.add(block)


def _link_all(draft: Draft, spec: Mesh, switches: Indices) -> None:
    """One cable between any two of the switches."""
    for one, two in combinations(switches.tolist(), 2):
        draft.join(np.array([one], np.int32), np.array([two], np.int32), spec.hardware.speed)


def _link_groups(draft: Draft, spec: Mesh, switches: Indices) -> None:
    """One cable between any two groups at each position, so that a group hangs on no single switch."""
    for position in range(switches.shape[1] if spec.spines else 1):
        _link_all(draft, spec, switches[:, position])
