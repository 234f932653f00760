"""`missing-switch`: a domain with fewer switches than like domains have (a dead leaf, a rail that was never built)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from topology.anomalies.cabling import Cabling, listed
from topology.anomalies.rails import LIKE_HOSTS, LikeHosts, Rails
from topology.anomalies.trunks import Trunks
from topology.anomaly import Anomaly
from topology.columns import counted_pairs
from topology.structure import LEAF

PEERS = 3
"""So many like domains must agree on their number of switches, and be more than half."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A domain as it is compared with its peers: its switches that serve something, and how much they serve."""

    domain: int
    switches: int
    served: int
    """Hosts of a leaf domain, lower switches of the others."""
    devices: tuple[int, ...]
    """What most of its hosts have in common; empty above the leaves, or where hosts name no devices."""


def find_missing_switches(cabling: Cabling, rails: Rails, trunks: Trunks) -> Iterator[Anomaly]:
    """One finding a domain that is short of switches."""
    groups: dict[tuple[int, int], list[Unit]] = {}
    for unit in [*_leaf_units(cabling, rails), *_upper_units(cabling, trunks)]:
        domain = cabling.structure.domains[unit.domain]
        groups.setdefault((domain.fabric, domain.level), []).append(unit)
    for (fabric, level), units in groups.items():
        usual, peers = Counter(unit.switches for unit in units).most_common(1)[0]
        if peers < PEERS or 2 * peers <= len(units):
            continue
        like = [unit for unit in units if unit.switches == usual]
        for unit in units:
            if unit.switches < usual and _is_peer(unit, like, level):
                yield _missing(cabling, fabric, unit, like)


def _missing(cabling: Cabling, fabric: int, unit: Unit, like: Sequence[Unit]) -> Anomaly:
    switches = cabling.structure.domains[unit.domain].switches
    names = [cabling.switch(switch) for switch in switches]
    common = Counter(peer.devices for peer in like if set(unit.devices) < set(peer.devices)).most_common(1)
    lacking = sorted(set(common[0][0]) - set(unit.devices)) if common and unit.devices else []
    devices = listed([cabling.devices[device] for device in lacking])
    without = f"; its hosts have no cable for {devices}" if lacking else ""
    return cabling.anomaly(
        "missing-switch",
        "warning",
        fabric,
        (cabling.switch_end(switch) for switch in switches),
        f"{unit.switches} of {like[0].switches} switches stand in the domain of {listed(names)}, "
        f"{len(like)} like domains have {like[0].switches}{without}.",
    )


def _is_peer(unit: Unit, like: Sequence[Unit], level: int) -> bool:
    """True where a domain is of the kind of these, only smaller: no corner with a few management hosts."""
    served = float(np.median([peer.served for peer in like]))
    if level != LEAF:
        return unit.served >= 0.75 * served
    if 2 * unit.switches < like[0].switches and 2 * unit.served < served:
        return False
    own = set(unit.devices)
    devices = [set(peer.devices) for peer in like]
    alike = any(own <= other for other in devices) or 2 * len(own) >= min(len(other) for other in devices)
    return 4 * unit.served >= served and alike and bool(own) == any(devices)


def _leaf_units(cabling: Cabling, rails: Rails) -> Iterator[Unit]:
    """Leaf domains with enough hosts. Leaves count that a host of the unit is cabled to."""
    largest: dict[int, LikeHosts] = {}
    for like in rails.likes:
        if like.unit not in largest or len(like.hosts) > len(largest[like.unit].hosts):
            largest[like.unit] = like
    links = cabling.graph.host_links
    inside = np.flatnonzero((cabling.home >= 0) & (cabling.sits == cabling.home))
    unit, _, _ = counted_pairs(cabling.home[inside].astype(np.int32), links.switch[inside])
    leaves = np.bincount(unit, minlength=len(cabling.structure.domains)).tolist()
    home = cabling.structure.home
    hosts = np.bincount(home[home >= 0], minlength=len(cabling.structure.domains)).tolist()
    for number, domain in enumerate(cabling.structure.domains):
        if domain.level == LEAF and hosts[number] >= LIKE_HOSTS:
            devices = largest[number].devices if number in largest else ()
            yield Unit(number, leaves[number], hosts[number], devices)


def _upper_units(cabling: Cabling, trunks: Trunks) -> Iterator[Unit]:
    domain = cabling.structure.domain_of_switch[trunks.upper]
    known = domain >= 0
    where, _, _ = counted_pairs(domain[known], trunks.lower[known].astype(np.int32))
    served = np.bincount(where, minlength=len(cabling.structure.domains)).tolist()
    for number, found in enumerate(cabling.structure.domains):
        if found.level > LEAF:
            yield Unit(number, len(found.switches), served[number], ())
