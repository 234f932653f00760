"""`hyperscout controller` and `hyperscout scheduler`: what they take from the command line."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from cli.cluster_options import Kubeconfig
from cli.ending import CommandError

if TYPE_CHECKING:
    from cli.processes.sections import Section

    Options = TypeVar("Options", bound=Section)

Config = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="Settings file (YAML); docs/reference/settings.md.")
]
Namespace = Annotated[
    str, typer.Option("--namespace", "-n", metavar="NAMESPACE", help="Namespace of the Lease and of the journal.")
]
Listen = Annotated[
    str, typer.Option("--listen", metavar="HOST:PORT", help="Where /healthz, /readyz and /metrics are served.")
]
Assignments = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Any setting; may be given many times.")
]


class ReportForm(StrEnum):
    """The forms of a report that is printed."""

    YAML = "yaml"
    JSON = "json"


HEARS = 3.0
Once = Annotated[
    bool, typer.Option("--once", help="Print the report of this host and end; no cluster is needed, none is asked.")
]
Hear = Annotated[
    float | None,
    typer.Option(
        "--hear", metavar="SECONDS", min=0.0, max=600.0, show_default=False,
        help=f"With --once: how long it listens for LLDP, which most switches send every 30 s; else {HEARS:g} s.",
    ),
]  # fmt: skip
ReportOutput = Annotated[
    ReportForm | None, typer.Option("--output", "-o", show_default=False, help="With --once: yaml (else) or json.")
]


def controller(
    config: Config = None,
    kubeconfig: Kubeconfig = "",
    namespace: Namespace = "",
    listen: Listen = "",
    assignments: Assignments = None,
) -> int:
    """Keep HyperNodes and their conditions true to the reports, until SIGTERM.

    Several replicas may run: all look, the one that holds the Lease hyperscout-controller writes.
    """
    from cli.processes.controller import run
    from cli.processes.settings import ControllerOptions

    short = {"cluster.kubeconfig": kubeconfig, "cluster.namespace": namespace, "http.listen": listen}
    return run(_load(ControllerOptions, config, short, assignments or []))


def scheduler(
    config: Config = None,
    kubeconfig: Kubeconfig = "",
    namespace: Namespace = "",
    listen: Listen = "",
    assignments: Assignments = None,
) -> int:
    """Place gangs of pods inside the tightest part of the fabric, until SIGTERM.

    Several replicas may run: all follow the cluster, the one that holds the Lease hyperscout-scheduler binds.
    """
    from cli.processes.scheduler import run
    from cli.processes.settings import SchedulerOptions

    short = {"cluster.kubeconfig": kubeconfig, "cluster.namespace": namespace, "http.listen": listen}
    return run(_load(SchedulerOptions, config, short, assignments or []))


def agent(
    config: Config = None,
    kubeconfig: Kubeconfig = "",
    listen: Listen = "",
    node: Annotated[str, typer.Option("--node", help="Name of the Node; none: this host's name.")] = "",
    sysfs_root: Annotated[str, typer.Option("--sysfs-root", metavar="DIR", help="Where sysfs is read.")] = "",
    once: Once = False,
    hear: Hear = None,
    output: ReportOutput = None,
    assignments: Assignments = None,
) -> int:
    """Keep the NodeReport of this node true to its ports, interfaces, neighbours and NVLink, until SIGTERM.

    One runs on every node. While the API server is away, or does not let it in, it says so and goes on looking. With
    --once it prints the report and ends, with 1 where a probe failed.
    """
    from cli.processes.agent import run, run_once
    from cli.processes.edge_settings import AgentOptions

    short = {
        "cluster.kubeconfig": kubeconfig,
        "http.listen": listen,
        "host.node": node,
        "host.sysfsRoot": sysfs_root,
    }
    if not once and (hear is not None or output is not None):
        raise CommandError("--hear and -o are of --once; give it, too")
    options = _load(AgentOptions, config, short, assignments or [])
    if once:
        return run_once(options, seconds=HEARS if hear is None else hear, as_json=output is ReportForm.JSON)
    return run(options)


def sweeper(
    config: Config = None,
    kubeconfig: Kubeconfig = "",
    namespace: Namespace = "",
    listen: Listen = "",
    name: Annotated[str, typer.Option("--name", help="Name of this sweeper; one for each fabric.")] = "",
    assignments: Assignments = None,
) -> int:
    """Sweep a fabric every few minutes and keep the reports of its switches true, until SIGTERM.

    Several replicas may run: the one that holds the Lease hyperscout-sweeper-NAME sweeps.
    """
    from cli.processes.sweeper import run
    from cli.processes.sweeper_settings import SweeperOptions

    short = {
        "cluster.kubeconfig": kubeconfig,
        "cluster.namespace": namespace,
        "http.listen": listen,
        "sweep.name": name,
    }
    return run(_load(SweeperOptions, config, short, assignments or []))


def _load(options: type[Options], config: Path | None, short: dict[str, str], assignments: list[str]) -> Options:
    import os

    from cli.processes.loading import Given, load, read_assignments

    flags = read_assignments(assignments)
    flags |= {key: Given(value, f"--{key.partition('.')[2]}") for key, value in short.items() if value}
    return load(options, config, os.environ, flags)
