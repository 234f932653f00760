"""Health as values: conditions of HyperNodes and nodes, and what they are concluded from.

`topology.diagnosis` concludes it, `topology.conditions` puts it into words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from topology.anomaly import Anomaly
from topology.links import SETTLING, KnownLinks, Link, Places, Verdict

READY, LINKS_HEALTHY, CABLING_CONSISTENT, EVIDENCE_FRESH = (
    "Ready", "LinksHealthy", "CablingConsistent", "EvidenceFresh",
)  # fmt: skip
"""Condition types of HyperNodes."""
FABRIC_HEALTHY = "FabricHealthy"
"""Condition type of Nodes."""

MISCABLED = frozenset({"swapped-rails", "swapped-cables", "stray-cable", "nvlink-across-leaves"})
"""The only anomalies that make cabling inconsistent."""
DISPUTED = "sources-disagree"
"""The anomaly that leaves open whether cabling is consistent."""


_SETTLING = Verdict(SETTLING)


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition without its times."""

    type: str
    status: str
    """True, False or Unknown."""
    reason: str
    message: str


NEVER_UP = "NeverUp"
"""The reason of a node with nothing but ports that never were up, and should be."""
NVLINK_UNHEALTHY, NVLINK_LIMITED = "NvLinkUnhealthy", "NvLinkLimited"
"""Reasons; the second where it works with less than it should."""


@dataclass(frozen=True, slots=True)
class NvlinkFault:
    """What is wrong with a node's part of its NVLink fabric. It says nothing of where the node belongs."""

    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Freshness:
    """How old the evidence is, by whoever keeps the clock. `known` False: nobody can say yet (just started).

    Then EvidenceFresh is Unknown, which says less than any earlier word and should take the place of none.
    """

    known: bool = False
    reporting: frozenset[str] = frozenset()
    """Nodes that have a report."""
    stale_nodes: frozenset[str] = frozenset()
    stale_switches: frozenset[int] = frozenset()
    """GUIDs of switches whose last whole sweep is too old."""
    partly_swept: frozenset[int] = frozenset()
    """Those among them whose sweeper does answer, but with partial sweeps."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When a HyperNode is unready, when its evidence is stale: shares of its own links and of its nodes' reports."""

    unhealthy_links: float = 0.1
    stale_reports: float = 0.1


@dataclass(frozen=True, slots=True)
class HyperNodeHealth:
    """One HyperNode's own links counted, and what follows."""

    unhealthy: int
    total: int
    lost: tuple[Link, ...]
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Health:
    """By name."""

    hyper_nodes: Mapping[str, HyperNodeHealth]
    nodes: Mapping[str, Condition]
    """FabricHealthy of every node that has, or had, a link."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What health is concluded from, beside the tree."""

    known: KnownLinks
    places: Places
    anomalies: Sequence[Anomaly] = ()
    freshness: Freshness = Freshness()
    nvlink: Mapping[str, NvlinkFault] = field(default_factory=dict)
    """By node; those that are not in it are well, or nobody can say."""
    settling: AbstractSet[Link] = frozenset()
    """Links that came back, and not for long enough to be well."""
    never_up: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By node its ports that never were up although its peers use theirs."""

    def counted(self, link: Link) -> Verdict:
        """How a link counts: as it is, unless it settles."""
        verdict = self.known.links[link]
        return verdict if verdict.unhealthy or link not in self.settling else _SETTLING
