"""Which network interfaces have the cables of an Ethernet port of an RDMA device.

A port of its own has one. The driver of a bond makes ONE device of two NICs (`mlx5_bond_0`): its interface is the bond,
and its cables are those of the members. A device of several planes shows ports that have no cable at all: a ConnectX-8
of four planes shows twelve, of which 3, 6, 9 and 12 have an interface.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from discovery.errors import EvidenceError
from discovery.source import Source
from discovery.sysfs.attributes import natural, number, text
from discovery.sysfs.found import FOLDER
from discovery.sysfs.interfaces import INTERFACES, bond_of, is_physical, members

MAX_GIDS = 4
"""The first GIDs belong to the interface itself; later ones to its VLANs."""


@dataclass(frozen=True, slots=True)
class Joined:
    """What stands behind one Ethernet port."""

    interfaces: tuple[str, ...] = ()
    """The physical interfaces that have its cables, in order; none where the kernel does not tell."""
    bond: str | None = None
    """The bond that they are members of."""
    bare: bool = False
    """Whether it has no interface, while other ports of the device have one."""


def join(source: Source, device: str, ports: Iterable[int]) -> dict[int, Joined]:
    """The Ethernet ports of one device."""
    named = {port: _by_gids(source, device, port) for port in ports}
    if not any(named.values()):
        own = _own(source, device)
        return {port: _joined(source, device, own, _by_number(source, own, port)) for port in named}
    own = _own(source, device)
    return {
        port: _joined(source, device, own, name) if name else Joined(bare=len(named) > 1)
        for port, name in named.items()
    }


def _by_gids(source: Source, device: str, port: int) -> str | None:
    """The interface of the port's first GID. Empty rows answer EINVAL."""
    for row in range(MAX_GIDS):
        if named := text(source, f"{FOLDER}/{device}/ports/{port}/gid_attrs/ndevs/{row}"):
            return named if "/" not in named else None
    return None


def _own(source: Source, device: str) -> tuple[str, ...]:
    """The physical interfaces of the device's own function."""
    try:
        names = source.names(f"{FOLDER}/{device}/device/net")
    except EvidenceError:
        return ()
    return tuple(name for name in names if is_physical(source, name))


def _by_number(source: Source, own: tuple[str, ...], port: int) -> str | None:
    """Of the interfaces of one function, that of the port: `dev_port` counts from 0."""
    if len(own) == 1:
        return own[0]
    fitting = [name for name in own if number(source, f"{INTERFACES}/{name}/dev_port") == port - 1]
    return fitting[0] if len(fitting) == 1 else None


def _joined(source: Source, device: str, own: tuple[str, ...], name: str | None) -> Joined:
    if name is None:
        return Joined()
    if bonded := members(source, name):
        return Joined(_cables_of(source, device, own, bonded), name)
    if not is_physical(source, name):
        return Joined(own if len(own) == 1 else ())
    bond = bond_of(source, name)
    cables = _cables_of(source, device, own, members(source, bond)) if bond else ()
    return Joined(tuple(sorted({name, *cables}, key=natural)), bond)


def _cables_of(source: Source, device: str, own: tuple[str, ...], bonded: tuple[str, ...]) -> tuple[str, ...]:
    """Of a bond's members those whose cables are the device's: its own, and those of the same silicon that show no
    RDMA device of their own because this one stands for them."""
    silicon = _silicon(source, f"{FOLDER}/{device}")
    cables = {
        name
        for name in bonded
        if name in own or (silicon == _silicon(source, f"{INTERFACES}/{name}") and not _has_rdma(source, name))
    }
    return tuple(sorted(cables, key=natural))


def _silicon(source: Source, at: str) -> tuple[str | None, str | None]:
    return text(source, f"{at}/device/vendor"), text(source, f"{at}/device/device")


def _has_rdma(source: Source, interface: str) -> bool:
    try:
        return bool(source.names(f"{INTERFACES}/{interface}/device/infiniband"))
    except EvidenceError:
        return False
