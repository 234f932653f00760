"""Cables between switches of neighbouring levels: where a pair has fewer than its like, and where a switch has too few.

The upper switches of a domain are gathered by the lower switches they serve (the rail planes of a pod); within one such
plane every pair is expected to have what most pairs have. Planes without a clear custom give no verdict.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from topology.anomalies.cabling import Cabling
from topology.anomaly import Anomaly
from topology.columns import counted_pairs, mode

PAIRS = 4
"""A plane of fewer pairs has no custom."""

MEMBER = 0.6
"""A lower switch belongs to a plane when it reaches more than this share of its upper switches, or all but one."""


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


def find_shortages(cabling: Cabling, trunks: Trunks) -> list[Shortage]:
    """Every pair that has fewer cables than most pairs of its plane, those without any included."""
    domain = cabling.structure.domain_of_switch[trunks.upper]
    rows = np.flatnonzero(domain >= 0)
    rows = rows[np.argsort(domain[rows], kind="stable")]
    if not len(rows):
        return []
    cuts = np.flatnonzero(np.diff(domain[rows])) + 1
    return [
        shortage
        for block in np.split(rows, cuts)
        for plane in _planes(trunks.lower[block], trunks.upper[block])
        for shortage in _plane_shortages(trunks, block[plane])
    ]


def missing_links(cabling: Cabling, shortages: list[Shortage]) -> Iterator[Anomaly]:
    """One `missing-link` a pair of switches."""
    for short in shortages:
        cables = "cable" if short.expected == 1 else "cables"
        yield cabling.anomaly(
            "missing-link",
            "warning",
            int(cabling.structure.fabric_of_switch[short.lower]),
            (cabling.switch_end(short.lower), cabling.switch_end(short.upper)),
            f"{cabling.switch(short.lower)} has {short.found} of {short.expected} {cables} to "
            f"{cabling.switch(short.upper)}: {short.found} found, {short.expected} expected.",
        )


def _planes(lower: NDArray[np.int64], upper: NDArray[np.int64]) -> Iterator[NDArray[np.bool_]]:
    """The rows of each plane: upper switches that share half of their lower switches with the plane's fullest one."""
    _, low = np.unique(lower, return_inverse=True)
    uppers, high = np.unique(upper, return_inverse=True)
    size = np.bincount(high, minlength=len(uppers))
    free = np.ones(len(uppers), np.bool_)
    while free.any():
        first = int(np.argmax(np.where(free, size, -1)))
        served = np.zeros(int(low.max()) + 1, np.bool_)
        served[low[high == first]] = True
        common = np.bincount(high[served[low]], minlength=len(uppers))
        plane = free & (2 * common >= np.maximum(size, size[first]))
        free &= ~plane
        yield plane[high]


def _plane_shortages(trunks: Trunks, rows: NDArray[np.int64]) -> Iterator[Shortage]:
    lowers, low = np.unique(trunks.lower[rows], return_inverse=True)
    uppers, high = np.unique(trunks.upper[rows], return_inverse=True)
    matrix = np.zeros((len(lowers), len(uppers)), np.int64)
    matrix[low, high] = trunks.cables[rows]
    reached = (matrix > 0).sum(axis=1)
    member = (reached > MEMBER * len(uppers)) | (reached == len(uppers) - 1)
    lowers, matrix = lowers[member], matrix[member]
    expected = mode(matrix.ravel())
    if matrix.size < PAIRS or expected == 0 or 2 * (matrix == expected).sum() <= matrix.size:
        return
    lacking = np.maximum(expected - matrix, 0)
    if _is_uneven_by_design(lacking.sum(axis=1)) or _is_uneven_by_design(lacking.sum(axis=0)):
        return
    for row, column in zip(*(where.tolist() for where in np.nonzero(lacking)), strict=True):
        yield Shortage(int(lowers[row]), int(uppers[column]), int(matrix[row, column]), expected)


def _is_uneven_by_design(lacking: NDArray[np.int64]) -> bool:
    """True where nearly all switches lack the same number (16 uplinks over 9 spines cannot be even)."""
    usual = mode(lacking)
    return len(lacking) >= 4 and usual > 0 and bool((lacking == usual).mean() >= 0.9)
