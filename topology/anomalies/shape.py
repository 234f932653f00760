"""Findings about the shape of a fabric: loops, links within a level, islands, scans that did not reach everything."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from topology.anomalies.cabling import MOST_ENDS, Cabling, counted, listed
from topology.anomaly import Anomaly

MAIN_HOSTS = 8
"""A fabric of fewer hosts is too small to miss a piece."""

SAME = 0.5
"""Two switches serve the same where they have this share of the larger one's hosts or lower switches in common."""


def find_self_links(cabling: Cabling) -> Iterator[Anomaly]:
    """One `self-link` a cable from a switch to itself."""
    trunks = cabling.graph.trunks
    for trunk in np.flatnonzero(trunks.a == trunks.b).tolist():
        switch = int(trunks.a[trunk])
        ports = f"ports {int(trunks.a_port[trunk])} and {int(trunks.b_port[trunk])}"
        yield cabling.anomaly(
            "self-link",
            "warning",
            int(cabling.structure.fabric_of_switch[switch]),
            cabling.trunk_ends(trunk),
            f"A cable joins {ports} of {cabling.switch(switch)} with each other.",
        )


def find_same_level_links(cabling: Cabling) -> Iterator[Anomaly]:
    """One `same-level-link` a pair of switches; one `not-a-tree` for a fabric that is built of such links."""
    rows = _within_levels(cabling)
    trunks = cabling.graph.trunks
    fabric = cabling.structure.fabric_of_switch[trunks.a[rows]]
    mesh = np.array([*cabling.structure.mesh, False], np.bool_)
    for number in np.flatnonzero(mesh).tolist():
        yield _not_a_tree(cabling, number, rows[fabric == number])
    pairs: dict[tuple[int, int], list[int]] = defaultdict(list)
    for trunk in rows[~mesh[fabric]].tolist():
        a, b = int(trunks.a[trunk]), int(trunks.b[trunk])
        pairs[min(a, b), max(a, b)].append(trunk)
    serves = _served(cabling, {switch for pair in pairs for switch in pair})
    for (a, b), cables in sorted(pairs.items()):
        if _same(serves[a], serves[b]):
            continue
        count = "A cable joins" if len(cables) == 1 else f"{len(cables)} cables join"
        yield cabling.anomaly(
            "same-level-link",
            "warning",
            int(cabling.structure.fabric_of_switch[a]),
            (end for trunk in cables for end in cabling.trunk_ends(trunk)),
            f"{count} {cabling.switch(a)} and {cabling.switch(b)}, which stand on one level and serve different hosts.",
        )


def find_islands(cabling: Cabling) -> Iterator[Anomaly]:
    """One `island` a connected part that is neither the main part of its fabric nor a plane of it."""
    component = cabling.graph.component
    for number, fabric in enumerate(cabling.structure.fabrics):
        switches = np.array(fabric.switches, np.int64)
        parts = np.unique(component[switches]).tolist()
        unswept = _unswept_parts(cabling) if fabric.assumed else frozenset()
        parts = [part for part in parts if part not in unswept]
        if len(parts) <= max(fabric.planes, 1):
            continue
        links = cabling.graph.host_links
        hosts = {part: len(np.unique(links.host[component[links.switch] == part])) for part in parts}
        size = {part: int((component[switches] == part).sum()) for part in parts}
        parts.sort(key=lambda part: (-hosts[part], -size[part], part))
        for part in parts[max(fabric.planes, 1) :]:
            cut_off = switches[component[switches] == part].tolist()
            yield _island(cabling, number, cut_off, hosts[part], f"the rest of fabric {fabric.name}")
    for number, larger in _detached(cabling):
        fabric = cabling.structure.fabrics[number]
        rest = f"the like and larger fabric {cabling.structure.fabrics[larger].name}"
        yield _island(cabling, number, list(fabric.switches), len(fabric.hosts), rest)


def find_partial_scan(cabling: Cabling) -> Iterator[Anomaly]:
    """One `partial-scan` where a scan says that it did not reach everything, one for switches that were only named."""
    switches = cabling.graph.switches
    unswept = [switch for switch in cabling.graph.unswept if not switches[switch].ethernet]  # there it is usual
    if unswept:
        names = listed([cabling.switch(switch) for switch in unswept])
        verb = "was" if len(unswept) == 1 else "were"
        yield cabling.anomaly(
            "partial-scan",
            "warning",
            -1,
            (cabling.switch_end(switch) for switch in unswept),
            f"{counted(len(unswept), 'switch')} of {len(switches)} {verb} named but not swept ({names}): "
            "the scan is cut off, what is absent may only be unseen.",
        )
    if not cabling.graph.complete:
        yield cabling.anomaly(
            "partial-scan",
            "warning",
            -1,
            (),
            "A scan reports errors: it did not reach everything, so what is absent here may only be unseen.",
        )


