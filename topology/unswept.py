"""Leaves that nobody sweeps: that nothing is known of their uplinks does not mean that they have none.

Hosts tell of their leaves by LLDP, and of nothing above. Such leaves are in one fabric of their link layer, with
whatever of it was swept, and so get one root; it is marked as assumed. Where hosts have ports of several speeds
(compute and storage), there is one such fabric for each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from topology.parts import Part

CONFLICT = 0.5
"""Parts are of two fabrics where more than this share of one's hosts are in the other with ports of another speed."""


def join_unswept(groups: Sequence[list[Part]]) -> list[list[Part]]:
    """The groups of parts, each one that nobody swept as part of the first of its link layer that it can belong to."""
    bases = [_Base.of(group) for group in groups if not _is_unswept(group)]
    for group in groups:
        if _is_unswept(group):
            home = next((base for base in bases if base.takes(group)), None)
            if home is None:
                bases.append(_Base.of(group))
            else:
                home.add(group)
    return [base.parts for base in bases]


def _is_unswept(group: Sequence[Part]) -> bool:
    return all(part.unswept for part in group)


@dataclass(slots=True, eq=False)
class _Base:
    """A fabric in the making: its parts, and by host the speeds of its ports."""

    parts: list[Part] = field(default_factory=list)
    speeds: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))

    @staticmethod
    def of(group: Sequence[Part]) -> _Base:
        base = _Base()
        base.add(group)
        return base

    def add(self, group: Sequence[Part]) -> None:
        for part in group:
            self.parts.append(part)
            for host in part.hosts:
                self.speeds[host].add(part.speed)

    def takes(self, group: Sequence[Part]) -> bool:
        if group[0].ethernet != self.parts[0].ethernet:
            return False
        hosts = frozenset[int]().union(*(part.hosts for part in group))
        own = {part.speed for part in group if part.speed}
        others = sum(1 for host in hosts if own and (known := self.speeds.get(host)) and known.isdisjoint(own | {0}))
        return others <= CONFLICT * len(hosts)
