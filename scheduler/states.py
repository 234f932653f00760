"""What is remembered of a group between passes. Losing it at a restart costs time, never correctness."""

from __future__ import annotations

from dataclasses import dataclass, field

from kube.pace import BackOff


@dataclass(slots=True)
class GroupState:
    """Times are those of the event loop's clock."""

    binding: bool = False
    """Its pods are being bound at this moment: no pass looks at it."""
    fresh: bool = False
    """Pods of it have been bound since the last verdict."""
    avoid: dict[str, float] = field(default_factory=dict)
    """Nodes to which a pod could not be bound, and until when the group keeps away from them."""
    pauses: BackOff = field(default_factory=BackOff)
    not_before: float = 0.0
    """After a refused binding: when to try again."""
    failure: str = ""
    """What the server said to that binding."""
    partial_since: float | None = None
    """Since when some of its pods are bound, and fewer than min_member."""

    def avoided(self, now: float) -> list[str]:
        """The nodes to keep away from at this time."""
        self.avoid = {node: until for node, until in self.avoid.items() if until > now}
        return list(self.avoid)

    def note_partial(self, partial: bool, now: float) -> float | None:
        """For how many seconds the group has been partly bound; None when it is not."""
        if not partial:
            self.partial_since = None
            return None
        if self.partial_since is None:
            self.partial_since = now
        return now - self.partial_since
