"""What hangs below the top of a fabric, not above it: switches without hosts that are cabled upward as known ones are.

A core joins switches that have nothing below in common. A switch all of whose neighbours serve one and the same switch
may as well be one more of that kind, which is cabled upward before its hosts, or of which only some neighbours have
told yet. Such a one begins no new level: that takes others like it that together reach most of what it reaches in part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from topology.graph import Graph
from topology.neighbours import Neighbours

Mask = NDArray[np.bool_]
Levels = NDArray[np.int8]


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What is known of each switch: the connected part it is in, and whether only neighbours named it."""

    component: NDArray[np.int32]
    named_only: Mask

    @staticmethod
    def of(graph: Graph) -> Told:
        named_only = np.zeros(len(graph.switches), np.bool_)
        named_only[list(graph.unswept)] = True
        return Told(graph.component, named_only)


@dataclass(frozen=True, slots=True)
class _Kin:
    """A known switch that has more than half of some others as its own neighbours."""

    above: frozenset[int]
    """Those others."""
    uppers: frozenset[int]
    """All neighbours of the known one above it."""

    @property
    def enough(self) -> bool:
        """Whether those in common are half of its own at least."""
        return 2 * len(self.above & self.uppers) >= len(self.uppers)


def empty_leaves(near: Neighbours, leaf: Mask, hosts: NDArray[np.int64], told: Told) -> Mask:
    """Switches without a host whose uplinks are those of a leaf: leaves whose hosts are gone or not there yet."""
    result = np.zeros(len(leaf), np.bool_)
    distance = near.distances(leaf)
    uplinks = np.diff(near.start)
    widest = int(uplinks[leaf].max()) if leaf.any() else 0
    loose = _Loose(told)
    for switch in np.flatnonzero(distance == 2).tolist():
        beside = near.of(switch)
        above = beside[distance[beside] == 1]
        like = hosts[switch] == 0 and uplinks[switch] <= 2 * widest and 2 * len(above) > len(beside)
        kin = _find_kin(near, leaf, ~leaf, above) if like else None
        if kin is not None and kin.enough:
            result[switch] = True
        else:
            loose.add(switch, kin)
    result[loose.hang()] = True
    return result


def fold_empty_branches(near: Neighbours, level: Levels, told: Told) -> None:
    """A branch without any host hangs below the top, not above it: a switch whose lower neighbours are the uplinks of
    a known switch two levels down stands beside that one, and what hangs on it alone stands below it."""
    for height in range(3, int(level.max(initial=0)) + 1):
        loose = _Loose(told)
        for switch in np.flatnonzero(level == height).tolist():
            if level[switch] != height:
                continue
            kin = _kin_below(near, level, switch)
            if kin is not None and kin.enough:
                _fold(near, level, switch)
            else:
                loose.add(switch, kin)
        for switch in loose.hang():
            _fold(near, level, switch)


def leave_open(near: Neighbours, level: Levels, told: Told) -> None:
    """A switch that only neighbours named has no level where it may be one more of those two levels down and too few
    have named it to tell, and neither has what is reached by way of such alone."""
    if not told.named_only.any():
        return
    for height in range(2, int(level.max(initial=0)) + 1):
        for switch in np.flatnonzero(level == height).tolist():
            beside = level[near.of(switch)]
            if not (beside == height - 1).any():
                level[switch] = -1
            elif told.named_only[switch]:
                kin = _kin_below(near, level, switch)
                level[switch] = height if kin is None or kin.enough else -1


@dataclass(slots=True)
class _Loose:
    """Switches of one height that have but a smaller part of the uplinks of their kin."""

    told: Told
    partly: dict[int, _Kin] = field(default_factory=dict)
    grown: set[int] = field(default_factory=set)
    """Parts of the graph where this level is there for certain."""

    def add(self, switch: int, kin: _Kin | None) -> None:
        if kin is None:
            self.grown.add(int(self.told.component[switch]))
        elif not self.told.named_only[switch]:
            self.partly[switch] = kin

    def hang(self) -> list[int]:
        """Those that begin no level of their own: all like them together reach less than half of what their kin do."""
        reached: Mapping[int, set[int]] = defaultdict(set)
        for switch, kin in self.partly.items():
            reached[self._part(switch)].update(kin.above)
        return [
            switch
            for switch, kin in self.partly.items()
            if self._part(switch) not in self.grown and self._few(reached[self._part(switch)], kin)
        ]

    def _part(self, switch: int) -> int:
        return int(self.told.component[switch])

    @staticmethod
    def _few(reached: AbstractSet[int], kin: _Kin) -> bool:
        return 2 * len(reached & kin.uppers) < len(kin.uppers)


def _kin_below(near: Neighbours, level: Levels, switch: int) -> _Kin | None:
    height = int(level[switch])
    beside = near.of(switch)
    beneath = beside[level[beside] == height - 1]
    return _find_kin(near, level == height - 2, level == height - 1, beneath)


def _find_kin(near: Neighbours, known: Mask, upper: Mask, above: NDArray[np.int64]) -> _Kin | None:
    """The best of the known switches that have more than half of `above` as their neighbours; None where none has."""
    if not len(above):
        return None
    beneath = np.concatenate([near.of(switch) for switch in above.tolist()])
    candidates, common = np.unique(beneath[known[beneath]], return_counts=True)
    found: _Kin | None = None
    shared = frozenset(above.tolist())
    for switch in candidates[2 * common > len(above)].tolist():
        own = near.of(switch)
        kin = _Kin(shared, frozenset(own[upper[own]].tolist()))
        if kin.enough:
            return kin
        found = found or kin
    return found


def _fold(near: Neighbours, level: Levels, switch: int) -> None:
    height = int(level[switch])
    beside = near.of(switch)
    level[switch] = height - 2
    level[beside[level[beside] == height + 1]] = height - 3
