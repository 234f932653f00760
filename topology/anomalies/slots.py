"""Slots: hosts that use one port number on every rail leaf of their unit, and the cables that sit in another's slot.

Worth knowing to whoever pulls a cable by its label, so it is only info, and only where a unit keeps to the custom.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from topology.anomalies.cabling import Cabling
from topology.anomalies.rails import Rails
from topology.anomaly import Anomaly
from topology.columns import counted_pairs, heaviest

CUSTOM = 0.9
"""A unit has slots where at least this share of its hosts' cables is on the port number of the host's slot."""


def find_swapped_slots(cabling: Cabling, rails: Rails) -> Iterator[Anomaly]:
    """One `swapped-slots` a ring of cables of one leaf that sit in each other's slots."""
    slot = _find_slots(cabling, rails)
    links = cabling.graph.host_links
    displaced = np.flatnonzero((slot >= 0) & (links.switch_port != slot))
    if not len(displaced):
        return
    displaced = displaced[np.lexsort((links.switch_port[displaced], links.switch[displaced]))]
    holder = _holders(cabling, displaced, slot)
    seen: set[int] = set()
    pushed = set(holder.values())
    for link in sorted(displaced.tolist(), key=lambda link: link in pushed):  # a chain from its end, then the rings
        ring: list[int] = []
        following: int | None = link
        while following is not None and following not in seen:
            seen.add(following)
            ring.append(following)
            following = holder.get(following)
        if len(ring) > 1:
            yield _swapped(cabling, ring, slot)


def _swapped(cabling: Cabling, ring: list[int], slot: NDArray[np.int64]) -> Anomaly:
    links = cabling.graph.host_links
    places = []
    for link in ring:
        usual = f" (its usual one is {int(slot[link])})" if slot[link] >= 0 else ""
        places.append(f"{cabling.host(link)} is on port {int(links.switch_port[link])}{usual}")
    return cabling.anomaly(
        "swapped-slots",
        "info",
        int(cabling.fabric[ring[0]]),
        (end for link in ring for end in cabling.link_ends(link)),
        f"On {cabling.switch(int(links.switch[ring[0]]))}: {'; '.join(places[:4])}.",
    )


def _find_slots(cabling: Cabling, rails: Rails) -> NDArray[np.int64]:
    """By host link: the port number that most of its host's cables in the unit have; -1 without one, or no custom."""
    links = cabling.graph.host_links
    slot = np.full(len(links), -1, np.int64)
    rows = np.flatnonzero((rails.rightful >= 0) & (links.switch == rails.rightful) & (links.switch_port > 0))
    if not len(rows):
        return slot
    member = cabling.home[rows] * len(cabling.graph.hosts) + links.host[rows]
    members, owner = np.unique(member, return_inverse=True)
    pair_owner, port, times = counted_pairs(owner.astype(np.int32), links.switch_port[rows].astype(np.int32))
    usual = heaviest(pair_owner, port, times, len(members))
    most = np.zeros(len(members))
    np.maximum.at(most, pair_owner, times)
    cables = np.bincount(owner, minlength=len(members))
    usual[(2 * most <= cables) | (cables < 2)] = -1
    units, unit = np.unique(cabling.home[rows], return_inverse=True)
    kept = np.bincount(unit, weights=usual[owner] == links.switch_port[rows], minlength=len(units))
    custom = kept >= CUSTOM * np.bincount(unit, minlength=len(units))
    slot[rows] = np.where(custom[unit], usual[owner], -1)
    return slot


def _holders(cabling: Cabling, displaced: NDArray[np.int64], slot: NDArray[np.int64]) -> dict[int, int]:
    """For each displaced cable the cable of the same unit that sits in its slot and does not belong there either."""
    links = cabling.graph.host_links
    here = links.switch.astype(np.int64) << 16 | links.switch_port
    wanted = links.switch[displaced].astype(np.int64) << 16 | slot[displaced]
    rows = np.flatnonzero(np.isin(here, wanted) & (cabling.sits == cabling.home) & (slot != links.switch_port))
    sitting = dict(zip(here[rows].tolist(), rows.tolist(), strict=True))
    pairs = zip(displaced.tolist(), wanted.tolist(), strict=True)
    return {link: sitting[place] for link, place in pairs if place in sitting}
