"""Which switches are beside each other, in columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from topology.columns import counted_pairs
from topology.graph import Graph


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """The switches beside each switch, in one column: those of switch `s` are `other[start[s]:start[s + 1]]`."""

    start: NDArray[np.int64]
    other: NDArray[np.int64]
    cables: NDArray[np.float64]

    def of(self, switch: int) -> NDArray[np.int64]:
        """The distinct neighbours of one switch, ascending."""
        return self.other[self.start[switch] : self.start[switch + 1]]

    def owners(self) -> NDArray[np.int64]:
        """For each entry of `other` the switch it belongs to."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    def distances(self, start: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Cables to the nearest switch of `start`; -1 where there is no way."""
        distance = np.where(start, 0, -1).astype(np.int64)
        owner = self.owners()
        step = 0
        while True:
            reached = self.other[distance[owner] == step]
            fresh = reached[distance[reached] < 0]
            if not len(fresh):
                return distance
            step += 1
            distance[fresh] = step


def neighbours_of(graph: Graph) -> Neighbours:
    """Every pair of switches with a cable between them, from both sides; cables to oneself are left out."""
    trunks = graph.trunks
    apart = trunks.a != trunks.b
    near = np.concatenate([trunks.a[apart], trunks.b[apart]])
    far = np.concatenate([trunks.b[apart], trunks.a[apart]])
    owner, other, cables = counted_pairs(near, far)
    start = np.zeros(len(graph.switches) + 1, np.int64)
    np.cumsum(np.bincount(owner, minlength=len(graph.switches)), out=start[1:])
    return Neighbours(start, other, cables)
