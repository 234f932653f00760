"""What one look says of each interface's link, in the form in which health is judged."""

from __future__ import annotations

from datetime import datetime

from discovery.netlink.links import Link, Links
from discovery.samples import LINK_DOWN, LINK_UP, PortSample

NO_CARRIER, PORT_DISABLED = "NoCarrier", "PortDisabled"


def link_samples(links: Links, at: datetime, boot_id: str | None) -> dict[str, PortSample]:
    """One sample of every physical interface, by name."""
    return {link.name: _sample(link, at, boot_id) for link in links}


def _sample(link: Link, at: datetime, boot_id: str | None) -> PortSample:
    state, reason = _state(link)
    return PortSample(
        at=at,
        link=state,
        reason=reason,
        pam4=link.modes.pam4,
        counters=link.counters,
        incarnation=f"{boot_id or ''}/{link.ifindex}",
    )


def _state(link: Link) -> tuple[str | None, str | None]:
    if link.up is False:
        return LINK_DOWN, PORT_DISABLED
    if link.carrier is None:
        return None, None
    return (LINK_UP, None) if link.carrier else (LINK_DOWN, NO_CARRIER)
