"""What an operator may decide about the controller; every time is in seconds."""

from __future__ import annotations

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
class ControllerSettings:
    """All of it."""

    sweepers: tuple[str, ...] = ()
    """Names of the SweepReports to wait for at the start; none: those that are there."""
    tree: TreeSettings = field(default_factory=TreeSettings)
    limits: Limits = field(default_factory=Limits)
    debounce: Debounce = field(default_factory=Debounce)
    times: Times = field(default_factory=Times)
    patience: Patience = field(default_factory=Patience)
