"""Cables between switches of neighbouring levels: where a pair has fewer than its like, and where a switch has too few.

The upper switches of a domain are gathered by the lower switches they serve (the spines of one rail of a pod); within
one such group every pair is expected to have what most pairs have. Groups without a clear custom give no verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from topology.anomalies.cabling import Cabling, counted
from topology.anomaly import Anomaly
from topology.columns import counted_pairs, mode

PAIRS = 4
"""A group of fewer pairs has no custom."""

MEMBER = 0.6
"""A lower switch belongs to a group when it reaches more than this share of its upper switches, or all but one."""


MOST_SHORT = 0.4
FEW_UPLINKS = 0.75
"""A lower switch that is short at more than the one share of its group, and has less than the other of its cables, has
few uplinks altogether: that is `asymmetric-uplinks` or a design, and no finding pair by pair."""


@dataclass(frozen=True, slots=True, eq=False)
class Trunks:
    """One row a pair of switches of neighbouring levels, with the number of cables between them."""

    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    cables: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Shortage:
    """A pair of switches with fewer cables than its like."""

    lower: int
    upper: int
    found: int
    expected: int


def count_trunks(cabling: Cabling) -> Trunks:
    """Count the cables of every pair of switches that are one level apart."""
    trunks, level = cabling.graph.trunks, cabling.structure.level
    up = level[trunks.b] > level[trunks.a]
    lower, upper = np.where(up, trunks.a, trunks.b), np.where(up, trunks.b, trunks.a)
    rows = (level[lower] >= 0) & (level[upper] - level[lower] == 1)
    low, high, cables = counted_pairs(lower[rows], upper[rows])
    return Trunks(low, high, cables.astype(np.int64))


@dataclass(frozen=True, slots=True)
class SpineGroup:
    """Upper switches of one domain that serve the same lower switches, and the pairs of both that are short."""

    domain: int
    uppers: tuple[int, ...]
    lowers: tuple[int, ...]
    """Those that reach most of the group; one with a cable or two to it is none of them."""
    shortages: tuple[Shortage, ...]


def find_spine_groups(cabling: Cabling, trunks: Trunks) -> list[SpineGroup]:
    """The groups of all upper switches that have something below."""
    domain = cabling.structure.domain_of_switch[trunks.upper]
    rows = np.flatnonzero(domain >= 0)
    rows = rows[np.argsort(domain[rows], kind="stable")]
    if not len(rows):
        return []
    cuts = np.flatnonzero(np.diff(domain[rows])) + 1
    return [
        _spine_group(trunks, block[group], int(domain[block[0]]))
        for block in np.split(rows, cuts)
        for group in _gather(trunks.lower[block], trunks.upper[block])
    ]


def find_missing_links(cabling: Cabling, groups: Sequence[SpineGroup]) -> Iterator[Anomaly]:
    """One `missing-link` a pair of switches."""
    for short in (short for group in groups for short in group.shortages):
        yield cabling.anomaly(
            "missing-link",
            "warning",
            int(cabling.structure.fabric_of_switch[short.lower]),
            (cabling.switch_end(short.lower), cabling.switch_end(short.upper)),
            f"Between {cabling.switch(short.lower)} and {cabling.switch(short.upper)}: "
            f"{counted(short.found, 'cable')} found, {short.expected} expected.",
        )


def _gather(lower: NDArray[np.int64], upper: NDArray[np.int64]) -> Iterator[NDArray[np.bool_]]:
    """The rows of each group: upper switches that share half of their lower switches with the fullest one."""
    _, low = np.unique(lower, return_inverse=True)
    uppers, high = np.unique(upper, return_inverse=True)
    size = np.bincount(high, minlength=len(uppers))
    free = np.ones(len(uppers), np.bool_)
    while free.any():
        first = int(np.argmax(np.where(free, size, -1)))
        served = np.zeros(int(low.max()) + 1, np.bool_)
        served[low[high == first]] = True
        common = np.bincount(high[served[low]], minlength=len(uppers))
        group = free & (2 * common >= np.maximum(size, size[first]))
        free &= ~group
        yield group[high]


def _spine_group(trunks: Trunks, rows: NDArray[np.int64], domain: int) -> SpineGroup:
    lowers, low = np.unique(trunks.lower[rows], return_inverse=True)
    uppers, high = np.unique(trunks.upper[rows], return_inverse=True)
    matrix = np.zeros((len(lowers), len(uppers)), np.int64)
    matrix[low, high] = trunks.cables[rows]
    reached = (matrix > 0).sum(axis=1)
    member = (reached > MEMBER * len(uppers)) | (reached == len(uppers) - 1)
    lowers, matrix = lowers[member], matrix[member]
    short = [
        Shortage(int(lowers[row]), int(uppers[column]), int(matrix[row, column]), expected)
        for row, column, expected in _short_pairs(matrix)
    ]
    return SpineGroup(domain, tuple(uppers.tolist()), tuple(lowers.tolist()), tuple(short))


def _short_pairs(matrix: NDArray[np.int64]) -> list[tuple[int, int, int]]:
    """Row, column and expected cables of the pairs (lower switches by upper ones) that have fewer than most pairs."""
    expected = mode(matrix.ravel())
    if matrix.size < PAIRS or expected == 0 or 2 * (matrix == expected).sum() <= matrix.size:
        return []
    lacking = np.maximum(expected - matrix, 0)
    if _is_uneven_by_design(lacking.sum(axis=1), expected * matrix.shape[1]):
        return []
    often = (lacking > 0).sum(axis=1) > max(1.0, MOST_SHORT * matrix.shape[1])
    lacking[often & (matrix.sum(axis=1) < FEW_UPLINKS * expected * matrix.shape[1])] = 0
    rows, columns = np.nonzero(lacking)
    return [(row, column, expected) for row, column in zip(rows.tolist(), columns.tolist(), strict=True)]


def _is_uneven_by_design(lacking: NDArray[np.int64], expected: int) -> bool:
    """True where nearly all lower switches lack equally many of `expected` (16 uplinks over 9 spines are never even).

    A few switches that happen to have lost one cable of many each are no design.
    """
    usual = mode(lacking)
    enough = 4 if usual >= 0.05 * expected else 8
    return usual > 0 and len(lacking) >= enough and bool((lacking == usual).mean() >= 0.9)
