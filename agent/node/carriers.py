"""What the network interfaces behind a RoCE port add to what its RDMA device says of it. Pure.

The device tells one state; its cables have each a carrier and errors of their own. A bond is one device on several
cables, so it is up while one of them has a carrier, and tells how many have not. An interface that was a leg of it and
is nowhere any more is a leg that is down; one that somebody took out of the bond is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from agent.node.watching import Kept
from discovery.netlink import Links, link_samples
from discovery.samples import LINK_DOWN, LINK_UP, Counters, PortSample
from discovery.sysfs import Devices, PortKey


@dataclass(frozen=True, slots=True)
class Legs:
    """What is remembered of the cables of one port."""

    counters: Mapping[str, Counters] = field(default_factory=dict)
    """Of each by its interface, as they last stood."""
    sums: Counters = field(default_factory=Counters)
    """Of all, from when they were first read on. A leg that comes and goes is no rise; what it adds itself is."""
    misses: int = 0
    """Looks in a row in which a leg was nowhere."""


NO_LEGS = Legs()
LOOKS_GONE = 2
"""In so many looks in a row a leg is nowhere before it counts: a list of interfaces that changes may lack one."""
Joined = tuple[PortSample, Legs]


def with_carriers(
    samples: Mapping[PortKey, PortSample],
    devices: Devices,
    links: Kept[Links] | None,
    before: Mapping[PortKey, Legs],
) -> dict[PortKey, Joined]:
    """The samples of the RDMA ports with those of their interfaces, where these could be read; and what to remember."""
    known = {key: before.get(key, NO_LEGS) for key in samples}
    if not samples or links is None or not links.fresh or links.evidence is None:
        return {key: (sample, known[key]) for key, sample in samples.items()}
    cables = link_samples(links.evidence, next(iter(samples.values())).at, None)
    joined = {}
    for key, sample in samples.items():
        legs = {name: cables[name] for name in devices.interfaces.get(key, ()) if name in cables}
        gone = [name for name in known[key].counters if name not in cables]
        joined[key] = _joined(sample, legs, gone, known[key]) if legs else (sample, known[key])
    return joined


def _joined(port: PortSample, legs: Mapping[str, PortSample], gone: Sequence[str], before: Legs) -> Joined:
    renamed = sum(name not in before.counters for name in legs) >= len(gone)
    missing = () if renamed else gone
    misses = before.misses + 1 if missing else 0
    now = {name: _kept(leg.counters, before.counters.get(name)) for name, leg in legs.items()}
    sums = _sums(before, {name: leg.counters for name, leg in legs.items()})
    told = Counters() if missing else _told(sums, [leg.counters for leg in legs.values()])
    counters = replace(told, receive_errors=port.counters.receive_errors)
    joined = replace(port, pam4=any(leg.pam4 for leg in legs.values()), counters=counters)
    down = [leg for leg in legs.values() if leg.link == LINK_DOWN]
    if len(down) == len(legs):
        joined = replace(joined, link=LINK_DOWN, reason=down[0].reason)
    elif port.link == LINK_UP:
        joined = replace(joined, legs_down=len(down) + (len(missing) if misses >= LOOKS_GONE else 0))
    return joined, Legs(now | {name: before.counters[name] for name in missing}, sums, misses)


def _kept(now: Counters, last: Counters | None) -> Counters:
    """With what is not known now as it last was."""
    return _each(lambda name: _value(now, name) if _value(now, name) is not None else _value(last, name))


def _sums(before: Legs, legs: Mapping[str, Counters]) -> Counters:
    """The sums go on by what each leg adds; a counter that falls was reset."""

    def summed(name: str) -> int | None:
        values = {leg: _value(counters, name) for leg, counters in legs.items()}
        known = {leg: value for leg, value in values.items() if value is not None}
        total = _value(before.sums, name)
        if total is None:
            return sum(known.values()) if len(known) == len(values) else None
        lasts = {leg: _value(before.counters.get(leg), name) for leg in known}
        return total + sum(max(0, known[leg] - last) for leg, last in lasts.items() if last is not None)

    return _each(summed)


def _told(sums: Counters, legs: Sequence[Counters]) -> Counters:
    """Unknown where one of them is."""
    return _each(lambda name: None if any(_value(leg, name) is None for leg in legs) else _value(sums, name))


def _value(counters: Counters | None, name: str) -> int | None:
    found: int | None = getattr(counters, name, None)
    return found


def _each(value: Callable[[str], int | None]) -> Counters:
    return Counters(**{column.name: value(column.name) for column in fields(Counters)})
