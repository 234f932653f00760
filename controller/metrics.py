"""The controller's own figures for Prometheus. docs/reference/metrics.md lists them."""

from __future__ import annotations

import collections

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from controller.decide import Outcome
from topology.health import READY

SECONDS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)


class ControllerMetrics:
    """Registers them, and sets them from what a look concluded."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._reconcile = Histogram(
            "hyperscout_reconcile_duration_seconds",
            "One look: to conclude from all reports and write what differs",
            buckets=SECONDS,
            registry=registry,
        )
        self._domains = Gauge(
            "hyperscout_domains",
            "HyperNodes of ours by tier and condition Ready",
            ["tier", "ready"],
            registry=registry,
        )
        self._links = Gauge(
            "hyperscout_links",
            "Links by the tier of the HyperNode that they belong to",
            ["tier", "state"],
            registry=registry,
        )
        self._held_back = Gauge(
            "hyperscout_taints_held_back",
            "Nodes with an unhealthy fabric that a limit keeps from the taint",
            registry=registry,
        )
        self._waiting = Gauge(
            "hyperscout_journal_waiting",
            "Changes that could not be written to the journal yet",
            registry=registry,
        )
        self._lost = Counter(
            "hyperscout_journal_lost_total",
            "Changes that are in no journal, for too many waited",
            registry=registry,
        )
        self._lost_before = 0

    def journaled(self, waiting: int, lost: int) -> None:
        """So many changes wait now, and so many were lost since the start."""
        self._waiting.set(waiting)
        self._lost.inc(lost - self._lost_before)
        self._lost_before = lost

    def reconciled(self, seconds: float) -> None:
        """A look took so long."""
        self._reconcile.observe(seconds)

    def concluded(self, outcome: Outcome) -> None:
        """The tree is this one now; tiers that it has not any more go."""
        self._held_back.set(sum(len(held.nodes) for held in outcome.nodes.taints.held_back))
        domains, links = collections.Counter[tuple[str, str]](), collections.Counter[tuple[str, str]]()
        for document in outcome.desired:
            tier, health = document.tier_name, outcome.health.hyper_nodes[document.name]
            ready = next((found.status for found in health.conditions if found.type == READY), "Unknown")
            domains[tier, ready.lower()] += 1
            links[tier, "unhealthy"] += health.unhealthy
            links[tier, "healthy"] += health.total - health.unhealthy
        for gauge, counted in ((self._domains, domains), (self._links, links)):
            gauge.clear()
            for (tier, state), number in counted.items():
                gauge.labels(tier, state).set(number)
