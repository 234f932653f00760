"""What the kernel of a drawn host shows: RDMA devices and network interfaces, as lines of a host file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

NO_NIC = "sys/class/net/lo/type\t772"
"""A host without any interface that a cable goes into."""
RATES = {"HDR": "200 Gb/sec (4X HDR)", "NDR": "400 Gb/sec (4X NDR)"}
_DEVICE, _NET = "sys/class/infiniband", "sys/class/net"
COUNTERS = ("symbol_error", "link_error_recovery", "link_downed", "port_rcv_errors")


def spelled(guid: int) -> str:
    """As sysfs writes it."""
    digits = f"{guid:016x}"
    return ":".join(digits[at : at + 4] for at in range(0, 16, 4))


@dataclass(frozen=True, slots=True)
class Adapter:
    """One InfiniBand device with one port."""

    device: str
    guid: int
    speed: str = "NDR"

    @property
    def port(self) -> str:
        """Its folder."""
        return f"{_DEVICE}/{self.device}/ports/1"

    def lines(self, load: int) -> Iterable[str]:
        """All of it, well."""
        yield f"{_DEVICE}/{self.device}/\t{load}"
        own = {"node_guid": spelled(self.guid), "sys_image_guid": spelled(self.guid), "node_type": "1: CA"}
        yield from (f"{_DEVICE}/{self.device}/{name}\t{value}" for name, value in own.items())
        yield from (f"{self.port}/{name}\t{value}" for name, value in self._port().items())

    def _port(self) -> Mapping[str, str]:
        return {
            "link_layer": "InfiniBand",
            "state": "4: ACTIVE",
            "phys_state": "5: LinkUp",
            "rate": RATES[self.speed],
            "gids/0": f"fe80:0000:0000:0000:{spelled(self.guid)}",
            **{f"counters/{name}": "0" for name in COUNTERS},
        }

    def counting(self, **values: int) -> list[str]:
        """Counters as they stand later."""
        return [f"{self.port}/counters/{name}\t{value}" for name, value in values.items()]

    def down(self) -> list[str]:
        """Without a link."""
        return [f"{self.port}/state\t1: DOWN", f"{self.port}/phys_state\t2: Polling"]

    def up(self) -> list[str]:
        """With one."""
        return [f"{self.port}/state\t4: ACTIVE", f"{self.port}/phys_state\t5: LinkUp"]

    def waiting(self) -> list[str]:
        """With a cable, and without a subnet manager."""
        return [f"{self.port}/state\t2: INIT"]


@dataclass(frozen=True, slots=True)
class Nic:
    """One network interface of a RoCE adapter."""

    name: str
    mac: str
    index: int
    bond: str | None = None
    megabits: int = 200_000

    def lines(self, device: str | None) -> Iterable[str]:
        """Up; `device`: the RDMA device of its function."""
        at = f"{_NET}/{self.name}"
        told = {
            "address": self.mac,
            "carrier": "1",
            "carrier_changes": "2",
            "carrier_down_count": "1",
            "dev_port": "0",
            "device/device": "0xa2dc",
            "device/vendor": "0x15b3",
            "flags": "0x1003",
            "ifindex": str(self.index),
            "speed": str(self.megabits),
            "type": "1",
        }
        yield from (f"{at}/{name}\t{value}" for name, value in told.items())
        if device is not None:
            yield f"{at}/device/infiniband/{device}/"
        if self.bond is not None:
            yield f"{at}/bonding_slave/perm_hwaddr\t{self.mac}"

    def down(self) -> list[str]:
        """Without a carrier."""
        at = f"{_NET}/{self.name}"
        return [f"{at}/carrier\t0", f"{at}/carrier_changes\t3", f"{at}/carrier_down_count\t2"]


@dataclass(frozen=True, slots=True)
class Roce:
    """One RoCE device with one port, on one interface or on a bond of several."""

    device: str
    guid: int
    nics: tuple[Nic, ...]

    def lines(self, load: int) -> Iterable[str]:
        """All of it, well."""
        at, bond = f"{_DEVICE}/{self.device}", self.nics[0].bond
        yield f"{at}/\t{load}"
        told = {
            "node_guid": spelled(self.guid),
            "sys_image_guid": spelled(self.guid),
            "node_type": "1: CA",
            "device/device": "0xa2dc",
            "device/vendor": "0x15b3",
            "ports/1/link_layer": "Ethernet",
            "ports/1/state": "4: ACTIVE",
            "ports/1/phys_state": "5: LinkUp",
            "ports/1/rate": "200 Gb/sec (4X HDR)",
            "ports/1/gid_attrs/ndevs/0": bond or self.nics[0].name,
            "ports/1/hw_counters/rx_icrc_encapsulated": "0",
        }
        yield from (f"{at}/{name}\t{value}" for name, value in told.items())
        yield from (f"{at}/device/net/{nic.name}/" for nic in (self.nics if bond is None else self.nics[:1]))
        for place, nic in enumerate(self.nics):
            yield from nic.lines(self.device if bond is None or not place else None)
        if bond is not None:
            yield f"{_NET}/{bond}/bonding/slaves\t{' '.join(nic.name for nic in self.nics)}"


def boot(number: int) -> str:
    """The line of a boot id."""
    return f"proc/sys/kernel/random/boot_id\t{number:08x}-0000-4000-8000-{number:012x}"


def text(lines: Iterable[str]) -> str:
    """Lines as a file."""
    return "".join(f"{line}\n" for line in sorted(lines))
