"""The process `hyperscout agent`: how the agent of this node reaches its cluster, and how it is watched."""

from __future__ import annotations

import os
import socket
from contextlib import nullcontext
from pathlib import Path

from agent.node.probes import Probes, ProbeSettings
from agent.node.reporting import Spreads
from agent.node.running import Agent, AgentSettings
from cli.ending import CommandError
from cli.processes import logs
from cli.processes.agent_figures import Watching
from cli.processes.answering import SPREAD, silence_told
from cli.processes.edge_settings import AgentOptions, check_node
from cli.processes.memory import give_back, lie_together, share_one_heap
from cli.processes.running import Process, Surroundings, run_process
from discovery.identity import NodeName
from discovery.lldp import Lldpd
from kube.config import load_connection
from kube.connection import Connection
from kube.pod_account import pod_connection


def connect(kubeconfig: str | None) -> Connection:
    """By a kubeconfig where one is named, else as this pod; the official client is loaded for the first only."""
    if kubeconfig or os.environ.get("KUBECONFIG") or not os.environ.get("KUBERNETES_SERVICE_HOST"):
        return load_connection(kubeconfig)
    return pod_connection(os.environ)


def run(options: AgentOptions) -> int:
    """Run the process to its end."""
    settings = agent_settings(options)
    share_one_heap()
    _name_library(options)

    async def room(surroundings: Surroundings) -> None:
        probes = Probes(probe_settings(options))
        watching = Watching(surroundings.health, surroundings.metrics, surroundings.registry, lambda: probes.listener)
        connection = surroundings.client.connection
        give_back()
        lie_together()
        agent = Agent(connection, probes, settings, surroundings.stop, watching)
        async with silence_told(connection) if settings.spreads.start > SPREAD else nullcontext():
            await agent.run()

    return run_process(Process("agent", None, room, options.cluster, options.http, options.log, None, connect))


def run_once(options: AgentOptions, *, seconds: float, as_json: bool) -> int:
    """Print what this node's report would be."""
    from cli.processes.once import report_once

    logs.configure(options.log, "agent")
    _name_library(options)
    settings = agent_settings(options)
    return report_once(settings.node, probe_settings(options), settings.thresholds, seconds=seconds, as_json=as_json)


def _name_library(options: AgentOptions) -> None:
    if options.nvlink.library:
        os.environ["LD_LIBRARY_PATH"] = options.nvlink.library  # of the process that asks NVML


def _node(options: AgentOptions) -> NodeName:
    """As it is set, else as this host is called. CommandError where no Node can be called so."""
    name = options.host.node or socket.gethostname().lower()
    try:
        return NodeName(check_node(name))
    except ValueError as error:
        raise CommandError(f"host.node is not set, and this host is called {name!r}: {error}; set it") from error


def agent_settings(options: AgentOptions) -> AgentSettings:
    """As the agent takes them."""
    return AgentSettings(
        node=_node(options),
        sample=options.sampling.period,
        quick=options.sampling.quick,
        spreads=Spreads(options.sampling.start_spread, options.sampling.change_spread),
        thresholds=options.health.thresholds(),
    )


def probe_settings(options: AgentOptions) -> ProbeSettings:
    """As the probes take them."""
    return ProbeSettings(
        enabled=options.probes.enabled,
        sysfs=Path(options.host.sysfs_root),
        proc=Path(options.host.proc_root),
        interfaces=options.host.interfaces,
        limit=options.probes.time_limit,
        gpu_limit=options.nvlink.time_limit,
        gpus_every=options.nvlink.period,
        smi_command=options.nvlink.smi,
        gpu_library=options.nvlink.library,
        lldpd=Lldpd(options.lldpd.client, options.lldpd.socket or None, options.probes.time_limit),
    )
