"""`asymmetric-uplinks`: a switch with clearly fewer cables upward than its peers, beyond what `missing-link` names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from topology.anomalies.cabling import Cabling, counted
from topology.anomalies.trunks import FEW_UPLINKS, SpineGroup, Trunks
from topology.anomaly import Anomaly
from topology.columns import counted_pairs
from topology.structure import LEAF

PEERS = 4
"""So many switches have a custom."""

DESIGN = 0.2
"""Where more than this share of the peers is short, they are meant to be."""

LIKE = 0.5
"""Peers have at least this share of the median of hosts (leaves) or of cables downward (spines)."""


def find_asymmetric_uplinks(cabling: Cabling, trunks: Trunks, groups: Sequence[SpineGroup]) -> Iterator[Anomaly]:
    """One finding a switch, with its own count and that of its peers."""
    count = len(cabling.graph.switches)
    found = np.bincount(trunks.lower, weights=trunks.cables, minlength=count)
    named = np.zeros(count)
    for short in (short for group in groups for short in group.shortages):
        named[short.lower] += short.expected - short.found
    load = _loads(cabling, trunks)
    for peers in _peer_groups(cabling):
        alike = peers[load[peers] >= LIKE * np.median(load[peers])]
        if len(alike) < PEERS:
            continue
        usual = float(np.median(found[alike]))
        few = alike[found[alike] + named[alike] < FEW_UPLINKS * usual]
        if len(few) > max(1, DESIGN * len(alike)):
            continue
        for switch in few.tolist():
            yield cabling.anomaly(
                "asymmetric-uplinks",
                "warning",
                int(cabling.structure.fabric_of_switch[switch]),
                (cabling.switch_end(switch),),
                f"{cabling.switch(switch)} has {counted(int(found[switch]), 'cable')} upward, "
                f"its {len(alike) - 1} peers have {usual:g} (median).",
            )


def _loads(cabling: Cabling, trunks: Trunks) -> NDArray[np.float64]:
    """By switch what hangs below it: the number of hosts of a leaf, the cables downward of the others."""
    count = len(cabling.graph.switches)
    links = cabling.graph.host_links
    _, switch, _ = counted_pairs(links.host, links.switch)
    hosts = np.bincount(switch, minlength=count).astype(np.float64)
    below = np.bincount(trunks.upper, weights=trunks.cables, minlength=count).astype(np.float64)
    return np.where(cabling.structure.level == LEAF, hosts, below)


def _peer_groups(cabling: Cabling) -> Iterator[NDArray[np.int64]]:
    """The switches of one domain; where domains are smaller than that, those of all small domains of one parent."""
    small: dict[tuple[int, int], list[int]] = {}
    for domain in cabling.structure.domains:
        if domain.parent is None:
            continue
        if len(domain.switches) >= PEERS:
            yield np.array(domain.switches, np.int64)
        else:
            small.setdefault((domain.parent, domain.level), []).extend(domain.switches)
    for switches in small.values():
        yield np.array(sorted(switches), np.int64)
