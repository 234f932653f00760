"""Conditions: lists that are written whole, so ours are merged into them and foreign ones kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from kube.meta import Condition


def merge_conditions(
    present: Sequence[Condition], ours: Iterable[Condition], now: datetime
) -> tuple[Condition, ...] | None:
    """The list to write: ours in the place of those of the same type, or at the end; None when nothing changes.

    `now` becomes the transition time of those whose status is new; times given in `ours` are not looked at. The server
    requires a reason and a message of every condition, which the structs leave out where they are empty.
    """
    merged = {condition.type: condition for condition in present}
    for condition in ours:
        known = merged.get(condition.type)
        same = known is not None and known.status == condition.status and known.last_transition_time is not None
        since = known.last_transition_time if known is not None and same else now
        merged[condition.type] = msgspec.structs.replace(condition, last_transition_time=since)
    result = tuple(merged.values())
    return None if result == tuple(present) else result
