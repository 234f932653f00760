"""How an agent is watched: health, figures and lines of the log of what it does."""

from __future__ import annotations

import time
from collections import Counter as Tally
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

import psutil
import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge

from agent.node.assembling import report_size
from agent.node.evidence import Evidence
from agent.node.running import Look
from agent.node.watching import Kept
from cli.processes.health import Health
from cli.processes.metrics import ProcessMetrics
from discovery.lldp import Listener
from discovery.reports import ABSENT, FAILED, FOUND, ProbeOutcome
from kube.errors import ApiError

log = structlog.get_logger(__name__)

NVLINK = "NVLink"
"""As a link layer, beside those of ports."""
NOT_WRITTEN = "the report is not written yet"
"""Why an agent is not ready."""


class Watching:
    """Makes all of it. The agent is ready once its report stands in the API."""

    def __init__(
        self,
        health: Health,
        metrics: ProcessMetrics,
        registry: CollectorRegistry,
        listener: Callable[[], Listener | None] = lambda: None,
    ) -> None:
        self._health, self._metrics = health, metrics
        health.waits = NOT_WRITTEN
        self._probes = _ProbeFigures(registry)
        self._ports = Gauge(
            "hyperscout_ports", "RDMA ports of the node by their verdict, and NVLinks that are not well",
            ["link_layer", "verdict"], registry=registry,
        )  # fmt: skip
        self._seconds = Gauge(
            "hyperscout_look_duration_seconds", "How long the last look at the node took", registry=registry
        )
        self._bytes = Gauge("hyperscout_report_bytes", "Size of the report's spec as JSON", registry=registry)
        self._left_out = Gauge(
            "hyperscout_report_left_out", "What does not fit into the report", ["kind"], registry=registry
        )
        self._listener, self._frames, self._itself = listener, _Frames(registry), _Itself(registry)

    def looked(self, look: Look) -> None:
        """Alive."""
        self._health.beat()
        self._seconds.set(look.seconds)
        self._probes.looked(look.evidence)
        self._itself.looked()
        if (listener := self._listener()) is not None:
            self._frames.looked(listener)
        report = look.assembled.report
        self._bytes.set(report_size(report))
        verdicts: Tally[tuple[str, ...]] = Tally((port.linkLayer or "unknown", port.verdict) for port in report.ports)
        if report.nvlink is not None and report.nvlink.unhealthyLinks is not None:
            verdicts[NVLINK, "Unhealthy"] = report.nvlink.unhealthyLinks
        _set(self._ports, verdicts)
        _set(self._left_out, {(kind,): number for kind, number in look.assembled.left_out.items()})

    def wrote(self, verb: str, error: ApiError | None, size: int) -> None:
        """Counted."""
        del size
        self._metrics.wrote(verb, error)
        if error is None:
            self._health.synced = True
        else:
            self._health.waits = f"{NOT_WRITTEN}: {error}"


class _ProbeFigures:
    """Of each probe: how it went, how long it took, how old its evidence is; and what changed in the log, once."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._success = Gauge(
            "hyperscout_probe_success", "1 if the probe's last look went well, else 0", ["probe"], registry=registry
        )
        self._outcome = Gauge(
            "hyperscout_probe_outcome",
            "1 for the outcome of the probe's last look (Found, Absent: nothing of its kind, or Failed), else 0",
            ["probe", "outcome"],
            registry=registry,
        )
        self._seconds = Gauge(
            "hyperscout_probe_duration_seconds", "How long the probe's last look took", ["probe"], registry=registry
        )
        self._ages = _Ages(registry)
        self._told: dict[str, ProbeOutcome] = {}

    def looked(self, evidence: Evidence) -> None:
        for kept in evidence.kept:
            self._success.labels(kept.name).set(kept.outcome != FAILED)
            for outcome in (FOUND, ABSENT, FAILED):
                self._outcome.labels(kept.name, outcome).set(kept.outcome == outcome)
            self._seconds.labels(kept.name).set(kept.seconds)
            self._ages.looked(kept, evidence.at)
            self._tell(kept.told)

    def _tell(self, probe: ProbeOutcome) -> None:
        """Once, until it goes otherwise."""
        if self._told.get(probe.name) == probe:
            return
        self._told[probe.name] = probe
        say = log.warning if probe.outcome == FAILED else log.info
        say("looked at the node", probe=probe.name, outcome=probe.outcome, why=probe.reason)


class _Ages:
    """Of the evidence of each probe, at the moment that somebody asks: they grow also while nobody looks."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._gauge = Gauge(
            "hyperscout_probe_evidence_age_seconds",
            "Time since the probe's last good look; NaN before it",
            ["probe"],
            registry=registry,
        )
        self._good: dict[str, tuple[datetime | None, float]] = {}
        """By probe its last good look: as the evidence says it, and on the clock that nobody sets."""

    def looked(self, kept: Kept[Any], at: datetime) -> None:
        """The time of day may be set between two looks: the age of old evidence just goes on."""
        before = self._good.get(kept.name)
        if before is None:
            self._gauge.labels(kept.name).set_function(partial(self._age, kept.name))
        if before is None or before[0] != kept.since:
            age = kept.age(at)
            self._good[kept.name] = kept.since, float("nan") if age is None else time.monotonic() - age

    def _age(self, probe: str) -> float:
        return time.monotonic() - self._good[probe][1]


class _Frames:
    """LLDP frames that were dropped, as the listener counts them."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._dropped = Counter(
            "hyperscout_lldp_frames_dropped_total", "LLDP frames that were not used", ["reason"], registry=registry
        )
        self._before: Mapping[str, int] = {}

    def looked(self, listener: Listener) -> None:
        for reason, number in listener.dropped.items():
            self._dropped.labels(reason).inc(number - self._before.get(reason, 0))
        self._before = dict(listener.dropped)


class _Itself:
    """What the agent takes of its node."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._process, self._before = psutil.Process(), 0.0
        self._cpu = Counter(
            "hyperscout_agent_cpu_seconds_total", "CPU that the agent and its children took", registry=registry
        )
        self._memory = Gauge("hyperscout_agent_memory_bytes", "Memory that the agent holds", registry=registry)

    def looked(self) -> None:
        used = self._process.cpu_times()
        now = used.user + used.system + used.children_user + used.children_system
        self._cpu.inc(max(0.0, now - self._before))
        self._before = now
        self._memory.set(self._process.memory_info().rss)


def _set(gauge: Gauge, values: Mapping[tuple[str, ...], int]) -> None:
    """These values, and nothing of before."""
    gauge.clear()
    for labels, value in values.items():
        gauge.labels(*labels).set(value)
