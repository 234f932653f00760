"""Small operations on integer columns that several modules of this room need: components, counted pairs, majorities.

All arguments and results are numpy arrays; every result is in a stable order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.int64]


def connected_components(count: int, a: NDArray[np.int32], b: NDArray[np.int32]) -> NDArray[np.int32]:
    """Number the connected parts of `count` vertices joined by the edges a-b; parts count from 0 by lowest vertex."""
    label = np.arange(count, dtype=np.int64)
    if len(a):
        left, right = a.astype(np.int64), b.astype(np.int64)
        while True:
            low = np.minimum(label[left], label[right])
            before = label.copy()
            np.minimum.at(label, left, low)
            np.minimum.at(label, right, low)
            label = np.minimum(label, label[label])
            if np.array_equal(before, label):
                break
    return np.unique(label, return_inverse=True)[1].astype(np.int32)


def counted_pairs(
    a: NDArray[np.int32], b: NDArray[np.int32], weight: NDArray[np.float64] | None = None
) -> tuple[Index, Index, NDArray[np.float64]]:
    """The distinct pairs (a, b) in ascending order with how often each occurs, or with the sum of their weights."""
    if not len(a):
        empty = np.empty(0, np.int64)
        return empty, empty, np.empty(0, np.float64)
    span = int(b.max()) + 1
    key = a.astype(np.int64) * span + b
    distinct, inverse = np.unique(key, return_inverse=True)
    total = np.bincount(inverse, weights=weight, minlength=len(distinct)).astype(np.float64)
    return distinct // span, distinct % span, total


def heaviest(owner: Index, choice: Index, weight: NDArray[np.float64], count: int) -> NDArray[np.int32]:
    """For each owner 0..count-1 the choice with most weight (a tie: the lowest choice); -1 where it has none."""
    result = np.full(count, -1, np.int32)
    order = np.lexsort((-choice, weight, owner))
    result[owner[order]] = choice[order]  # the last row of each owner wins: most weight, then the lowest choice
    return result


def mode(values: NDArray[np.integer]) -> int:
    """The most frequent value, the larger of two that are equally frequent; 0 for no values."""
    if not len(values):
        return 0
    distinct, counts = np.unique(values, return_counts=True)
    return int(distinct[len(counts) - 1 - int(np.argmax(counts[::-1]))])
