"""Which fabric makes a host's tree where it has ports in several: the one that made it so far, else the fastest.

A choice is for all hosts of a kind (ports in the same fabrics), so one host's lost port moves nobody. It is kept by the
switches of the tree that stands: a faster fabric that appears beside it takes over nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from discovery.identity import guid_number
from discovery.scan import GIGABITS_PER_LANE, Speed
from topology.columns import counted_pairs, heaviest
from topology.graph import Graph
from topology.hierarchy import HyperNode

GIGABITS = np.array([GIGABITS_PER_LANE[speed] for speed in Speed])

KeptFabrics = Mapping[str, frozenset[int]]
"""Node to node GUIDs of switches of the fabric that made its tree so far."""
NOTHING_KEPT: KeptFabrics = MappingProxyType({})


def kept_fabrics(previous: Sequence[HyperNode]) -> dict[str, frozenset[int]]:
    """By the switches that the roots of the tree that stands are known by."""
    kept: dict[str, frozenset[int]] = {}
    for root in previous:
        if root.parent is None and root.switch_guids:
            guids = frozenset(guid_number(guid) for guid in root.switch_guids if guid)
            kept.update(dict.fromkeys(root.nodes, guids))
    return kept


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """By host the fabric that makes its tree (-1: none), and the fabrics about which a standing tree decided."""

    tree_of_host: NDArray[np.int32]
    kept: frozenset[int] = frozenset()


def choose_trees(graph: Graph, fabric_of_switch: NDArray[np.int32], count: int, kept: KeptFabrics) -> Choice:
    """`count` is the number of fabrics."""
    links = graph.host_links
    fabric_of_link = fabric_of_switch[links.switch]
    if count <= 1 or not len(links):
        result = np.full(len(graph.hosts), -1, np.int32)
        result[links.host] = 0
        return Choice(result)
    host, fabric, lanes = counted_pairs(links.host, fabric_of_link, links.width.astype(np.float64))
    fastest = np.zeros(count, np.int64)
    np.maximum.at(fastest, fabric_of_link, links.speed)
    bandwidth = lanes * GIGABITS[fastest[fabric]]
    reach: dict[int, set[int]] = defaultdict(set)
    for owner, where in zip(host.tolist(), fabric.tolist(), strict=True):
        reach[owner].add(where)
    kinds: dict[frozenset[int], int] = {}
    kind_of_host = np.full(len(graph.hosts), -1, np.int64)
    for owner, among in reach.items():
        kind_of_host[owner] = kinds.setdefault(frozenset(among), len(kinds))
    kind, choice, total = counted_pairs(kind_of_host[host].astype(np.int32), fabric.astype(np.int32), bandwidth)
    chosen = heaviest(kind, choice, total, len(kinds))
    overruled: set[int] = set()
    for several, number in kinds.items():
        stays = _most_kept(graph, np.flatnonzero(kind_of_host == number), _Known(fabric_of_switch, kept), several)
        if stays is not None and stays != chosen[number]:
            overruled |= several
            chosen[number] = stays
    tree_of_host = np.where(kind_of_host >= 0, chosen[kind_of_host], -1).astype(np.int32)
    return Choice(tree_of_host, frozenset(overruled))


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    fabric_of_switch: NDArray[np.int32]
    kept: KeptFabrics


def _most_kept(graph: Graph, hosts: NDArray[np.int64], known: _Known, among: frozenset[int]) -> int | None:
    """The fabric, `among` those of their kind, that made the trees of most of these hosts; None: of none."""
    if not known.kept or len(among) < 2:
        return None
    votes: Counter[frozenset[int]] = Counter()
    for index in hosts.tolist():
        node = graph.hosts[index].node
        if node is not None and node in known.kept:
            votes[known.kept[node]] += 1
    counts: Counter[int] = Counter()
    for switch, fabric in zip(graph.switches, known.fabric_of_switch.tolist(), strict=True):
        if fabric in among:
            counts[fabric] += sum(number for guids, number in votes.items() if not guids.isdisjoint(switch.guids))
    best = max(sorted(counts), key=lambda fabric: counts[fabric], default=None)
    return best if best is not None and counts[best] else None
