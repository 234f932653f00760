"""What is known of a node at one moment, by all of its probes together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any

from agent.node.watching import PENDING, Kept
from discovery.lldp import Neighbours, combine
from discovery.netlink import Link, Links
from discovery.nvlink import Gpus
from discovery.sysfs import Devices

SYSFS, NETLINK, LLDP, LLDPD, NVLINK = PROBES = ("sysfs", "netlink", "lldp", "lldpd", "nvlink")
"""The probes of a node, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """None: that probe is switched off."""

    at: datetime
    clock: float | None = None
    """As `PortSample.clock`."""
    boot_id: str | None = None
    gpu_driver: str | None = None
    """What tells one load of the GPUs' driver from the next."""
    devices: Kept[Devices] | None = None
    links: Kept[Links] | None = None
    heard: Kept[Neighbours] | None = None
    """By the raw receiver."""
    lldpd: Kept[Neighbours] | None = None
    gpus: Kept[Gpus] | None = None
    patterns: tuple[str, ...] = ("*",)
    """Of the physical interfaces these count, as shell patterns."""

    @property
    def kept(self) -> Iterator[Kept[Any]]:
        """Of all that have been looked at, in the order of PROBES."""
        for one in (self.devices, self.links, self.heard, self.lldpd, self.gpus):
            if one is not None and one.outcome != PENDING:
                yield one

    @property
    def counting(self) -> tuple[Link, ...]:
        """The physical interfaces that count."""
        links = self.links.evidence if self.links is not None else None
        return tuple(link for link in links or () if matches(link.name, self.patterns))

    @property
    def rdma_devices(self) -> Mapping[str, str]:
        """The RDMA device of each interface that has one."""
        devices = self.devices.evidence if self.devices is not None else None
        return devices.rdma_devices if devices is not None else {}

    @property
    def bonds(self) -> Mapping[str, str]:
        """The bond of each interface with an RDMA device that is a member of one, as sysfs tells it."""
        devices = self.devices.evidence if self.devices is not None else None
        if devices is None:
            return {}
        return {name: bond for port, bond in devices.bonds.items() for name in devices.interfaces.get(port, ())}

    @property
    def neighbours(self) -> Neighbours:
        """On the interfaces that count: by our own ears, and where these heard nobody by lldpd's."""
        sources = (kept.evidence for kept in (self.heard, self.lldpd) if kept is not None)
        heard = combine(*(source for source in sources if source))
        return {name: neighbours for name, neighbours in heard.items() if self._counts(name)}

    def _counts(self, name: str) -> bool:
        """lldpd listens where it likes, and is asked seldom: a cable may be pulled since. Where netlink does not tell
        what is physical, it is believed."""
        known = self.links.evidence if self.links is not None else None
        link = known.by_name.get(name) if known is not None else None
        there = known is None or (link is not None and link.carrier is not False)
        return there and matches(name, self.patterns)


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether one of the shell patterns means it."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)
