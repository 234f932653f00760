"""HyperNode documents: what stands in the API server, as values.

A document is the part of a HyperNode object that we own: name, tier, tier name, members, our labels and annotations. The
plan (`topology.plan`) compares two sets of them; `kube` carries them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MemberKind = Literal["Node", "HyperNode"]

SOURCE_LABEL = "volcano.sh/network-topology-source"
SOURCE = "hyperscout"


@dataclass(frozen=True, slots=True)
class Document:
    """One HyperNode as it is written. Members are exact names of one kind, sorted."""

    name: str
    tier: int
    tier_name: str
    member_kind: MemberKind
    members: tuple[str, ...]
    annotations: tuple[tuple[str, str], ...] = ()
