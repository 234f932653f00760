"""What the network interfaces behind a RoCE port add to what its RDMA device says of it. Pure.

The device tells one state; its cables have each a carrier and errors of their own. A bond is one device on several
cables, so it is up while one of them has a carrier, and tells how many have not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace

from agent.node.watching import Kept
from discovery.netlink import Links, link_samples
from discovery.samples import LINK_DOWN, LINK_UP, Counters, PortSample
from discovery.sysfs import Devices, PortKey


def with_carriers(
    samples: Mapping[PortKey, PortSample], devices: Devices, links: Kept[Links] | None
) -> dict[PortKey, PortSample]:
    """The samples of the RDMA ports with those of their interfaces, where these could be read."""
    if links is None or not links.fresh or links.evidence is None:
        return dict(samples)
    joined = {}
    for key, sample in samples.items():
        cables = link_samples(links.evidence, sample.at, None) if key in devices.interfaces else {}
        legs = [cables[name] for name in devices.interfaces.get(key, ()) if name in cables]
        joined[key] = _joined(sample, legs) if legs else sample
    return joined


def _joined(port: PortSample, legs: Sequence[PortSample]) -> PortSample:
    down = [leg for leg in legs if leg.link == LINK_DOWN]
    counters = replace(_sum([leg.counters for leg in legs]), receive_errors=port.counters.receive_errors)
    joined = replace(port, pam4=any(leg.pam4 for leg in legs), counters=counters)
    if len(down) == len(legs):
        return replace(joined, link=LINK_DOWN, reason=down[0].reason)
    return replace(joined, legs_down=len(down)) if port.link == LINK_UP else joined


def _sum(counters: Sequence[Counters]) -> Counters:
    """Of each counter; unknown where one of them is, for what comes and goes is no rise."""
    columns = {field.name: [getattr(one, field.name) for one in counters] for field in fields(Counters)}
    return Counters(**{name: None if None in values else sum(values) for name, values in columns.items()})
