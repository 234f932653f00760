"""What one look says of each port's link, in the form in which health is judged."""

from __future__ import annotations

from datetime import datetime

from discovery.reports import Port
from discovery.samples import LINK_DOWN, LINK_UP, LINK_WAITING, Counters, PortSample
from discovery.sysfs.attributes import is_pam4
from discovery.sysfs.found import ETHERNET, INFINIBAND, Devices, PortKey

WAITING_FOR_SUBNET_MANAGER, PORT_DISABLED, PHYSICAL_LINK_DOWN, LOGICAL_LINK_DOWN = (
    "WaitingForSubnetManager", "PortDisabled", "PhysicalLinkDown", "LogicalLinkDown",
)  # fmt: skip


def port_samples(devices: Devices, at: datetime, boot_id: str | None) -> dict[PortKey, PortSample]:
    """One sample of every InfiniBand and Ethernet port. Omni-Path and iWARP are told, and not judged."""
    return {
        (port.device, port.port): _sample(port, devices, at, boot_id)
        for port in devices.ports
        if port.linkLayer in (INFINIBAND, ETHERNET)
    }


def _sample(port: Port, devices: Devices, at: datetime, boot_id: str | None) -> PortSample:
    link, reason = link_of(port)
    device = devices.known.get(port.device)
    load = device.load if device is not None else None
    return PortSample(
        at=at,
        link=link,
        reason=reason,
        pam4=is_pam4(port.speed),
        counters=devices.counters.get((port.device, port.port), Counters()),
        incarnation=f"{boot_id or ''}/{load or ''}",
    )


def link_of(port: Port) -> tuple[str | None, str | None]:
    """Up, Down or Waiting and why it is not up; None where either state is unknown."""
    if port.state is None or port.physicalState is None:
        return None, None
    if port.physicalState == "Disabled":
        return LINK_DOWN, PORT_DISABLED
    if port.physicalState != "LinkUp":
        return LINK_DOWN, PHYSICAL_LINK_DOWN
    if port.state == "Active":
        return LINK_UP, None
    return (LINK_DOWN, LOGICAL_LINK_DOWN) if port.state == "Down" else (LINK_WAITING, WAITING_FOR_SUBNET_MANAGER)
