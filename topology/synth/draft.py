"""The draft that a drawing grows in: blocks of like nodes, and cables that take the next free ports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discovery.scan import NodeColumns, NodeKind, Speed
from topology.synth.drawing import Cables, Drawing, Places
from topology.synth.draws import scramble
from topology.synth.rows import stack

Indices = NDArray[np.int32]

MELLANOX = 0x2C9
AGGREGATION_DEVICE = 0xCF09
AGGREGATION_TEXT = "Mellanox Technologies Aggregation Node"

ADAPTER, LEAF, SPINE, CORE, DIRECTOR, STORAGE_LEAF, SERVER, SPINE_HOST = range(8)
"""The roles of nodes, as identities are made from them."""

MOST_PORTS = 254
"""Port numbers are 8 bits wide, 0 and 255 are no ports (IBTA volume 1)."""

_VENDOR_PREFIX = 0x2C5EAB << 40
_AGGREGATION_BIT = np.uint64(8 << 36)


@dataclass(frozen=True, slots=True)
class Block:
    """Like nodes to be added; places are one for all or one a node."""

    kind: NodeKind
    device: int
    ports: int
    description: Sequence[str]
    guid: NDArray[np.uint64]
    system_guid: NDArray[np.uint64] | None = None
    """None: each node is a box of its own."""
    level: int = -1
    pod: ArrayLike = -1
    unit: ArrayLike = -1
    rail: ArrayLike = -1
    plane: ArrayLike = -1
    host: ArrayLike = -1

    def columns(self) -> NodeColumns:
        """The block as rows of nodes."""
        count = len(self.guid)
        return NodeColumns(
            guid=self.guid,
            system_guid=self.guid if self.system_guid is None else self.system_guid,
            kind=np.full(count, int(self.kind), np.uint8),
            vendor_id=np.full(count, MELLANOX, np.uint32),
            device_id=np.full(count, self.device, np.uint32),
            port_count=np.full(count, self.ports, np.uint16),
            described=np.ones(count, np.bool_),
            description=tuple(self.description),
        )

    def places(self) -> Places:
        """The block as rows of places."""
        words = (self.level, self.pod, self.unit, self.rail, self.plane, self.host)
        return Places(*(np.broadcast_to(np.asarray(word, np.int32), len(self.guid)) for word in words))


def take_ports(nodes: Indices, used: Indices) -> Indices:
    """The next free port for each node in turn; a node that comes twice takes two. `used` is counted on."""
    order = np.argsort(nodes, kind="stable")
    ranked = nodes[order]
    first = np.searchsorted(ranked, ranked, side="left")
    ports = np.empty(len(nodes), np.int32)
    ports[order] = np.arange(len(ranked)) - first + used[ranked] + 1
    used += np.bincount(nodes, minlength=len(used)).astype(np.int32)
    return ports


class Draft:
    """Collects the blocks and cables of one fabric. `number` and `seed` make its identities."""

    def __init__(self, number: int, seed: int) -> None:
        self._number, self._seed = number, seed
        self._nodes: list[NodeColumns] = []
        self._places: list[Places] = []
        self._cables: list[Cables] = []
        self._used: Indices = np.zeros(0, np.int32)

    def identify(
        self, role: int, *, unit: ArrayLike, rail: ArrayLike, slot: ArrayLike, plane: int = 0
    ) -> NDArray[np.uint64]:
        """GUIDs that follow from what a node is, so that a fabric may grow and keep them.

        Units and slots are below 4096, rails below 64, planes below 8.
        """
        key = np.asarray(role * 8 + plane, np.uint64)
        for part, bits in ((unit, 12), (rail, 6), (slot, 12)):
            key = (key << np.uint64(bits)) | np.asarray(part, np.uint64)
        prefix = np.uint64(_VENDOR_PREFIX | self._number << 36)
        return scramble(np.atleast_1d(key), self._seed) | prefix

    def add(self, block: Block) -> Indices:
        """Add the nodes of a block and give their indices."""
        first = len(self._used)
        self._nodes.append(block.columns())
        self._places.append(block.places())
        self._used = np.concatenate([self._used, np.zeros(len(block.guid), np.int32)])
        return np.arange(first, len(self._used), dtype=np.int32)

    def join(self, lower: Indices, upper: Indices, speed: Speed, lower_port: int | None = None) -> None:
        """One cable a pair on the next free ports, or on one given port of each `lower`."""
        given = None if lower_port is None else np.full(len(lower), lower_port, np.int32)
        lower_ports = take_ports(lower, self._used) if given is None else given
        self._lay(lower, lower_ports, upper, take_ports(upper, self._used), speed)

    def add_aggregation(self, switches: Indices, speed: Speed) -> None:
        """Give each switch an aggregation node on its last port; call it when all other cables are there."""
        nodes = stack(self._nodes)
        ports = np.maximum(nodes.port_count[switches].astype(np.int32), self._used[switches] + 1)
        block = Block(
            NodeKind.AGGREGATION,
            AGGREGATION_DEVICE,
            1,
            (AGGREGATION_TEXT,) * len(switches),
            guid=nodes.guid[switches] | _AGGREGATION_BIT,
            system_guid=nodes.system_guid[switches],
        )
        added = self.add(block)
        self._used[switches] = ports
        self._lay(added, np.ones(len(added), np.int32), switches, ports, speed)

    def finish(self, name: str, hosts: Sequence[str], host_unit: Indices, host_pod: Indices) -> Drawing:
        """The drawing of everything so far; a switch with more cables than its model has ports grows up to 254.

        ValueError: the fabric needs a switch that cannot be.
        """
        widest = int(self._used.max(initial=0))
        if widest > MOST_PORTS:
            raise ValueError(
                f"{name}: a switch would have {widest} cables; {MOST_PORTS} ports are the most there can be"
            )
        nodes, places, cables = stack(self._nodes), stack(self._places), stack(self._cables)
        np.maximum(nodes.port_count, self._used.astype(np.uint16), out=nodes.port_count)
        return Drawing(name, nodes, places, cables, tuple(hosts), host_unit, host_pod)

    def _lay(self, lower: Indices, lower_port: Indices, upper: Indices, upper_port: Indices, speed: Speed) -> None:
        count = len(lower)
        self._cables.append(
            Cables(
                lower,
                lower_port,
                upper,
                upper_port,
                width=np.full(count, 4, np.uint8),
                speed=np.full(count, int(speed), np.uint8),
                fault=np.zeros(count, np.uint8),
                present=np.ones(count, np.bool_),
            )
        )
