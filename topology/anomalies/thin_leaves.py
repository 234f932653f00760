"""`missing-link` at a leaf that most of its unit's hosts have no cable to: a rail that is under construction.

The votes of like hosts cannot see it, for hosts without a device do not vote about it; the leaf itself can.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
from numpy.typing import NDArray

from topology.anomalies.cabling import Cabling
from topology.anomalies.rails import LIKE_HOSTS
from topology.anomaly import Anomaly, CableEnd
from topology.columns import counted_pairs

THIN = 0.75
"""A leaf is thin that fewer than this share of the hosts are cabled to that the unit's best leaf has."""

RARE = 1 / 3
"""Where more than this share of the fabric's units have a thin leaf, that is how they are built."""


def find_thin_leaves(cabling: Cabling, told: Collection[str | None]) -> Iterator[Anomaly]:
    """One `missing-link` a thin leaf. `told`: GUIDs of the switches that other checks speak of."""
    structure = cabling.structure
    if not structure.domains:
        return
    switch, host = _resident_cables(cabling)
    hosts_of_leaf = np.bincount(switch, minlength=len(cabling.graph.switches))
    unit_of_leaf = structure.domain_of_switch.astype(np.int64)
    judged = (hosts_of_leaf > 0) & (unit_of_leaf >= 0)
    best = np.zeros(len(structure.domains), np.int64)
    np.maximum.at(best, unit_of_leaf[judged], hosts_of_leaf[judged])
    thin = judged & (hosts_of_leaf < THIN * best[unit_of_leaf]) & (best[unit_of_leaf] >= LIKE_HOSTS)
    for fabric in np.unique(structure.fabric_of_switch[thin]).tolist():
        here = structure.fabric_of_switch == fabric
        units, odd = np.unique(unit_of_leaf[judged & here]), np.unique(unit_of_leaf[thin & here])
        if len(odd) > max(1.0, RARE * len(units)):
            continue
        for leaf in np.flatnonzero(thin & here).tolist():
            if cabling.switch_end(leaf).guid not in told:
                unit = int(unit_of_leaf[leaf])
                yield _thin(cabling, leaf, set(host[switch == leaf].tolist()), int(best[unit]))


def _resident_cables(cabling: Cabling) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Leaf and host, one row a pair, for named hosts that are at home in the leaf's unit.

    A leaf with adapters that name no host is left out: nobody knows which hosts they are of.
    """
    links = cabling.graph.host_links
    named = np.array([host.name is not None or host.node is not None for host in cabling.graph.hosts], np.bool_)
    known = named[links.host] if len(links) else np.empty(0, np.bool_)
    doubtful = np.zeros(len(cabling.graph.switches), np.bool_)
    doubtful[links.switch[~known]] = True
    rows = np.flatnonzero(known & (cabling.home >= 0) & (cabling.sits == cabling.home) & ~doubtful[links.switch])
    switch, host, _ = counted_pairs(links.switch[rows], links.host[rows])
    return switch, host


def _thin(cabling: Cabling, leaf: int, hosts: set[int], expected: int) -> Anomaly:
    fabric = int(cabling.structure.fabric_of_switch[leaf])
    unit = cabling.structure.domain_of_switch[leaf]
    residents = np.flatnonzero(cabling.structure.home[fabric] == unit).tolist()
    lacking = sorted(cabling.graph.hosts[host].name or "" for host in residents if host not in hosts)
    return cabling.anomaly(
        "missing-link",
        "warning",
        fabric,
        (cabling.switch_end(leaf), *(CableEnd(name or None, None, None) for name in lacking)),
        f"{cabling.switch(leaf)} has cables of {len(hosts)} hosts of its unit, another leaf of the unit of {expected}: "
        "a rail under construction, or a leaf that lost its cables.",
    )
