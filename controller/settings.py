"""What an operator may decide about the controller; every time is in seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from topology.conclude import Settings as TreeSettings
from topology.health import Limits


@dataclass(frozen=True, slots=True)
class Debounce:
    """How long the world must be quiet before it is looked at, and how long it is waited for that at most."""

    quiet: float = 1.0
    longest: float = 5.0


@dataclass(frozen=True, slots=True)
class Times:
    """How long evidence lasts and how long things are held."""

    report_period: float = 300.0
    """Between two heartbeats of an agent."""
    sweep_period: float = 300.0
    """Between two sweeps."""
    cold_start: float = 600.0
    """So long a source that has not given a complete view holds up all writing."""
    node_hold: float = 600.0
    """So long a deleted Node keeps its place, in case its name returns."""
    link_hold: float = 1800.0
    """So long a link that was lost has to be up again before it is well: what flaps turns no condition each time."""
    look_again: float = 30.0
    """A look at least so often, for what only time changes."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How many whole sweeps must agree before something is taken away."""

    moves: int = 3
    """Before a node is moved to another HyperNode."""
    missing: int = 5
    """Before a switch that is missing leaves the graph."""


@dataclass(frozen=True, slots=True)
class NodeMarks:
    """What Nodes get beside the condition FabricHealthy: nothing, unless somebody asks for it."""

    labels: bool = False
    """`hyperscout.io/<tier>`: the name of the HyperNode of that tier."""
    other_labels: Mapping[str, str] = field(default_factory=dict)
    """Keys of others that get the same, each with its tier."""
    taint: str = ""
    """Effect of the taint of nodes whose fabric is unhealthy; none: no taint."""
    tainted_of_domain: float = 0.1
    """Share of the nodes of a lowest HyperNode that may be tainted; at least one."""
    tainted_of_cluster: float = 0.1
    """The same of all Nodes."""

    @property
    def edits_nodes(self) -> bool:
        """Whether anything but their status is written."""
        return bool(self.labels or self.other_labels or self.taint)


@dataclass(frozen=True, slots=True)
class ControllerSettings:
    """All of it."""

    namespace: str = ""
    """Where the journal of changes is kept; "": none is."""
    sweepers: tuple[str, ...] = ()
    """Names of the SweepReports to wait for at the start; none: those that are there."""
    adopt: tuple[str, ...] = ()
    """Names of HyperNodes of others that are taken over."""
    plain_ethernet: bool = False
    """Whether interfaces without an RDMA device make tiers, too."""
    migrate_tiers: bool = False
    """Whether HyperNodes that stand with other tier numbers than the table's get those; else theirs stand."""
    tree: TreeSettings = field(default_factory=TreeSettings)
    limits: Limits = field(default_factory=Limits)
    debounce: Debounce = field(default_factory=Debounce)
    times: Times = field(default_factory=Times)
    patience: Patience = field(default_factory=Patience)
    nodes: NodeMarks = field(default_factory=NodeMarks)
