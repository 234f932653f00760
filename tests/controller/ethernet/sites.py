"""Ethernet sites for tests, looked at while time goes on: a round of node reports takes five minutes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import cast

import msgspec

from controller.conclusion.memory import Memory
from controller.decide import Outcome
from controller.snapshot import Snapshot
from discovery.reports import SWEEPER_LABEL
from kube.types import HyperNode, NodeReportObject
from tests.controller.looking import Looks
from tests.controller.site import Site, meta
from topology.synth.ethernet import Voices

SWEPT, HOSTS_ONLY, SWITCHES_ONLY, SILENT_HOSTS = (
    Voices(),
    Voices(switches_told=False),
    Voices(nodes_listen=False),
    Voices(adapters_speak=False),
)
WAYS = {"swept": SWEPT, "hosts only": HOSTS_ONLY, "switches only": SWITCHES_ONLY, "silent hosts": SILENT_HOSTS}
"""The ways in which the same cabling is told."""


@dataclass(slots=True)
class Days(Looks):
    """Looks with a clock of their own, after a start long ago."""

    memory: Memory = field(default_factory=lambda: Memory(started=-1000.0))
    now: float = 0.0

    def go_on(self) -> Outcome:
        """One more sweep and report of everybody, five minutes later, and what is decided stands."""
        self.now += 300.0
        return self.sweep_and_write(self.now)


def together(sites: dict[str, Site]) -> Site:
    """Sites of one cluster, each fabric with its own sweeper, for whoever only sweeps and takes snapshots."""
    return cast("Site", Several(sites))


@dataclass(slots=True)
class Several:
    """Sites seen as one."""

    sites: dict[str, Site]

    def sweep(self) -> None:
        for site in self.sites.values():
            site.sweep()

    def snapshot(self, hyper_nodes: tuple[HyperNode, ...] = ()) -> Snapshot:
        parts = {name: site.snapshot() for name, site in self.sites.items()}
        return Snapshot(
            nodes=tuple({node.metadata.name: node for part in parts.values() for node in part.nodes}.values()),
            node_reports=_together(report for part in parts.values() for report in part.node_reports),
            switch_reports=tuple(
                msgspec.structs.replace(report, metadata=meta(report.metadata.name, {SWEEPER_LABEL: name}))
                for name, part in parts.items()
                for report in part.switch_reports
            ),
            sweeps=tuple(
                msgspec.structs.replace(sweep, metadata=meta(name))
                for name, part in parts.items()
                for sweep in part.sweeps
            ),
            hyper_nodes=hyper_nodes,
        )


def _together(reports: Iterable[NodeReportObject]) -> tuple[NodeReportObject, ...]:
    """One report a node, with the ports and interfaces of all fabrics."""
    found: dict[str, NodeReportObject] = {}
    for report in reports:
        known = found.setdefault(report.metadata.name, report)
        if known is not report:
            ports = (*known.spec.ports, *report.spec.ports)
            spec = replace(known.spec, ports=ports, interfaces=(*known.spec.interfaces, *report.spec.interfaces))
            found[report.metadata.name] = msgspec.structs.replace(known, spec=spec)
    return tuple(found[name] for name in sorted(found))
