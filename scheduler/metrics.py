"""The scheduler's own figures for Prometheus. docs/reference/metrics.md lists them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from prometheus_client import CollectorRegistry, Counter, Histogram

from kube.pod import Pod
from scheduler.groups import GroupKey
from scheduler.reporter import Statement

SECONDS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 60.0, 300.0, 1800.0, 7200.0, 43200.0)


class SchedulerMetrics:
    """Registers them, and counts what passes say of gangs: each change of mind once."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._wait = Histogram(
            "hyperscout_gang_wait_seconds",
            "From the creation of a gang's first pod until min_member of its pods are bound by us",
            buckets=SECONDS,
            registry=registry,
        )
        self._refusals = Counter(
            "hyperscout_gang_refusals_total",
            "Gangs that were refused their places, counted when the reason is new",
            ["reason"],
            registry=registry,
        )
        self._said: dict[GroupKey, tuple[bool, str]] = {}

    def judged(self, statement: Statement, pods: Sequence[Pod]) -> None:
        """A pass came to this statement of a group with these pods."""
        verdict = statement.verdict
        if verdict is None:
            return
        said = (verdict.placed, verdict.reason)
        if self._said.get(statement.key) == said:
            return
        self._said[statement.key] = said
        if not verdict.placed:
            self._refusals.labels(str(verdict.reason)).inc()
        elif statement.fresh:
            born = [pod.metadata.creation_timestamp for pod in pods if pod.metadata.creation_timestamp is not None]
            if born:
                self._wait.observe(max(0.0, (datetime.now(UTC) - min(born)).total_seconds()))

    def gone(self, key: GroupKey) -> None:
        """The group has no pods any more."""
        self._said.pop(key, None)
