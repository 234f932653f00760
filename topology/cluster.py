"""What is known of the cluster's nodes, whoever knows it: names, claimed ports, NVLink domains. Values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Claim:
    """One port of a node, as its NodeReport has it."""

    node: str
    guid: int
    """The node GUID of the adapter; 0 is unknown."""
    port: int


@dataclass(frozen=True, slots=True)
class Cluster:
    """What is known of the cluster's nodes. `names` None: every named host is a node (a map without `--nodes`)."""

    names: frozenset[str] | None = None
    """Node names, lower case."""
    aliases: Mapping[str, str | None] = field(default_factory=dict)
    """Further names of nodes (hostname label, Hostname address), lower case, each with its node; None: of several."""
    port_guids: Mapping[int, str] = field(default_factory=dict)
    """GUID of a port or adapter to the node whose NodeReport claims it."""
    contested: Mapping[int, tuple[Claim, ...]] = field(default_factory=dict)
    """GUIDs that the NodeReports of several nodes claim, with all of these claims; the first one holds it."""
    nvlink: Mapping[str, str | None] = field(default_factory=dict)
    """Node to its NVLink domain (`<cluster uuid>.<clique>`); None is "certainly in none"; an absent node is unknown."""


EVERY_HOST = Cluster()
"""Nothing is known of nodes: every named host is one."""
