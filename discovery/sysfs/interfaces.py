"""What sysfs tells of network interfaces: which are physical NICs, and which are members of which bond."""

from __future__ import annotations

import re

from discovery.errors import EvidenceError
from discovery.source import Source
from discovery.sysfs.attributes import text

INTERFACES = "class/net"
_OF_A_FUNCTION = re.compile(r"(?:c\d+)?pf\d+(?:vf\d+|sf\d+|hpf)?|hpf", re.ASCII)
"""`phys_port_name` of what a switch on the NIC shows for its functions; that of a cable is `p0`."""


def is_physical(source: Source, interface: str) -> bool:
    """Whether a cable goes into it: it has a device, and that is no virtual function nor stands for one.

    A bond, a bridge, a VLAN and a veth have no device.
    """
    try:
        beside = source.names(f"{INTERFACES}/{interface}/device")
    except EvidenceError:
        return False
    if "physfn" in beside or "sfnum" in beside:
        return False
    return not _OF_A_FUNCTION.fullmatch(text(source, f"{INTERFACES}/{interface}/phys_port_name") or "")


def members(source: Source, bond: str) -> tuple[str, ...]:
    """The interfaces that a bond is made of; none where it is no bond."""
    return tuple((text(source, f"{INTERFACES}/{bond}/bonding/slaves") or "").split())


def bond_of(source: Source, interface: str) -> str | None:
    """The bond that the interface is a member of."""
    for bond in (text(source, f"{INTERFACES}/bonding_masters") or "").split():
        if interface in members(source, bond):
            return bond
    return None
