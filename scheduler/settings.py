"""What an operator may set about the scheduler; the defaults are those of the documentation."""

from __future__ import annotations

from dataclasses import dataclass

SCHEDULER_NAME = "hyperscout"


@dataclass(frozen=True, slots=True)
class SchedulerSettings:
    """Names, waiting times and bounds of the scheduler; times in seconds."""

    scheduler_names: frozenset[str] = frozenset({SCHEDULER_NAME})
    """Pods with one of these as spec.schedulerName are ours."""
    debounce: float = 0.05
    """A pass begins so long after the first change, so that changes that come together are seen together."""
    resync: float = 30.0
    """A pass is made at least so often, whatever happens: a lost wake-up costs no more than that."""
    binds_at_once: int = 64
    status_interval: float = 5.0
    """At most one write of a gang's status in this time."""
    gang_bind_deadline: float = 60.0
    """A gang that has been partly bound for longer is released if none of its pods loses by it, else PartiallyBound."""
    avoid_node: float = 60.0
    """So long a gang keeps away from a node to which one of its pods could not be bound."""
