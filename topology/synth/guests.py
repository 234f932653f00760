"""What hangs on a compute fabric besides its units: a leaf for storage, and management hosts on spines."""

from __future__ import annotations

import numpy as np

from discovery.scan import NodeKind
from topology.synth.draft import SERVER, SPINE_HOST, STORAGE_LEAF, Block, Draft, Indices
from topology.synth.layout import Layout
from topology.synth.spec import StorageLeaf, Tree
from topology.synth.switches import PlaneSwitches, describe


def add_storage_leaf(draft: Draft, spec: Tree, layout: Layout, switches: PlaneSwitches, names: list[str]) -> Indices:
    """Add the leaf with its servers, uplinked to the first group of spines; `names` grows by the servers.

    Every host of the first units gets one more adapter, numbered after its others.
    """
    leaf, hardware = spec.storage_leaf or StorageLeaf(), spec.hardware
    texts = [describe(spec, "storage-leaf", 0)]
    guid = draft.identify(STORAGE_LEAF, unit=0, rail=0, slot=0)
    switch = draft.add(Block(NodeKind.SWITCH, hardware.switch_device, hardware.ports, texts, guid, level=0, plane=0))
    served = np.flatnonzero(layout.host_unit < leaf.units).astype(np.int32)
    unit = layout.host_unit[served]
    rail = np.array([one.adapters for one in spec.units], np.int32)[unit]
    rows = zip(served.tolist(), rail.tolist(), strict=True)
    adapters = draft.add(
        Block(
            NodeKind.HOST,
            hardware.adapter_device,
            1,
            [f"{names[host]} {spec.device_prefix}{spec.first_device + number}" for host, number in rows],
            draft.identify(STORAGE_LEAF, unit=unit, rail=rail, slot=layout.host_slot[served] + 1),
            pod=layout.pods_of(unit),
            unit=unit,
            rail=rail,
            host=served,
        )
    )
    servers = _add_hosts(draft, spec, SERVER, [f"storage-{number + 1:02d}" for number in range(leaf.servers)], names)
    below = np.concatenate([adapters, servers])
    draft.join(below, np.repeat(switch, len(below)), hardware.speed)
    if spec.tiers > 1:
        draft.join(np.repeat(switch, spec.spines), switches.spines[0, 0], hardware.speed)
    return switch


def add_spine_hosts(draft: Draft, spec: Tree, switches: PlaneSwitches, names: list[str]) -> None:
    """Add management hosts, one on each of the first spines and round again; `names` grows by them."""
    titles = [f"mgmt-{number + 1:02d}" for number in range(spec.spine_hosts)]
    hosts = _add_hosts(draft, spec, SPINE_HOST, titles, names)
    draft.join(hosts, np.resize(switches.spines.ravel(), len(hosts)), spec.hardware.speed)


def _add_hosts(draft: Draft, spec: Tree, role: int, titles: list[str], names: list[str]) -> Indices:
    """Hosts of one adapter each, in no unit."""
    number = np.arange(len(titles), dtype=np.int32)
    block = Block(
        NodeKind.HOST,
        spec.hardware.adapter_device,
        1,
        [f"{title} {spec.device_prefix}0" for title in titles],
        draft.identify(role, unit=0, rail=0, slot=number),
        host=number + len(names),
    )
    names += titles
    return draft.add(block)
