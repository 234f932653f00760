"""How the sweeping of a fabric is watched: health and figures of what the sweeper does."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge

from agent.sweeper.infiniband.counting import Counted
from agent.sweeper.infiniband.reading import Subnet
from cli.processes.health import Health
from cli.processes.metrics import ProcessMetrics
from discovery.reports import COMPLETE, DEGRADED, DOWN, FLAPPING, UNKNOWN, UP, SweepReport
from kube.errors import ApiError

_VERDICTS = (UP, DEGRADED, FLAPPING, DOWN, UNKNOWN)


class Watching:
    """Makes health and figures of it. A replica that stands by is ready, too."""

    def __init__(self, health: Health, metrics: ProcessMetrics, registry: CollectorRegistry) -> None:
        self._health, self._metrics = health, metrics
        self._sweeps = Counter("hyperscout_sweeps_total", "Sweeps by outcome", ["outcome"], registry=registry)
        self._seconds = Gauge(
            "hyperscout_sweep_duration_seconds", "How long the last sweep took, its writes included", registry=registry
        )
        self._whole_at: float | None = None
        age = Gauge(
            "hyperscout_sweep_evidence_age_seconds",
            "Time since the last Complete sweep; NaN before it",
            registry=registry,
        )
        age.set_function(self._age)
        self._ports = Gauge(
            "hyperscout_switch_ports", "Ports of switches by their verdict", ["verdict"], registry=registry
        )
        self._subnets = _InfiniBandFigures(registry)
        self._switches = _EthernetFigures(registry)

    def begins(self) -> None:
        """Alive."""
        self._health.beat()

    def rests(self) -> None:
        """Nothing to do until the next sweep, or until a term begins."""
        self._health.synced = True
        self._health.rest()

    def swept(self, report: SweepReport, seconds: float) -> None:
        """Counted."""
        self._sweeps.labels(report.outcome).inc()
        self._seconds.set(seconds)
        if report.outcome == COMPLETE:
            self._whole_at = time.monotonic()

    def wrote(self, verb: str, error: ApiError | None) -> None:
        """Alive, and counted."""
        self._health.beat()
        self._metrics.wrote(verb, error)

    def swept_subnets(self, subnets: Sequence[Subnet]) -> None:
        """As `agent.sweeper.infiniband.reader.Figures`."""
        self._health.beat()
        self._subnets.swept(subnets)

    def counted(self, counted: Counted) -> None:
        """The same."""
        self._health.beat()
        self._subnets.counted(counted)

    def judged(self, verdicts: Mapping[str, int]) -> None:
        """The same, and as `agent.sweeper.ethernet.reader.Figures`."""
        for word in {*_VERDICTS, *verdicts}:
            self._ports.labels(word).set(verdicts.get(word, 0))

    def asked(self, targets: Mapping[str, int], flaws: Mapping[str, int]) -> None:
        """As `agent.sweeper.ethernet.reader.Figures`."""
        self._health.beat()
        self._switches.asked(targets, flaws)

    def _age(self) -> float:
        return time.monotonic() - self._whole_at if self._whole_at is not None else float("nan")


class _InfiniBandFigures:
    """Of subnets, counters and ports."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._success = Gauge(
            "hyperscout_subnet_sweep_success",
            "1 if the last sweep from this port gave its whole subnet, else 0",
            ["port"],
            registry=registry,
        )
        self._seconds = Gauge(
            "hyperscout_subnet_sweep_duration_seconds",
            "How long the tool ran on this port",
            ["port"],
            registry=registry,
        )
        self._unanswered = Gauge(
            "hyperscout_subnet_unanswered_ports",
            "Switch ports behind which the last sweep from this port got no answer",
            ["port"],
            registry=registry,
        )
        self._read = Gauge(
            "hyperscout_switch_counters_read",
            "Switch ports whose error counters were read the last time",
            registry=registry,
        )
        self._failed = Counter(
            "hyperscout_switch_counters_failed_total",
            "Switches whose error counters could not be read, each time",
            ["reason"],
            registry=registry,
        )
        self._reading = Gauge(
            "hyperscout_switch_counters_duration_seconds",
            "How long the reading of error counters took the last time",
            registry=registry,
        )

    def swept(self, subnets: Sequence[Subnet]) -> None:
        for gauge in (self._success, self._seconds, self._unanswered):
            gauge.clear()
        for subnet in subnets:
            self._success.labels(subnet.port).set(float(subnet.whole))
            self._seconds.labels(subnet.port).set(subnet.seconds)
            self._unanswered.labels(subnet.port).set(sum(map(len, subnet.doubt.ports.values())))

    def counted(self, counted: Counted) -> None:
        self._read.set(len(counted.counters))
        self._failed.labels("failed").inc(counted.failed)
        self._failed.labels("late").inc(counted.late)
        self._reading.set(counted.seconds)


class _EthernetFigures:
    """Of switches that are asked by SNMP."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._targets = Gauge(
            "hyperscout_snmp_targets",
            "Targets of the last sweep: answered, silent, or without-lldp (an answer, and no word of LLDP)",
            ["state"],
            registry=registry,
        )
        self._dropped = Counter(
            "hyperscout_snmp_dropped_total",
            "What switches answered and was not used, by reason: each time",
            ["reason"],
            registry=registry,
        )

    def asked(self, targets: Mapping[str, int], flaws: Mapping[str, int]) -> None:
        for state, count in targets.items():
            self._targets.labels(state).set(count)
        for reason, count in flaws.items():
            self._dropped.labels(reason).inc(count)
