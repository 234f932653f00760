"""`missing-switch`: fewer leaves in a unit, or spines in a group, than like ones have (a dead one, a rail to come)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from topology.anomalies.cabling import Cabling, listed
from topology.anomalies.rails import LIKE_HOSTS, LikeHosts, Rails
from topology.anomalies.trunks import SpineGroup
from topology.anomaly import Anomaly
from topology.columns import counted_pairs
from topology.structure import LEAF

PEERS = 3
"""So many like ones must agree on their number of switches, and be more than half."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of leaves or a group of spines, as it is compared with its peers."""

    domain: int
    switches: tuple[int, ...]
    """Those that serve something."""
    served: int
    """Hosts of a unit, lower switches of a group."""
    devices: tuple[int, ...]
    """What most of its hosts have in common; empty above the leaves, or where hosts name no devices."""


def find_missing_switches(cabling: Cabling, rails: Rails, groups: Sequence[SpineGroup]) -> Iterator[Anomaly]:
    """One finding a unit or group that is short of switches."""
    peers_of: dict[tuple[int, int], list[Unit]] = {}
    spines = [Unit(group.domain, group.uppers, len(group.lowers), ()) for group in groups]
    for unit in [*_leaf_units(cabling, rails), *spines]:
        domain = cabling.structure.domains[unit.domain]
        peers_of.setdefault((domain.fabric, domain.level), []).append(unit)
    for (fabric, level), units in peers_of.items():
        usual, peers = Counter(len(unit.switches) for unit in units).most_common(1)[0]
        if peers < PEERS or 2 * peers <= len(units):
            continue
        like = [unit for unit in units if len(unit.switches) == usual]
        for unit in units:
            if len(unit.switches) < usual and _is_peer(unit, like, level):
                yield _missing(cabling, fabric, unit, like)


def _missing(cabling: Cabling, fabric: int, unit: Unit, like: Sequence[Unit]) -> Anomaly:
    names = [cabling.switch(switch) for switch in unit.switches]
    common = Counter(peer.devices for peer in like if set(unit.devices) < set(peer.devices)).most_common(1)
    lacking = sorted(set(common[0][0]) - set(unit.devices)) if common and unit.devices else []
    devices = listed([cabling.devices[device] for device in lacking])
    without = f"; its hosts have no cable for {devices}" if lacking else ""
    return cabling.anomaly(
        "missing-switch",
        "warning",
        fabric,
        (cabling.switch_end(switch) for switch in unit.switches),
        f"{len(unit.switches)} of {len(like[0].switches)} switches are there ({listed(names)}), "
        f"the {len(like)} other groups of its kind have all {len(like[0].switches)}{without}.",
    )


def _is_peer(unit: Unit, like: Sequence[Unit], level: int) -> bool:
    """True where a unit is of the kind of these, only smaller: no corner with a few management hosts."""
    served = float(np.median([peer.served for peer in like]))
    if level != LEAF:
        return unit.served >= 0.75 * served
    if 2 * len(unit.switches) < len(like[0].switches) and 2 * unit.served < served:
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
    leaves: dict[int, list[int]] = defaultdict(list)
    unit, leaf, _ = counted_pairs(cabling.home[inside].astype(np.int32), links.switch[inside])
    for number, switch in zip(unit.tolist(), leaf.tolist(), strict=True):
        leaves[number].append(switch)
    home = cabling.structure.home
    hosts = np.bincount(home[home >= 0], minlength=len(cabling.structure.domains)).tolist()
    for number in sorted(leaves):
        if hosts[number] >= LIKE_HOSTS:
            devices = largest[number].devices if number in largest else ()
            yield Unit(number, tuple(leaves[number]), hosts[number], devices)
