"""Conditions: ours go in, foreign ones stay, times move only on transitions."""

from __future__ import annotations

from datetime import UTC, datetime

from kube.conditions import merge_conditions
from kube.types import Condition

THEN = datetime(2026, 1, 1, tzinfo=UTC)
NOW = datetime(2026, 1, 2, tzinfo=UTC)


def condition(type_: str, status: str, reason: str = "R", since: datetime | None = THEN) -> Condition:
    return Condition(type=type_, status=status, reason=reason, last_transition_time=since)


def test_foreign_conditions_stay_where_they_are() -> None:
    merged = merge_conditions([condition("Foreign", "True")], [condition("Ready", "True", since=None)], NOW)
    assert merged == (condition("Foreign", "True"), condition("Ready", "True", since=NOW))


def test_the_time_moves_only_when_the_status_does() -> None:
    present = [condition("Ready", "True"), condition("LinksHealthy", "True")]
    ours = [condition("Ready", "True", "Other"), condition("LinksHealthy", "False", since=None)]
    merged = merge_conditions(present, ours, NOW)
    assert merged == (condition("Ready", "True", "Other"), condition("LinksHealthy", "False", since=NOW))


def test_nothing_is_written_when_nothing_changes() -> None:
    assert merge_conditions([condition("Ready", "True")], [condition("Ready", "True", since=None)], NOW) is None
