"""The graph: one fabric-wide picture of switches, hosts and cables, merged from all scans.

Holds the values only; `topology.merge` builds them. Indices in the columns point into `switches` and `hosts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Switch:
    """One switch: an ASIC, or the ASICs of one box that have no link between them (the planes of an XDR box)."""

    guid: int
    system_guid: int
    name: str
    """The operator's name: the description without `MF0;` in front and `:MODEL/Un` behind; "" when there is none."""
    description: str
    device_id: int
    port_count: int
    other_guids: tuple[int, ...] = ()
    """Node GUIDs of the other ASICs of its box, ascending; `guid` is the lowest of all."""
    ethernet: bool = False
    """Its link layer; False: InfiniBand."""

    @property
    def guids(self) -> tuple[int, ...]:
        """The node GUIDs of all its ASICs, ascending."""
        return (self.guid, *self.other_guids)

    @property
    def asics(self) -> int:
        """How many ASICs of its box have no link between them: its planes."""
        return 1 + len(self.other_guids)


@dataclass(frozen=True, slots=True)
class Host:
    """One machine, or one adapter that names no machine (`name` None: it is a host of its own)."""

    name: str | None
    """As its adapters spell it."""
    node: str | None
    """The Kubernetes node that it is, lower case; None when it is none of the cluster's."""


@dataclass(frozen=True, slots=True, eq=False)
class AdapterColumns:
    """One row an HCA (one `Ca` block): its host and what it is."""

    host: NDArray[np.int32]
    guid: NDArray[np.uint64]
    system_guid: NDArray[np.uint64]
    device_id: NDArray[np.uint32]
    device: tuple[str | None, ...]
    """The device name in its description (`HCA-1`, `mlx5_0`, `ibp75s0f0`); None where it has none."""
    description: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class HostLinkColumns:
    """One row a cable between an adapter and a switch."""

    host: NDArray[np.int32]
    adapter: NDArray[np.int32]
    adapter_port: NDArray[np.int16]
    port_guid: NDArray[np.uint64]
    switch: NDArray[np.int32]
    switch_port: NDArray[np.int16]
    width: NDArray[np.uint8]
    speed: NDArray[np.uint8]
    switch_guid: NDArray[np.uint64]
    """The node GUID of the ASIC at the switch's end; a switch of several planes has one for each."""

    def __len__(self) -> int:
        return len(self.host)


@dataclass(frozen=True, slots=True, eq=False)
class TrunkColumns:
    """One row a cable between two switches (`a` == `b`: a cable from a switch to itself)."""

    a: NDArray[np.int32]
    a_port: NDArray[np.int16]
    b: NDArray[np.int32]
    b_port: NDArray[np.int16]
    width: NDArray[np.uint8]
    speed: NDArray[np.uint8]
    a_guid: NDArray[np.uint64]
    b_guid: NDArray[np.uint64]
    """The node GUIDs of the ASICs at both ends."""

    def __len__(self) -> int:
        return len(self.a)


@dataclass(frozen=True, slots=True)
class CablePort:
    """A port as the end of a cable: of a switch, of an adapter, or of neither (a router)."""

    switch: int
    """-1: it is none."""
    adapter: int
    """-1: it is none."""
    guid: int
    """The node GUID."""
    port: int


@dataclass(frozen=True, slots=True)
class Told:
    """A far end that some source names for a port, and whose word that is."""

    far: CablePort
    by_port: bool
    """The port's own node said so."""
    by_far: bool
    """The node at the far end said so."""


@dataclass(frozen=True, slots=True)
class Dispute:
    """A port for which sources name different far ends; every one of these cables stands in the graph."""

    port: CablePort
    told: tuple[Told, ...]


@dataclass(frozen=True, slots=True)
class Unplaced:
    """A node of the cluster that no HyperNode holds, and why (`NoFabricPort`, `AmbiguousDomain`, `no-switch` …)."""

    node: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """Everything that was seen, whoever saw it. `component` numbers the connected parts, by switch."""

    switches: tuple[Switch, ...]
    hosts: tuple[Host, ...]
    adapters: AdapterColumns
    host_links: HostLinkColumns
    trunks: TrunkColumns
    component: NDArray[np.int32]
    complete: bool
    """False when some scan says that it did not reach everything."""
    duplicate_names: tuple[tuple[int, ...], ...] = ()
    """Groups of adapter indices that share one description (host and device); none of them is placed by name."""
    unplaced: tuple[Unplaced, ...] = ()
    disputes: tuple[Dispute, ...] = ()
    unswept: tuple[int, ...] = ()
    """Switches that were only named by a neighbour: nothing is known of their other cables. Usual for Ethernet."""
    spelled: Mapping[int, str] | None = None
    """Spellings of identities that are no hexadecimal GUID, by their stand-in number."""
