"""Rails: the leaf on which each device of a unit's hosts belongs, by the vote of like hosts, and the cables beside it.

Device numbers differ between machines and drivers, so only hosts with the same set of device names vote together. A
host that lacks a cable, or has one more, is judged with the hosts it is most like.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from topology.anomalies.cabling import Cabling, counted, listed
from topology.anomaly import Anomaly
from topology.columns import heaviest

LIKE_HOSTS = 4
"""So many hosts with one set of device names have a vote."""

RARE = 4
"""A set of devices is a common one less some cables, not a class of its own, where the common one is so many times as
frequent."""

AGREEMENT = 2 / 3
"""Like hosts have rails where at least this share of their cables is on the leaf that won its vote."""


@dataclass(frozen=True, slots=True)
class LikeHosts:
    """Hosts of one unit that have the same devices, or all but a few of them."""

    unit: int
    devices: tuple[int, ...]
    hosts: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Rails:
    """What the votes say. `like` and `rightful` are by host link."""

    likes: tuple[LikeHosts, ...]
    like: NDArray[np.int64]
    """Index into `likes`; -1 for a host that is like too few others."""
    rightful: NDArray[np.int64]
    """The leaf that the host's like have this device on, whether or not the cable is there; -1 for no verdict."""


def vote_rails(cabling: Cabling) -> Rails:
    """Let the like hosts of every unit vote on the leaf of each of their devices."""
    likes, like = _find_like_hosts(cabling)
    rightful = np.full(len(like), -1, np.int64)
    voting = (like >= 0) & (cabling.sits == cabling.home)
    if not voting.any():
        return Rails(likes, like, rightful)
    switches = len(cabling.graph.switches)
    ballot = like * len(cabling.devices) + cabling.device
    vote, votes = np.unique(ballot[voting] * switches + cabling.graph.host_links.switch[voting], return_counts=True)
    ballots, owner = np.unique(vote // switches, return_inverse=True)
    winner = heaviest(owner, vote % switches, votes.astype(np.float64), len(ballots))
    most = np.zeros(len(ballots), np.int64)
    np.maximum.at(most, owner, votes)
    cast = np.bincount(owner, weights=votes, minlength=len(ballots))
    group = ballots // len(cabling.devices)
    agreed = np.bincount(group, weights=most, minlength=len(likes)) >= AGREEMENT * np.bincount(
        group, weights=cast, minlength=len(likes)
    )
    elected = (2 * most > cast) & (most >= 2) & agreed[group]
    place = np.minimum(np.searchsorted(ballots, ballot), len(ballots) - 1)
    decided = (like >= 0) & (ballots[place] == ballot) & elected[place]
    rightful[decided] = winner[place[decided]]
    return Rails(likes, like, rightful)


def find_swapped_rails(cabling: Cabling, rails: Rails) -> Iterator[Anomaly]:
    """One `swapped-rails` a host: its cables on another leaf of its unit than the leaf of their rail."""
    links = cabling.graph.host_links
    wrong = np.flatnonzero((rails.rightful >= 0) & (cabling.sits == cabling.home) & (links.switch != rails.rightful))
    wrong = wrong[~_on_bond(cabling, rails, wrong)]
    if not len(wrong):
        return
    owner = cabling.home[wrong] * len(cabling.graph.hosts) + links.host[wrong]
    order = np.lexsort((cabling.device[wrong], owner))
    for rows in np.split(wrong[order], np.flatnonzero(np.diff(owner[order])) + 1):
        cables = rows.tolist()
        places = [
            f"{cabling.device_name(link)} is on {cabling.switch(int(links.switch[link]))} "
            f"(its rail is on {cabling.switch(int(rails.rightful[link]))})"
            for link in cables
        ]
        yield cabling.anomaly(
            "swapped-rails",
            "error",
            int(cabling.fabric[cables[0]]),
            (end for link in cables for end in cabling.link_ends(link)),
            f"{cabling.host(cables[0])} has {counted(len(cables), 'cable')} on another rail: {listed(places, 4)}.",
        )


def _on_bond(cabling: Cabling, rails: Rails, wrong: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Of these cables those of a bond (the cables of one adapter of Ethernet) that has another one on the leaf of their
    rail: a bond is one rail on all of its leaves, and which member leads where is nobody's mistake."""
    links = cabling.graph.host_links
    ethernet = np.array([switch.ethernet for switch in cabling.graph.switches], np.bool_)
    if not ethernet.any():
        return np.zeros(len(wrong), np.bool_)
    rows = np.flatnonzero(ethernet[links.switch])
    pairs = set(zip(links.adapter[rows].tolist(), links.switch[rows].tolist(), strict=True))
    ends = zip(links.adapter[wrong].tolist(), rails.rightful[wrong].tolist(), strict=True)
    return np.array([end in pairs for end in ends], np.bool_)


def _find_like_hosts(cabling: Cabling) -> tuple[tuple[LikeHosts, ...], NDArray[np.int64]]:
    """Group the hosts of every unit by what devices they have in the whole fabric."""
    rows = np.flatnonzero((cabling.home >= 0) & (cabling.device >= 0))
    like = np.full(len(cabling.home), -1, np.int64)
    if not len(rows):
        return (), like
    hosts, devices = len(cabling.graph.hosts), len(cabling.devices)
    member_of_row = cabling.home[rows] * hosts + cabling.graph.host_links.host[rows]
    pairs = np.unique(member_of_row * devices + cabling.device[rows])
    member, device = pairs // devices, (pairs % devices).tolist()
    starts = np.flatnonzero(np.r_[True, member[1:] != member[:-1]])
    bounds = [*starts.tolist(), len(member)]
    sets = [tuple(device[start:end]) for start, end in pairwise(bounds)]
    members = member[starts]
    likes: list[LikeHosts] = []
    group_of_member = np.full(len(members), -1, np.int64)
    unit = members // hosts
    cuts = [*np.flatnonzero(np.r_[True, unit[1:] != unit[:-1]]).tolist(), len(members)]
    for start, end in pairwise(cuts):
        leads = _leading_sets(sets[start:end])
        for lead in sorted(set(leads)):
            chosen = [start + place for place, own in enumerate(leads) if own == lead]
            if len(chosen) >= LIKE_HOSTS:
                group_of_member[chosen] = len(likes)
                likes.append(LikeHosts(int(unit[start]), lead, tuple((members[chosen] % hosts).tolist())))
    like[rows] = group_of_member[np.searchsorted(members, member_of_row)]
    return tuple(likes), like


def _leading_sets(sets: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """For each host's device set the common set it is judged with: the most frequent one that it is nearly equal to."""
    counts = Counter(sets)
    leads: list[tuple[int, ...]] = []
    lead_of: dict[tuple[int, ...], tuple[int, ...]] = {}
    for own in sorted(counts, key=lambda devices: (-counts[devices], -len(devices), devices)):
        near = next((lead for lead in leads if nearly_equal(own, lead)), None)
        if near is not None and counts[own] >= LIKE_HOSTS:
            less = len(own) < len(near) and RARE * counts[own] <= counts[near]
            near = near if less else None  # frequent enough to be a class of its own
        lead_of[own] = near or own
        if near is None:
            leads.append(own)
    return [lead_of[own] for own in sets]


def nearly_equal(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """True where one set holds the other and that is more than half of it."""
    small, large = sorted((set(a), set(b)), key=len)
    return small <= large and 2 * len(small) > len(large)
