"""Ports for which sources name different far ends: two reports, or two scans, of one fabric that disagree.

A cable stands when one of its ends reports it, so all of them stay; but one port holds one cable, and so one of the
sources is old or wrong. Silence disputes nothing.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from discovery.scan import LinkColumns
from topology.graph import CablePort, Dispute, Told
from topology.joining import Words

PLANES = 0.2
"""Where more ports than this share of the adapters have several cables, they are ports of several planes."""


@dataclass(frozen=True, slots=True, eq=False)
class Vertices:
    """What the nodes at the ends of links are: their GUIDs, their switches and adapters (-1: none)."""

    guid: NDArray[np.uint64]
    switch: NDArray[np.int32]
    adapter: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class _Ends:
    """Both ends of all links, first the `a` ends of all: the port, and the link."""

    key: NDArray[np.int64]
    """Node and port in one number; 0 for a port that is not known."""
    link: NDArray[np.int64]
    bit: NDArray[np.uint8]
    """Of this end in `reported_by`."""


def find_disputes(vertices: Vertices, links: LinkColumns, words: Words) -> tuple[Dispute, ...]:
    """All disputed ports, in the order of their GUIDs."""
    ends = _ends_of(links)
    key = np.sort(ends.key)
    shared = np.unique(key[1:][(key[1:] == key[:-1]) & (key[1:] > 0)])
    adapter = vertices.adapter[shared >> 16] >= 0
    if adapter.sum() > PLANES * (vertices.adapter >= 0).sum():
        shared = shared[~adapter]
    rows = np.flatnonzero(np.isin(ends.key, shared)) if len(shared) else shared
    by_port: dict[int, list[int]] = defaultdict(list)
    for row, port in zip(rows.tolist(), ends.key[rows].tolist(), strict=True):
        by_port[port].append(row)
    scans = _scans_by_row(ends, rows, words)
    disputed = [
        _dispute(vertices, links, [(int(ends.link[row]), int(ends.bit[row])) for row in found])
        for port, found in by_port.items()
        if _disagree([scans[row] for row in found], silent=vertices.adapter[port >> 16] >= 0)
    ]
    return tuple(sorted(disputed, key=lambda dispute: (dispute.port.guid, dispute.port.port)))


def _ends_of(links: LinkColumns) -> _Ends:
    a = links.a_node.astype(np.int64) << 16 | links.a_port
    b = links.b_node.astype(np.int64) << 16 | links.b_port
    a[links.a_port <= 0] = 0
    b[(links.b_port <= 0) | (a == b)] = 0
    number = np.arange(len(links))
    bit = np.repeat(np.array([1, 2], np.uint8), len(links))
    return _Ends(np.concatenate([a, b]), np.concatenate([number, number]), bit)


def _scans_by_row(ends: _Ends, rows: NDArray[np.int64], words: Words) -> dict[int, frozenset[int]]:
    """By end the scans in which its own node told of the cable."""
    wanted = np.flatnonzero(np.isin(words.link, ends.link[rows]))
    of_link: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for link, scan, told in zip(
        words.link[wanted].tolist(), words.scan[wanted].tolist(), words.told[wanted].tolist(), strict=True
    ):
        of_link[link].append((scan, told))
    return {
        row: frozenset(scan for scan, told in of_link[int(ends.link[row])] if told & int(ends.bit[row]))
        for row in rows.tolist()
    }


def _disagree(scans: list[frozenset[int]], *, silent: bool) -> bool:
    """Whether the cables of one port contradict each other; by cable the scans in which the port's node told of it.

    A node may tell of several cables at once (planes). One that tells of none is contradicted by none; `silent`: that
    is nothing new, for adapters often have no word of their own.
    """
    own = [told for told in scans if told]
    if not own:
        return not silent
    return len(own) < len(scans) or any(one.isdisjoint(other) for one, other in combinations(own, 2))


def _dispute(vertices: Vertices, links: LinkColumns, cables: list[tuple[int, int]]) -> Dispute:
    """`cables`: rows of links, each with the bit of its end at the port."""
    told = []
    for link, bit in cables:
        near, far = _port(vertices, links, link, a=bit == 1), _port(vertices, links, link, a=bit != 1)
        by = int(links.reported_by[link])
        told.append(Told(far, bool(by & bit), bool(by & ~bit)))
    told.sort(key=lambda one: (one.far.guid, one.far.port))
    return Dispute(near, tuple(told))


def _port(vertices: Vertices, links: LinkColumns, link: int, *, a: bool) -> CablePort:
    node = int((links.a_node if a else links.b_node)[link])
    port = int((links.a_port if a else links.b_port)[link])
    return CablePort(int(vertices.switch[node]), int(vertices.adapter[node]), int(vertices.guid[node]), port)
