"""The process `hyperscout sweeper`: what it needs of the cluster, and what it is made of."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from agent.sweeper.ethernet.asking import Patience as Pauses
from agent.sweeper.ethernet.reader import Ethernet, EthernetReader
from agent.sweeper.infiniband.counting import Count
from agent.sweeper.infiniband.reader import InfiniBand, InfiniBandReader
from agent.sweeper.infiniband.subnets import Tool
from agent.sweeper.judging import Patience
from agent.sweeper.running import Reader, Sweeper, SweeperSettings
from cli.namespaces import NODE
from cli.processes.preflight import Needs
from cli.processes.running import Process, Surroundings, run_process
from cli.processes.sweeper_figures import Watching
from cli.processes.sweeper_settings import SweeperOptions, Sweeping
from discovery.source import Host
from kube.access import lease_rights, rights
from kube.resources import SWEEP_REPORTS, SWITCH_REPORTS


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
        reader = _reader(options, watching)
        await Sweeper(surroundings.client, reader, settings, surroundings.stop, surroundings.tenure, watching).run()

    name = process_name(settings.name)
    wanted = partial(needs, name=settings.name)
    return run_process(
        Process(name, wanted, room, options.cluster, options.http, options.log, options.lease, home=NODE)
    )


def _reader(options: SweeperOptions, watching: Watching) -> Reader:
    sweep, counters = options.sweep, options.counters
    if sweep.kind == "ethernet":
        return EthernetReader(_ethernet(options), Host(sys.stdin.buffer), watching)
    settings = InfiniBand(
        Tool(sweep.tool, sweep.ports, sweep.fabric or sweep.name, sweep.time_limit, sweep.sysfs_root),
        Count(counters.tool, counters.period, counters.time_limit),
        options.health.thresholds(),
        sweep.node_name_map,
    )
    return InfiniBandReader(settings, Host(sys.stdin.buffer, Path(sweep.sysfs_root)), watching)


def _ethernet(options: SweeperOptions) -> Ethernet:
    sweep, snmp = options.sweep, options.snmp
    return Ethernet(
        targets=snmp.asked(),
        credentials=snmp.credentials,
        fabric=sweep.fabric or sweep.name,
        time_limit=sweep.time_limit,
        bounds=snmp.bounds(),
        patience=Pauses(at_once=snmp.at_once, first_pause=2 * sweep.period),
        thresholds=options.health.thresholds(),
    )


def _settings(sweep: Sweeping) -> SweeperSettings:
    return SweeperSettings(
        name=sweep.name,
        period=sweep.period,
        patience=Patience(sweep.most_lost, sweep.accept_after, sweep.remove_after),
    )
