"""What one look at the RDMA devices found: ports, their counters and interfaces, and what the next look keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from discovery.identity import Guid
from discovery.reports import Port
from discovery.samples import Counters

FOLDER = "class/infiniband"
"""Holds every device."""

PortKey = tuple[str, int]
"""Device and port."""

INFINIBAND, ETHERNET, OMNI_PATH, IWARP = "InfiniBand", "Ethernet", "OmniPath", "iWARP"
"""Link layers. The kernel tells the first two; Omni-Path calls itself InfiniBand, and iWARP Ethernet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """What does not change of an RDMA device while its driver is loaded."""

    name: str
    load: str | None = None
    """What tells this load of the driver from the next; None where nobody knows, and then nothing is kept."""
    left_out: str | None = None
    """Why its ports are none of the node's; None for a device that counts."""
    unread: bool = False
    """It is there and counts, and there are more before it than are read: its ports are not known now."""
    function: str | None = None
    """The PCI function that carries it, such as `0000:18:00.0`."""
    node_guid: Guid | None = None
    system_guid: Guid | None = None
    port_guids: Mapping[int, Guid | None] = field(default_factory=dict)
    """By number; every port has an entry."""
    layers: Mapping[int, str | None] = field(default_factory=dict)
    unclear: Mapping[str, str] = field(default_factory=dict)
    """Of these attributes those that are not understood, by path, and what they say."""

    @property
    def whole(self) -> bool:
        """Whether it was read to the end, so that nothing would be gained by reading it again."""
        if self.load is None or self.left_out is not None:
            return self.load is not None
        guids = all(self.port_guids[port] for port, layer in self.layers.items() if layer == INFINIBAND)
        return bool(self.layers) and self.node_guid is not None and guids and None not in self.layers.values()


@dataclass(frozen=True, slots=True)
class Pause:
    """Counters that could not be read are left alone for a while: each try makes a line in the kernel's log."""

    looks: int
    """How many looks leave them alone, counted from the one that failed."""
    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Devices:
    """Every physical RDMA port of a node. A port that has no entry in a mapping has nothing of the kind."""

    ports: tuple[Port, ...] = ()
    """As evidence; verdicts are left unknown."""
    counters: Mapping[PortKey, Counters] = field(default_factory=dict)
    """Of InfiniBand and Ethernet ports. The link errors of an Ethernet port are counted by its interfaces."""
    interfaces: Mapping[PortKey, tuple[str, ...]] = field(default_factory=dict)
    """The network interfaces of each Ethernet port that have its cables: one, or the members of a bond."""
    bonds: Mapping[PortKey, str] = field(default_factory=dict)
    """The bond that an Ethernet port's interfaces are members of."""
    known: Mapping[str, Device] = field(default_factory=dict)
    """By name, those left out among them."""
    pauses: Mapping[PortKey, Pause] = field(default_factory=dict)
    unclear: Mapping[str, str] = field(default_factory=dict)
    """The attributes that are not understood, by path, and what they said first."""

    @property
    def rdma_devices(self) -> dict[str, str]:
        """The RDMA device of each network interface that has one."""
        return {name: device for (device, _), names in self.interfaces.items() for name in names}

    @property
    def left_out(self) -> dict[str, str]:
        """Why which devices count for nothing."""
        return {name: device.left_out for name, device in self.known.items() if device.left_out}
