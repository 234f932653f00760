"""What `place` answers: a Placement, or a Refusal that says why, with what was seen in each tier.

Holds the values only. `explain` turns them into sentences, bounded in length.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from scheduler.kernel.gang import Gang, PodClass
from scheduler.kernel.tree import Tree


class Reason(StrEnum):
    """Why a gang is not placed, as a condition's reason."""

    DOES_NOT_FIT = "DoesNotFit"
    NO_PODS = "NoPods"
    TOO_FEW_PODS = "TooFewPods"
    TIER_MISSING = "TierMissing"
    TIER_GIVEN_TWICE = "TierGivenTwice"
    TIER_NAME_UNKNOWN = "TierNameUnknown"
    TIER_NAME_AMBIGUOUS = "TierNameAmbiguous"
    TIER_BELOW_ALL = "TierBelowAll"
    NO_HYPER_NODES = "NoHyperNodes"
    NOT_UNDERSTOOD = "NotUnderstood"
    BOUND_APART = "BoundApart"
    BOUND_NODE_UNKNOWN = "BoundNodeUnknown"
    NOT_JUDGED = "NotJudged"
    """Given by whoever asks `place`, when that fails."""


@dataclass(frozen=True, slots=True)
class Shortage:
    """A resource that the eligible nodes of a domain are short of, for one class of pods. In canonical units."""

    pod_class: str
    resource: str
    pods: int
    """Pods that should find room."""
    fits: int
    """Pods of them that this resource alone has room for, node by node: fewer than free // request where it is
    fragmented."""
    free: int
    """Sum over the eligible nodes; nodes that are over-committed count as 0."""
    needed: int
    largest: int
    """The most that one eligible node has free."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Nodes of a domain that some class may not use, and what keeps it away."""

    predicate: str
    nodes: int


@dataclass(frozen=True, slots=True)
class TierReport:
    """What was found in one tier: the best domain, and what it lacked."""

    tier: int | None
    """None: the whole cluster, or the nodes outside every HyperNode."""
    label: str
    """`tier 2 (leaf)`, `the whole cluster`, `nodes outside every HyperNode`."""
    domains: int
    """How many were looked at."""
    fitting: int
    """How many have room for the pods that were placed; where these are of several kinds, for each kind alone."""
    best: str | None
    """The HyperNode that takes the most pods; None where the tier is no HyperNode's, or has none."""
    fits: int
    """The most pods of this gang that one domain takes: the largest gang of this kind that fits there."""
    nodes: int = 0
    """Nodes in the best domain."""
    shortages: tuple[Shortage, ...] = ()
    exclusions: tuple[Exclusion, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Assignment:
    """Where the pods of one class go."""

    pod_class: PodClass
    pods: NDArray[np.int32]
    """Indices of the placed pods in their class, ascending: all of them, unless only min_member fit."""
    nodes: NDArray[np.int32]
    """The position of each one's node in tree order (Tree.node_names)."""


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """A node for every pod, or at least for min_member of them."""

    gang: Gang
    tree: Tree
    domain: str | None
    """The HyperNode that holds all of them; None: the whole cluster, or nodes outside every HyperNode."""
    tier: int | None
    assignments: tuple[Assignment, ...]
    """One a class, in the gang's order."""
    complete: bool
    """False when only part of the gang, at least min_member, found room."""
    unhealthy_links: int
    links: int
    """Links of the domain and everything below it."""
    tiers: tuple[TierReport, ...]
    """From the lowest tier to the chosen one."""

    def node_names(self, index: int) -> NDArray[np.object_]:
        """Names of the nodes of class `index`, one for each entry of its assignment's `pods`."""
        return self.tree.node_names[self.assignments[index].nodes]


@dataclass(frozen=True, slots=True)
class Refusal:
    """No placement, and why."""

    gang: Gang
    reason: Reason
    detail: str
    """What is wrong, in one sentence without a full stop."""
    tiers: tuple[TierReport, ...] = ()
    """From the lowest tier to the highest allowed one; empty where the question itself is refused."""
