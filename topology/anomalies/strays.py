"""Host cables in another domain than their host's: `swapped-cables` where two hosts exchanged them, else `stray-cable`.

Hosts that have cables in two domains by design (storage that hangs on two leaves, a leaf that serves many units) are no
finding: what a good part of a unit does is not a mistake.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from topology.anomalies.cabling import Cabling
from topology.anomalies.rails import Rails
from topology.anomaly import Anomaly
from topology.columns import counted_pairs
from topology.structure import LEAF

DESIGN = 0.2
"""Where more than this share of a unit's hosts have one device in one other domain, they are meant to."""


@dataclass(frozen=True, slots=True)
class Stray:
    """A host cable away from home: where it is and where it belongs. `belongs` is -1 where no vote says which leaf."""

    link: int
    home: int
    away: int
    switch: int
    belongs: int


def find_strays(cabling: Cabling, rails: Rails) -> Iterator[Anomaly]:
    """One `swapped-cables` a pair of exchanged cables, one `stray-cable` for each that has no partner."""
    links = cabling.graph.host_links
    away = _cables_away(cabling)
    away = away[np.lexsort((links.switch_port[away], links.switch[away]))]
    strays = [_stray(cabling, rails, link) for link in away.tolist()]
    pairs, single = _pair_up(strays)
    for a, b in pairs:
        yield cabling.anomaly(
            "swapped-cables",
            "error",
            int(cabling.fabric[a.link]),
            (*cabling.link_ends(a.link), *cabling.link_ends(b.link)),
            f"{_place(cabling, a)} and {_place(cabling, b)}: each belongs in the other's domain.",
        )
    for stray in single:
        yield cabling.anomaly(
            "stray-cable",
            "error",
            int(cabling.fabric[stray.link]),
            cabling.link_ends(stray.link),
            f"{_place(cabling, stray)}, outside its host's domain ({_rightful_place(cabling, stray)}).",
        )


def _place(cabling: Cabling, stray: Stray) -> str:
    port = int(cabling.graph.host_links.switch_port[stray.link])
    at = f" port {port}" if port else ""
    return f"{cabling.device_name(stray.link)} of {cabling.host(stray.link)} is on {cabling.switch(stray.switch)}{at}"


def _rightful_place(cabling: Cabling, stray: Stray) -> str:
    return cabling.switch(stray.belongs) if stray.belongs >= 0 else cabling.unit(stray.home)


def _cables_away(cabling: Cabling) -> NDArray[np.int64]:
    """Host links outside their host's home domain, without those that are so by design."""
    links = cabling.graph.host_links
    away = (cabling.home >= 0) & (cabling.sits >= 0) & (cabling.sits != cabling.home)
    rows = np.flatnonzero(away & ~cabling.structure.shared[links.switch])
    if not len(rows):
        return rows
    domains = len(cabling.structure.domains)
    residents = _residents(cabling)
    home, away = cabling.home[rows], cabling.sits[rows]
    route = (home * domains + away) * (len(cabling.devices) + 1) + cabling.device[rows] + 1
    _, number, cables = np.unique(route, return_inverse=True, return_counts=True)
    alike = cables[number]  # cables of one device between the same two domains
    by_design = (alike > DESIGN * residents[home]) & (alike >= np.minimum(residents[home], 3)) & (alike >= 2)
    _, visited, _ = counted_pairs(links.host[rows], away.astype(np.int32))
    guests = np.bincount(visited, minlength=domains)
    leaf = np.array([domain.level == LEAF for domain in cabling.structure.domains], np.bool_)
    by_design |= leaf[away] & (guests > np.maximum(residents, 2))[away]  # more guests than residents: it serves all
    by_design |= _evenly_split(cabling, rows)
    kept: NDArray[np.int64] = rows[~by_design]
    return kept


def _evenly_split(cabling: Cabling, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """By row: the host has as many cables in that other domain as at home, and more than one: it is meant to."""
    links = cabling.graph.host_links
    at_home = np.bincount(links.host[cabling.sits == cabling.home], minlength=len(cabling.graph.hosts))
    host = links.host[rows].astype(np.int64)
    _, number, cables = np.unique(
        host * len(cabling.structure.domains) + cabling.sits[rows], return_inverse=True, return_counts=True
    )
    there = cables[number]
    return np.asarray((there >= 2) & (there >= at_home[host]))


def _residents(cabling: Cabling) -> NDArray[np.int64]:
    """By domain: how many hosts have their home there."""
    home = cabling.structure.home
    return np.bincount(home[home >= 0], minlength=len(cabling.structure.domains))


def _stray(cabling: Cabling, rails: Rails, link: int) -> Stray:
    home = int(cabling.home[link])
    leaves = cabling.structure.domains[home].switches
    voted = int(rails.rightful[link])
    belongs = voted if voted >= 0 or len(leaves) > 1 else leaves[0]
    return Stray(link, home, int(cabling.sits[link]), int(cabling.graph.host_links.switch[link]), belongs)


def _pair_up(strays: list[Stray]) -> tuple[list[tuple[Stray, Stray]], list[Stray]]:
    """Pair strays that sit in each other's place: first leaf for leaf, then domain for domain; each is used once."""
    pairs: list[tuple[Stray, Stray]] = []
    left = _match(strays, lambda stray: (stray.switch, stray.belongs), pairs)
    left = _match(left, lambda stray: (stray.away, stray.home), pairs)
    return pairs, left


def _match(
    strays: list[Stray], place: Callable[[Stray], tuple[int, int]], pairs: list[tuple[Stray, Stray]]
) -> list[Stray]:
    waiting: dict[tuple[int, int], list[Stray]] = defaultdict(list)
    for stray in strays:
        here, belongs = place(stray)
        partners = waiting.get((belongs, here))
        if partners and here >= 0 and belongs >= 0:
            pairs.append((partners.pop(0), stray))
        else:
            waiting[here, belongs].append(stray)
    return [stray for group in waiting.values() for stray in group]
