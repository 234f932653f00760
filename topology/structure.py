"""The structure of the fabrics: levels of switches, domains of switches and hosts, whichever hosts are nodes.

Holds the values only. `topology.fabrics` splits the graph into fabrics, `topology.levels` gives each switch its level,
`topology.grouping` makes the domains.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

LEAF, SPINE, CORE = 0, 1, 2
"""Levels of switches count from 0 where the hosts attach; 3 is core2, and so on. -1: no level (reaches no leaf)."""


@dataclass(frozen=True, slots=True)
class Fabric:
    """One fabric: what tiers are made of. Planes of one design are one fabric."""

    name: str
    link_layer: str
    role: str
    """"compute", "storage", "management" or "unknown"."""
    rule: str
    """The rule that decided the role, in a few words for the operator."""
    planes: int
    switches: tuple[int, ...]
    """Indices into Graph.switches, ascending."""
    hosts: tuple[int, ...]
    links: int
    assumed: bool = False
    """Some of its leaves are in it only because nobody swept them (see `topology.unswept`)."""


@dataclass(frozen=True, slots=True)
class Domain:
    """Switches of one level that serve the same hosts (level 0) or the same domains below (level 1 and up)."""

    fabric: int
    level: int
    switches: tuple[int, ...]
    """The switches that make this domain, ascending. A leaf without hosts is a domain of its own."""
    parent: int | None
    """Index into Structure.domains of the domain one level up that holds most of its links; None at the top."""
    children: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """What the cables say, for all fabrics of one graph."""

    fabrics: tuple[Fabric, ...]
    fabric_of_switch: NDArray[np.int32]
    level: NDArray[np.int8]
    """By switch."""
    domain_of_switch: NDArray[np.int32]
    """By switch: index into `domains`; -1 for a switch that forms and joins none."""
    domains: tuple[Domain, ...]
    home: NDArray[np.int32]
    """Shape (fabrics, hosts): the leaf domain that holds most of the host's nominal bandwidth; -1: no link."""
    shared: NDArray[np.bool_]
    """By switch: a leaf that serves several domains and belongs to none of them."""
    mesh: tuple[bool, ...]
    """By fabric: more than a fifth of the switches have other links within their level (`not-a-tree`)."""
    tree_of_host: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    """By host: the fabric that makes its tree; -1 for a host that no fabric places."""