def _within_levels(cabling: Cabling) -> NDArray[np.int64]:
    """Cables between two switches of one level and of different domains."""
    trunks, structure = cabling.graph.trunks, cabling.structure
    level, domain = structure.level, structure.domain_of_switch
    beside = (trunks.a != trunks.b) & (level[trunks.a] == level[trunks.b]) & (level[trunks.a] >= 0)
    same_domain = (domain[trunks.a] == domain[trunks.b]) & (domain[trunks.a] >= 0)
    return np.flatnonzero(beside & ~same_domain)


def _not_a_tree(cabling: Cabling, fabric: int, rows: NDArray[np.int64]) -> Anomaly:
    trunks = cabling.graph.trunks
    switches = np.unique(np.r_[trunks.a[rows], trunks.b[rows]]).tolist()
    total = len(cabling.structure.fabrics[fabric].switches)
    return cabling.anomaly(
        "not-a-tree",
        "info",
        fabric,
        (end for trunk in rows[: MOST_ENDS // 2].tolist() for end in cabling.trunk_ends(trunk)),
        f"{len(switches)} of {total} switches have links within their level ({counted(len(rows), 'cable')}): "
        f"that is the design of this fabric, such links are not reported one by one.",
    )


def _served(cabling: Cabling, switches: set[int]) -> dict[int, set[int]]:
    """For these switches their hosts and their lower switches (numbered after the hosts)."""
    serves: dict[int, set[int]] = {switch: set() for switch in switches}
    if not switches:
        return serves
    chosen = np.zeros(len(cabling.graph.switches), np.bool_)
    chosen[list(switches)] = True
    links, trunks, level = cabling.graph.host_links, cabling.graph.trunks, cabling.structure.level
    rows = chosen[links.switch]
    for switch, host in zip(links.switch[rows].tolist(), links.host[rows].tolist(), strict=True):
        serves[switch].add(host)
    hosts = len(cabling.graph.hosts)
    for upper, lower in ((trunks.a, trunks.b), (trunks.b, trunks.a)):
        rows = chosen[upper] & (level[lower] < level[upper])
        for switch, below in zip(upper[rows].tolist(), lower[rows].tolist(), strict=True):
            serves[switch].add(hosts + below)
    return serves


def _same(a: set[int], b: set[int]) -> bool:
    return bool(a & b) and len(a & b) >= SAME * max(len(a), len(b))


def _unswept_parts(cabling: Cabling) -> frozenset[int]:
    """Parts of which no switch was swept: that they have no link to others is no evidence."""
    graph = cabling.graph
    swept = np.setdiff1d(np.arange(len(graph.switches)), np.array(graph.unswept, np.int64))
    return frozenset(graph.component.tolist()) - frozenset(graph.component[swept].tolist())


def _island(cabling: Cabling, fabric: int, switches: list[int], hosts: int, rest: str) -> Anomaly:
    names = listed([cabling.switch(switch) for switch in switches])
    verb = "has" if len(switches) == 1 else "have"
    return cabling.anomaly(
        "island",
        "warning",
        fabric,
        (cabling.switch_end(switch) for switch in switches),
        f"{names} ({counted(len(switches), 'switch')}, {counted(hosts, 'host')}) {verb} no link to {rest}.",
    )


def _detached(cabling: Cabling) -> Iterator[tuple[int, int]]:
    """Fabrics whose hosts are in no other one and that look like a piece of one at least twice as large."""
    fabrics, links = cabling.structure.fabrics, cabling.graph.host_links
    if len(fabrics) < 2:
        return
    places = np.bincount([host for fabric in fabrics for host in fabric.hosts], minlength=len(cabling.graph.hosts))
    alone = [
        number
        for number, fabric in enumerate(fabrics)
        if fabric.hosts and bool((places[list(fabric.hosts)] == 1).mean() > SAME)
    ]
    large = [number for number, fabric in enumerate(fabrics) if len(fabric.hosts) >= MAIN_HOSTS]
    models = {
        number: _models(cabling, links.switch[cabling.fabric == number], number)
        for number in (sorted({*alone, *large}) if large else ())
    }
    for number in alone if large else ():
        larger = [
            other
            for other in large
            if fabrics[other].link_layer == fabrics[number].link_layer
            and len(fabrics[other].hosts) >= 2 * len(fabrics[number].hosts)
            and models[other] == models[number]
            and (fabrics[other].link_layer == "infiniband" or models[number][0] > 0)
        ]
        if larger:
            yield number, max(larger, key=lambda other: len(fabrics[other].hosts))


def _models(cabling: Cabling, leaves: NDArray[np.int32], fabric: int) -> tuple[int, int]:
    """The most frequent device ids of a fabric's leaves and of the adapters on them."""
    adapters = cabling.graph.host_links.adapter[cabling.fabric == fabric]
    switches = [cabling.graph.switches[leaf].device_id for leaf in np.unique(leaves).tolist()]
    return _most(np.array(switches, np.int64)), _most(cabling.graph.adapters.device_id[adapters].astype(np.int64))


def _most(values: NDArray[np.int64]) -> int:
    distinct, counts = np.unique(values, return_counts=True)
    return int(distinct[np.argmax(counts)]) if len(distinct) else -1
