"""Sites: what needs more than one fabric, or more than a fabric; NVLink domains, storage beside compute, the demo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from discovery.scan import Scan
from topology.synth.drawing import Drawing
from topology.synth.draws import draw
from topology.synth.evidence import scan_of
from topology.synth.spec import HDR, Tree, Unit, units_of
from topology.synth.tree import draw_tree

RACK_NODES = 18
"""Compute trays of an NVL72 rack; each has 4 GPUs."""


@dataclass(frozen=True, slots=True)
class Site:
    """One site: its fabrics, the NVLink domain of each node, and the names of all its nodes."""

    fabrics: tuple[Drawing, ...]
    nodes: tuple[str, ...]
    nvlink: Mapping[str, str | None]
    """Node to `<cluster uuid>.<clique>`."""

    def scans(self) -> tuple[Scan, ...]:
        """One sweep of each fabric."""
        return tuple(scan_of(fabric) for fabric in self.fabrics)


def nvlink_racks(nodes: Sequence[str], size: int = RACK_NODES, seed: int = 0) -> dict[str, str | None]:
    """NVLink domains of `size` nodes in turn, the last one with the rest; each has a drawn cluster UUID, clique 1."""
    words = draw(seed, "racks", 2 * -(-len(nodes) // size)).tolist()
    uuids = [str(UUID(int=high << 64 | low, version=4)) for high, low in zip(words[::2], words[1::2], strict=True)]
    return {node: f"{uuids[number // size]}.1" for number, node in enumerate(nodes)}


def compute_and_storage(compute: Tree, rack_hosts: int = 20, servers: int = 8) -> tuple[Drawing, Drawing]:
    """A compute fabric, and an HDR one that joins two more adapters of each of its hosts with storage servers.

    The storage fabric is classic, `rack_hosts` hosts to a leaf, whatever unit of the compute fabric they are in.
    """
    drawn = draw_tree(compute)
    names = (*drawn.hosts, *(f"storage-{number + 1:02d}" for number in range(servers)))
    storage = Tree(
        units=units_of(len(names), rack_hosts, adapters=2),
        wiring="classic",
        spines=2,
        trunk=4,
        hardware=HDR,
        name="sf",
        host_names=names,
        first_device=max(unit.adapters for unit in compute.units),
        number=(compute.number + 1) % 8,
        seed=compute.seed,
    )
    return drawn, draw_tree(storage)


def demo_site(seed: int = 0) -> Site:
    """118 nodes: 2 rows of 3 racks of 18, an NVLink domain a rack and 4 rail leaves a row, under one rank of spines;
    and 10 management nodes without any port on the fabric.
    """
    place = "node-region1-zone1-dc1"
    compute = tuple(
        f"{place}-row{row}-rack{rack:02d}-node{node:02d}"
        for row in (1, 2)
        for rack in (1, 2, 3)
        for node in range(1, RACK_NODES + 1)
    )
    fabric = draw_tree(
        Tree(units=(Unit(54, adapters=4),) * 2, spines=4, trunk=4, name="dc1", host_names=compute, seed=seed)
    )
    management = tuple(f"{place}-mgmt-node{node:02d}" for node in range(1, 11))
    return Site((fabric,), (*compute, *management), nvlink_racks(compute, seed=seed))
