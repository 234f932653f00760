"""The network interfaces as a sysfs alone shows them: of a recording, and of a host without netlink."""

from __future__ import annotations

from discovery.errors import EvidenceError
from discovery.netlink.links import Link, Links, Modes
from discovery.netlink.reading import MAX_LINKS, NAME
from discovery.probing import Probed, absent, failed, found
from discovery.samples import Counters
from discovery.source import Source
from discovery.sysfs.attributes import natural, number, text
from discovery.sysfs.interfaces import INTERFACES, bond_of, is_physical

_ETHERNET = "1"
_UP = 1


def read_recorded_links(sys: Source) -> Probed[Links]:
    """The physical network interfaces, without the speeds that they could have and without drivers' statistics.

    A member of a bond shows the address of the bond here.
    """
    try:
        names = sys.names(INTERFACES)
    except EvidenceError as error:
        return failed(NAME, str(error))
    physical = [name for name in sorted(names, key=natural) if _is_ethernet(sys, name) and is_physical(sys, name)]
    if not physical:
        return absent(NAME, "no network interface has a cable of its own")
    left_out = f"{len(physical)} interfaces, of which {MAX_LINKS} are read" if len(physical) > MAX_LINKS else None
    return found(NAME, Links(by_name={name: _link(sys, name) for name in physical[:MAX_LINKS]}), left_out)


def _is_ethernet(sys: Source, name: str) -> bool:
    return text(sys, f"{INTERFACES}/{name}/type") in (_ETHERNET, None)


def _link(sys: Source, name: str) -> Link:
    at = f"{INTERFACES}/{name}"
    carrier, flags = text(sys, f"{at}/carrier"), text(sys, f"{at}/flags")
    lost = number(sys, f"{at}/carrier_down_count")
    speed = number(sys, f"{at}/speed")
    return Link(
        name=name,
        ifindex=number(sys, f"{at}/ifindex") or 0,
        mac=text(sys, f"{at}/bonding_slave/perm_hwaddr") or text(sys, f"{at}/address"),
        up=_is_up(flags),
        carrier={"1": True, "0": False}.get(carrier or ""),
        carrier_changes=number(sys, f"{at}/carrier_changes"),
        carrier_down_count=lost,
        bond=bond_of(sys, name),
        modes=Modes(speed=speed or None if carrier == "1" else None),
        counters=Counters(link_downed=lost),
    )


def _is_up(flags: str | None) -> bool | None:
    try:
        return bool(int(flags, 16) & _UP) if flags else None
    except ValueError:
        return None
