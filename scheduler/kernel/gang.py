"""A gang: pods that start together or not at all, as the kernel sees them.

Holds the values only. Whoever reads PodGroups, Jobs or `--gang` fills them in as they stand; what contradicts itself
or is not understood is answered by `place` with a Refusal that names it, never by an exception and never by a guess.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from scheduler.kernel.requirements import ANYWHERE, NodeRequirements

Mode = Literal["hard", "soft", "none"]
"""hard: inside one HyperNode of an allowed tier. soft: the lowest tier that fits, then wider. none: anywhere."""


@dataclass(frozen=True, slots=True)
class PodClass:
    """Pods of a gang that are alike: what they ask for and where they may go."""

    name: str
    count: int
    requests: Mapping[str, int]
    """Resource to amount a pod, in canonical units (`quantity`): milli-CPU, bytes, whole numbers of anything else.
    The one of `pods` that every pod takes is added by the kernel."""
    requirements: NodeRequirements = ANYWHERE
    ranks: tuple[int, ...] = ()
    """The rank of each pod in the whole gang; empty: in the order of classes and pods."""
    minimum: int = 0
    """The least number of this class that the gang needs (Volcano's minTaskMember)."""
    unsupported: tuple[str, ...] = ()
    """What its pods ask for and the kernel lacks, one phrase each; anything here refuses the gang by name."""


@dataclass(frozen=True, slots=True)
class Gang:
    """The pods to place now, together, and the rules that hold for them."""

    name: str
    classes: tuple[PodClass, ...]
    mode: Mode = "none"
    highest_tier: int | None = None
    """highestTierAllowed: the bound of a hard gang. The other modes are not bounded by it."""
    highest_tier_name: str | None = None
    """highestTierName; giving both is refused."""
    min_member: int | None = None
    """The least number of pods, bound ones included; None: all of them."""
    bound: tuple[str, ...] = ()
    """The node of each live pod of the gang that is bound already, one entry a pod; these pin the domain. What they
    hold is not free in the snapshot, and they are not among `classes`."""
    priority: int = 0

    @property
    def pods(self) -> int:
        """How many pods are to be placed."""
        return sum(pod_class.count for pod_class in self.classes)

    @property
    def least(self) -> int:
        """How many of them a placement must hold at least: what min_member still lacks, and never nothing."""
        if self.min_member is None:
            return self.pods
        return max(1, self.min_member - len(self.bound), sum(pod_class.minimum for pod_class in self.classes))
