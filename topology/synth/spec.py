"""Specs: what a fabric is made of, in the words of those who order one.

Everything that a drawing shows follows from its spec. Defaults are a rail-optimised NDR fabric of HGX hosts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from discovery.scan import Speed

Wiring = Literal["rails", "rail-only", "classic"]
"""`rails`: adapter k of every host on leaf k of its unit, rails meet above. `rail-only`: the same, rails never meet.
`classic`: all adapters of a host on the one leaf of its unit (its rack)."""

Box = Literal["asic", "planes", "director"]
"""What shares a system image GUID: nothing, the ASICs of one switch on all planes, or the whole fabric (a director)."""


@dataclass(frozen=True, slots=True)
class Hardware:
    """A generation of switches and adapters, as ibnetdiscover sees it."""

    model: str
    switch_device: int
    adapter_device: int
    adapter_text: str
    """The description of an adapter whose host has set none."""
    ports: int
    """Of one ASIC, the last one (the aggregation node's) included."""
    speed: Speed


HDR = Hardware("MQM8700", 0xD2F0, 0x101B, "MT4123 ConnectX6   Mellanox Technologies", 41, Speed.HDR)
NDR = Hardware("MQM9700", 0xD2F2, 0x1021, "MT4129 ConnectX7   Mellanox Technologies", 65, Speed.NDR)
XDR = Hardware("Q3400", 0xD2F4, 0x1023, "MT4131 ConnectX8   Mellanox Technologies", 145, Speed.XDR)


PRODUCTS: Mapping[int, str] = {kind.adapter_device: kind.adapter_text for kind in (HDR, NDR, XDR)}
"""The text of an adapter whose host has set none, by device id."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The hosts on one group of leaves (a scalable unit, a row, a rack)."""

    hosts: int = 32
    adapters: int = 8
    """HCAs of each host: the number of rails, or of cables to the one leaf."""


@dataclass(frozen=True, slots=True)
class StorageLeaf:
    """One more leaf in a compute fabric: it joins servers and an extra adapter of each host of the first units."""

    units: int = 4
    servers: int = 4


@dataclass(frozen=True, slots=True)
class Tree:
    """A fat tree of 1, 2 or 3 tiers of switches."""

    units: tuple[Unit, ...] = (Unit(),) * 8
    wiring: Wiring = "rails"
    tiers: Literal[1, 2, 3] = 2
    pod_units: int = 8
    """Units to a pod, where there are 3 tiers."""
    spines: int = 8
    """A pod and rail where there are 3 tiers or rails never meet; a pod for classic wiring; else of the fabric."""
    trunk: int = 1
    """Parallel cables between a leaf and a spine."""
    cores: int = 4
    """For each position of a spine in its group."""
    core_trunk: int = 1
    """Parallel cables between a spine and a core."""
    planes: int = 1
    box: Box = "asic"
    hardware: Hardware = NDR
    name: str = "cf"
    host_prefix: str = "node-"
    host_names: tuple[str, ...] = ()
    """All hosts by name, unit by unit; empty: `host_prefix` and a number."""
    device_prefix: str = "mlx5_"
    first_device: int = 0
    storage_leaf: StorageLeaf | None = None
    spine_hosts: int = 0
    """Management hosts, one adapter each, on the first spines."""
    aggregation: bool = True
    """Every switch has its aggregation node on the last port."""
    number: int = 0
    """Of the fabric within its site, 0-7: keeps identities apart."""
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.units or self.pod_units < 1 or self.planes < 1 or not 0 <= self.number < 8:
            raise ValueError(f"the tree {self.name!r} needs units, pods of at least one, a plane and a number 0-7")
        if self.host_names and len(self.host_names) != sum(unit.hosts for unit in self.units):
            raise ValueError(f"the tree {self.name!r} has {len(self.host_names)} names for another number of hosts")


@dataclass(frozen=True, slots=True)
class Mesh:
    """Groups of switches that are joined directly: Dragonfly+ with spines, a full mesh of leaves without."""

    groups: int = 4
    leaves: int = 4
    spines: int = 4
    """0: the leaves of a group, and the groups' first leaves, are linked to each other."""
    leaf_hosts: int = 8
    adapters: int = 2
    hardware: Hardware = NDR
    name: str = "df"
    host_prefix: str = "node-"
    number: int = 0
    seed: int = 0


def units_of(hosts: int, size: int = 32, adapters: int = 8) -> tuple[Unit, ...]:
    """Full units for so many hosts, and one with the rest."""
    full, rest = divmod(hosts, size)
    return (Unit(size, adapters),) * full + ((Unit(rest, adapters),) if rest else ())
