"""`missing-link` at a leaf: host cables that are not there although the unit's like hosts have them.

One finding a leaf, so that a unit under construction is a few lines and no flood. A device counts as absent only where
the votes say on which leaf it belongs; an adapter without a name on that leaf may be the one that is looked for.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from topology.anomalies.cabling import Cabling, listed
from topology.anomalies.rails import Rails
from topology.anomaly import Anomaly, CableEnd

NEARLY_ALL = 0.9
"""A leaf that this share of the expected cables reach is meant to have the others too."""

PEER_UNITS = 2


@dataclass(slots=True)
class Attendance:
    """The cables of like hosts that a leaf has and should have, and the (host, device) that are absent."""

    expected: int = 0
    absent: list[tuple[int, int]] = field(default_factory=list)

    @property
    def full(self) -> bool:
        """True where all but a few are there: at most a tenth, or one, is absent."""
        return len(self.absent) <= max(1.0, (1 - NEARLY_ALL) * self.expected)


def find_missing_host_cables(cabling: Cabling, rails: Rails) -> Iterator[Anomaly]:
    """One `missing-link` a leaf that lacks host cables, with the hosts that have none."""
    attendance = _attend(cabling, rails)
    full = Counter(unit for (unit, _), leaf in attendance.items() if leaf.full)
    usual = _usual_full_leaves(cabling, full)
    leaves = Counter(unit for unit, _ in attendance)
    unnamed = _unnamed_cables(cabling)
    for (unit, switch), leaf in sorted(attendance.items()):
        if len(leaf.absent) <= unnamed[switch]:
            continue
        fabric = cabling.structure.domains[unit].fabric
        told = full[unit] < usual[fabric] if fabric in usual else 2 * full[unit] > leaves[unit]
        if leaf.full or told:
            yield _missing(cabling, fabric, switch, leaf)


def _missing(cabling: Cabling, fabric: int, switch: int, leaf: Attendance) -> Anomaly:
    hosts = cabling.graph.hosts
    absent = sorted((hosts[host].name or "", cabling.devices[device]) for host, device in leaf.absent)
    names = sorted({name for name, _ in absent})
    found = leaf.expected - len(absent)
    lacking = listed([f"{device} of {name}" for name, device in absent])
    return cabling.anomaly(
        "missing-link",
        "warning",
        fabric,
        (cabling.switch_end(switch), *(CableEnd(name or None, None, None) for name in names)),
        f"{cabling.switch(switch)} has {found} of {leaf.expected} host cables that like hosts of its unit have: "
        f"no cable for {lacking}.",
    )


def _attend(cabling: Cabling, rails: Rails) -> Mapping[tuple[int, int], Attendance]:
    """By unit and leaf. Only leaves that some like hosts have a device on are there."""
    result: dict[tuple[int, int], Attendance] = defaultdict(Attendance)
    leaf_of = _elected_leaves(cabling, rails)
    present = _present(cabling, rails, leaf_of)
    by_unit: dict[int, list[int]] = defaultdict(list)
    for number, like in enumerate(rails.likes):
        by_unit[like.unit].append(number)
    for unit, numbers in by_unit.items():
        for number in numbers:
            own = rails.likes[number]
            for device, leaf in _expected_leaves(rails, numbers, number, leaf_of).items():
                entry = result[unit, leaf]
                entry.expected += len(own.hosts)
                there, count = present.get((number, device), (frozenset(), 0))
                if count < len(own.hosts):
                    entry.absent += [(host, device) for host in own.hosts if host not in there]
    return result


def _expected_leaves(
    rails: Rails, numbers: list[int], number: int, leaf_of: Mapping[tuple[int, int], int]
) -> dict[int, int]:
    """Device to leaf: what these like hosts voted, and for leaves that none of them reaches (a rail under construction)
    those of the unit that have all their devices and more."""
    own = set(rails.likes[number].devices)
    leaves = {device: leaf_of[number, device] for device in own if (number, device) in leaf_of}
    reached = set(leaves.values())
    for other in numbers:
        more = set(rails.likes[other].devices) - own
        if own < set(rails.likes[other].devices):
            further = {device: leaf_of[other, device] for device in more if (other, device) in leaf_of}
            leaves |= {device: leaf for device, leaf in further.items() if leaf not in reached}
    return leaves


def _elected_leaves(cabling: Cabling, rails: Rails) -> dict[tuple[int, int], int]:
    """By like hosts and device the leaf that was voted for it."""
    rows = np.flatnonzero(rails.rightful >= 0)
    ballot = rails.like[rows] * len(cabling.devices) + cabling.device[rows]
    ballots, first = np.unique(ballot, return_index=True)
    span = max(len(cabling.devices), 1)
    leaves = rails.rightful[rows[first]].tolist()
    return {divmod(key, span): leaf for key, leaf in zip(ballots.tolist(), leaves, strict=True)}


def _present(
    cabling: Cabling, rails: Rails, leaf_of: Mapping[tuple[int, int], int]
) -> dict[tuple[int, int], tuple[frozenset[int], int]]:
    """By like hosts and device how many have it, and (where some lack it) which."""
    rows = np.flatnonzero(rails.like >= 0)
    ballot = rails.like[rows] * len(cabling.devices) + cabling.device[rows]
    host = cabling.graph.host_links.host[rows]
    span = max(len(cabling.graph.hosts), 1)
    pairs = np.unique(ballot * span + host)
    ballots, starts, counts = np.unique(pairs // span, return_index=True, return_counts=True)
    hosts: NDArray[np.int64] = pairs % span
    result: dict[tuple[int, int], tuple[frozenset[int], int]] = {}
    for key, start, count in zip(ballots.tolist(), starts.tolist(), counts.tolist(), strict=True):
        like, device = divmod(key, len(cabling.devices))
        lacking = count < len(rails.likes[like].hosts)
        there = frozenset(hosts[start : start + count].tolist()) if lacking else frozenset()
        result[like, device] = there, count
    return result


def _usual_full_leaves(cabling: Cabling, full: Mapping[int, int]) -> dict[int, int]:
    """By fabric how many full leaves most units have, where enough units say so."""
    by_fabric: dict[int, list[int]] = defaultdict(list)
    for unit, count in full.items():
        by_fabric[cabling.structure.domains[unit].fabric].append(count)
    usual = {fabric: Counter(counts).most_common(1)[0] for fabric, counts in by_fabric.items()}
    return {fabric: count for fabric, (count, units) in usual.items() if units >= PEER_UNITS}


def _unnamed_cables(cabling: Cabling) -> NDArray[np.int64]:
    """By switch: cables of adapters that name no host or no device."""
    links = cabling.graph.host_links
    named = np.array([host.name is not None for host in cabling.graph.hosts], np.bool_)
    unnamed = links.switch[(cabling.device < 0) | ~named[links.host]]
    return np.bincount(unnamed, minlength=len(cabling.graph.switches))
