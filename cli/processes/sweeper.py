"""The process `hyperscout sweeper`: what it needs of the cluster, and how the sweeping of its fabric is watched."""

from __future__ import annotations

from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge

from agent.sweeper.infiniband import ToolReader
from agent.sweeper.judging import Patience
from agent.sweeper.running import Reader, Sweeper, SweeperSettings
from cli.namespaces import NODE
from cli.processes.edge_settings import SweeperOptions, Sweeping
from cli.processes.health import Health
from cli.processes.metrics import ProcessMetrics
from cli.processes.preflight import Needs
from cli.processes.running import Process, Surroundings, run_process
from discovery.reports import SweepReport
from kube.access import lease_rights, rights
from kube.errors import ApiError
from kube.resources import SWEEP_REPORTS, SWITCH_REPORTS


class Watching:
    """Makes health and figures of what the sweeper does. A replica that stands by is ready, too."""

    def __init__(self, health: Health, metrics: ProcessMetrics, registry: CollectorRegistry) -> None:
        self._health, self._metrics = health, metrics
        self._sweeps = Counter("hyperscout_sweeps_total", "Sweeps by outcome", ["outcome"], registry=registry)
        self._seconds = Gauge(
            "hyperscout_sweep_duration_seconds", "How long the last sweep took, its writes included", registry=registry
        )

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

    def wrote(self, verb: str, error: ApiError | None) -> None:
        """Alive, and counted."""
        self._health.beat()
        self._metrics.wrote(verb, error)


def needs(namespace: str, name: str) -> Needs:
    """Kinds and rights; those on the sweeper's Lease in this namespace."""
    return Needs(
        (SWITCH_REPORTS, SWEEP_REPORTS),
        (
            *rights("get list create patch delete", SWITCH_REPORTS),
            *rights("get create patch", SWEEP_REPORTS),
            *lease_rights(namespace, f"hyperscout-{process_name(name)}"),
        ),
    )


def process_name(name: str) -> str:
    """One Lease a sweeper."""
    return f"sweeper-{name}"


def run(options: SweeperOptions) -> int:
    """Run the process to its end."""
    settings = _settings(options.sweep)

    async def room(surroundings: Surroundings) -> None:
        watching = Watching(surroundings.health, surroundings.metrics, surroundings.registry)
        reader = _reader(options.sweep)
        await Sweeper(surroundings.client, reader, settings, surroundings.stop, surroundings.tenure, watching).run()

    name = process_name(settings.name)
    wanted = partial(needs, name=settings.name)
    return run_process(
        Process(name, wanted, room, options.cluster, options.http, options.log, options.lease, home=NODE)
    )


def _reader(sweep: Sweeping) -> Reader:
    device = ("-C", sweep.device) if sweep.device else ()
    port = ("-P", str(sweep.port)) if sweep.port is not None else ()
    return ToolReader((sweep.tool, *device, *port), sweep.fabric or sweep.name, sweep.time_limit)


def _settings(sweep: Sweeping) -> SweeperSettings:
    return SweeperSettings(
        name=sweep.name,
        period=sweep.period,
        patience=Patience(sweep.most_lost, sweep.accept_after, sweep.remove_after),
    )
