"""The static tree: every HyperNode is a slice of one order of nodes.

Built once for a set of HyperNodes and nodes and shared by all snapshots of it. Nodes lie in tree order (depth first,
names in natural order), so a domain is `start:end`, its capacity the difference of two prefix sums, and neighbouring
positions are neighbours in the fabric. Prefix sums are kept only where some domain begins or ends (`cuts`): there are
far fewer of them than nodes. All HyperNodes count, foreign ones too: trees of uneven depth, several roots,
members that do not exist. `build` (module `tree_build`) keeps the sound part and names the rest as problems.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

ProblemKind = Literal[
    "duplicate-name", "dangling-member", "cycle", "tier-order", "second-parent", "node-in-two", "tier-name-conflict"
]


Domains = NDArray[np.integer]
"""Several domains, by index."""

Number = TypeVar("Number", np.int64, np.float64)


@dataclass(frozen=True, slots=True)
class HyperNodeEntry:
    """One HyperNode as plain values: what its object says, whoever wrote it."""

    name: str
    tier: int
    tier_name: str = ""
    children: tuple[str, ...] = ()
    """Members that are HyperNodes."""
    nodes: tuple[str, ...] = ()
    """Members that are nodes, selectors already resolved. Naming nodes of the children again does no harm."""


@dataclass(frozen=True, slots=True)
class TreeProblem:
    """A part of the tree that is kept out, by name. A domain that loses a member by it is only smaller, never wrong."""

    kind: ProblemKind
    where: tuple[str, ...]
    """The HyperNodes concerned."""
    detail: str


@dataclass(frozen=True, slots=True)
class Tier:
    """All HyperNodes of one tier number, as the slice `first:last` of the domains. Their node slices are disjoint."""

    number: int
    names: tuple[str, ...]
    """The tier names in use at this number, sorted; usually one."""
    first: int
    last: int

    @property
    def label(self) -> str:
        """`tier 2 (leaf)`."""
        return f"tier {self.number} ({', '.join(self.names)})" if self.names else f"tier {self.number}"


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Domains as columns, ordered by tier and position; then two that are no HyperNode: `top` and `outside`."""

    names: tuple[str, ...]
    """Names of the HyperNodes; `top` and `outside` have none."""
    parent: NDArray[np.int32]
    """The parent domain; `top` for a root, -1 for `top` and `outside`."""
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    direct: NDArray[np.int64]
    """Nodes `direct:end` are members of the domain itself; those before lie in its children."""
    cuts: NDArray[np.int64]
    """Every place where some domain begins or ends, ascending, each once; 0 and the number of nodes included."""
    first_cut: NDArray[np.int64]
    last_cut: NDArray[np.int64]
    """By domain: the cuts of its start and its end."""
    child_offset: NDArray[np.int64]
    child: NDArray[np.int32]
    """Children of domain d, in tree order: `child[child_offset[d]:child_offset[d + 1]]`."""
    tiers: tuple[Tier, ...]
    """Ascending."""
    tier_numbers: Mapping[str, tuple[int, ...]]
    """Tier name to its numbers; more than one is a conflict, and a gang that uses the name is refused."""
    node_names: NDArray[np.object_]
    """All nodes in tree order; those in no HyperNode are last."""
    home: NDArray[np.int32]
    """By node: its lowest domain; `outside` for a node in no HyperNode."""
    position: Mapping[str, int]
    """Node name to its place in tree order."""
    index: Mapping[str, int]
    """HyperNode name to its domain."""
    problems: tuple[TreeProblem, ...]

    @property
    def top(self) -> int:
        """The domain of the whole cluster: all roots, and the nodes in no HyperNode."""
        return len(self.names)

    @property
    def outside(self) -> int:
        """The domain of the nodes in no HyperNode."""
        return len(self.names) + 1

    @property
    def placed(self) -> int:
        """How many nodes some HyperNode holds; the first in tree order."""
        return int(self.start[self.outside])

    def sums_before(self, values: NDArray[Number]) -> NDArray[Number]:
        """By cut: the sum of the values of all nodes before it."""
        sums = np.zeros(len(self.cuts), dtype=values.dtype)
        if len(values):
            np.cumsum(np.add.reduceat(values, self.cuts[:-1]), out=sums[1:])
        return sums

    def sums_within(self, before: NDArray[Number], domains: Domains) -> NDArray[Number]:
        """By domain: the sum over its nodes, from `sums_before`."""
        return before[self.last_cut[domains]] - before[self.first_cut[domains]]

    def tier_of(self, domain: int) -> Tier | None:
        """The tier of a domain; None for `top` and `outside`."""
        return next((tier for tier in self.tiers if tier.first <= domain < tier.last), None)

    def children_of(self, domain: int) -> NDArray[np.int32]:
        """The child domains, in tree order."""
        return self.child[self.child_offset[domain] : self.child_offset[domain + 1]]
