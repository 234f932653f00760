"""The process `hyperscout agent`: how the agent of this node reaches its cluster, and how it is watched."""

from __future__ import annotations

import io
import os
import socket
from pathlib import Path

import structlog
from prometheus_client import CollectorRegistry, Gauge

from agent.node.looking import NodeSources
from agent.node.running import Agent, AgentSettings
from cli.processes.edge_settings import AgentOptions
from cli.processes.health import Health
from cli.processes.metrics import ProcessMetrics
from cli.processes.running import Process, Surroundings, run_process
from discovery.identity import NodeName
from discovery.reports import FAILED, NodeReport, ProbeOutcome
from discovery.source import Host
from kube.config import load_connection
from kube.connection import Connection
from kube.errors import ApiError
from kube.pod_account import pod_connection

log = structlog.get_logger(__name__)


class Watching:
    """Makes health, figures and lines of the log of what the agent does: ready once its report stands in the API."""

    def __init__(self, health: Health, metrics: ProcessMetrics, registry: CollectorRegistry) -> None:
        self._health, self._metrics = health, metrics
        self._success = Gauge(
            "hyperscout_probe_success", "1 if the probe's last look went well, else 0", ["probe"], registry=registry
        )
        self._seconds = Gauge(
            "hyperscout_look_duration_seconds", "How long the last look at the node took", registry=registry
        )
        self._told: dict[str, ProbeOutcome] = {}

    def looked(self, report: NodeReport, seconds: float) -> None:
        """Alive."""
        self._health.beat()
        self._seconds.set(seconds)
        for probe in report.probes:
            self._success.labels(probe.name).set(probe.outcome != FAILED)
            self._tell(probe)

    def _tell(self, probe: ProbeOutcome) -> None:
        """Once, until it goes otherwise."""
        if self._told.get(probe.name) == probe:
            return
        self._told[probe.name] = probe
        say = log.warning if probe.outcome == FAILED else log.info
        say("looked at the node", probe=probe.name, outcome=probe.outcome, why=probe.reason)

    def wrote(self, verb: str, error: ApiError | None) -> None:
        """Counted."""
        self._metrics.wrote(verb, error)
        if error is None:
            self._health.synced = True


def connect(kubeconfig: str | None) -> Connection:
    """By a kubeconfig where one is named, else as this pod; the official client is loaded for the first only."""
    if kubeconfig or os.environ.get("KUBECONFIG") or not os.environ.get("KUBERNETES_SERVICE_HOST"):
        return load_connection(kubeconfig)
    return pod_connection(os.environ)


def run(options: AgentOptions) -> int:
    """Run the process to its end."""
    node = NodeName(options.host.node or socket.gethostname().lower())
    settings = AgentSettings(node, options.sampling.period, options.sampling.start_spread)
    nothing = io.BytesIO()
    sources = NodeSources(Host(nothing, Path(options.host.sysfs_root)), Host(nothing, Path(options.host.proc_root)))

    async def room(surroundings: Surroundings) -> None:
        watching = Watching(surroundings.health, surroundings.metrics, surroundings.registry)
        await Agent(surroundings.client.connection, sources, settings, surroundings.stop, watching).run()

    return run_process(Process("agent", None, room, options.cluster, options.http, options.log, None, connect))
