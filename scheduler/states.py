"""What is remembered of a group between passes. Losing it at a restart costs time, never correctness."""

from __future__ import annotations

from dataclasses import dataclass, field

from kube.pace import BackOff


@dataclass(slots=True)
class Stopwatch:
    """Since when something holds without a break."""

    since: float | None = None

    def note(self, holds: bool, now: float) -> None:
        """Whether it holds at this time."""
        if not holds:
            self.since = None
        elif self.since is None:
            self.since = now


@dataclass(slots=True)
class GroupState:
    """Times are those of the event loop's clock."""

    busy: bool = False
    """Its pods are being bound or evicted at this moment: no pass looks at it."""
    fresh: bool = False
    """Pods of it have been bound since the last verdict."""
    avoid: dict[str, float] = field(default_factory=dict)
    """Nodes to which a pod could not be bound, and until when the group keeps away from them."""
    not_done: dict[str, int] = field(default_factory=dict)
    """How often in a row the server did not bind a pod to a node, without a word against the node."""
    pauses: BackOff = field(default_factory=BackOff)
    not_before: float = 0.0
    """After a refused binding: when to try again."""
    failure: str = ""
    """What the server said to that binding."""
    partial: Stopwatch = field(default_factory=Stopwatch)
    """Some of its pods are bound, and fewer than min_member."""
    stuck: Stopwatch = field(default_factory=Stopwatch)
    """The same, and nothing but a place is missing for the others."""
    kept: str = ""
    """Why its bound pods were not evicted when that was due."""
    releases: BackOff = field(default_factory=BackOff)
    release_at: float = 0.0
    """After a release that could not be made: when to try again."""

    def note(self, partly: bool, stuck: bool, now: float) -> None:
        """How the group is found at this time."""
        self.partial.note(partly, now)
        self.stuck.note(partly and stuck, now)
        if not partly:
            self.kept = ""

    def avoided(self, now: float) -> list[str]:
        """The nodes to keep away from at this time."""
        self.avoid = {node: until for node, until in self.avoid.items() if until > now}
        return list(self.avoid)
