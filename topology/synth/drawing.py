"""A drawing: the nodes and cables of one fabric as columns, with the truth about both."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from discovery.scan import NodeColumns, NodeKind

End = tuple[int, int]
"""A cable end: node GUID and port."""


class Fault(IntEnum):
    """What was done to a host's cable; it hangs at the wrong place since."""

    NONE = 0
    RAILS_EXCHANGED = 1
    """With the cable of another rail of the same host."""
    HOSTS_EXCHANGED = 2
    """With the cable of a host of another unit."""
    STRAY = 3
    """Into a free port of another unit's leaf."""


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where each node belongs, one row a node; -1 where the word has no meaning for it."""

    level: NDArray[np.int32]
    """Of a switch, 0 is where the hosts attach."""
    pod: NDArray[np.int32]
    unit: NDArray[np.int32]
    rail: NDArray[np.int32]
    plane: NDArray[np.int32]
    host: NDArray[np.int32]
    """Of an adapter: index into `Drawing.hosts`."""


@dataclass(frozen=True, slots=True, eq=False)
class Cables:
    """One row a cable that was ever meant to be. `lower` is the adapter, or the switch on the lower level."""

    lower: NDArray[np.int32]
    lower_port: NDArray[np.int32]
    upper: NDArray[np.int32]
    upper_port: NDArray[np.int32]
    width: NDArray[np.uint8]
    speed: NDArray[np.uint8]
    fault: NDArray[np.uint8]
    present: NDArray[np.bool_]
    """False for a cable that is missing, or hung on a dead switch."""

    def __len__(self) -> int:
        return len(self.lower)


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """One fabric: `nodes` and `places` share an index; `hosts`, `host_unit` and `host_pod` share another."""

    name: str
    nodes: NodeColumns
    places: Places
    cables: Cables
    hosts: tuple[str, ...]
    host_unit: NDArray[np.int32]
    """-1 for a host that is in no unit: a storage server on a shared leaf, a management host on a spine."""
    host_pod: NDArray[np.int32]

    def host_cables(self) -> NDArray[np.bool_]:
        """Which cables end at a host's adapter."""
        return np.asarray(self.nodes.kind[self.cables.lower] == NodeKind.HOST)

    def attached(self) -> NDArray[np.bool_]:
        """Which hosts still have a cable."""
        rows = self.host_cables() & self.cables.present
        found = np.zeros(len(self.hosts), np.bool_)
        found[self.places.host[self.cables.lower[rows]]] = True
        return found

    def switch_ends(self, *faults: Fault) -> frozenset[End]:
        """The ends at switches of the present cables that suffered one of the faults."""
        rows = np.isin(self.cables.fault, [int(fault) for fault in faults]) & self.cables.present
        return self.ends(self.cables.upper[rows], self.cables.upper_port[rows])

    def ends(self, nodes: NDArray[np.int32], ports: NDArray[np.int32]) -> frozenset[End]:
        """Node indices and ports as cable ends."""
        return frozenset(zip(self.nodes.guid[nodes].tolist(), ports.tolist(), strict=True))
