"""A node that reports what others have, adapters or MACs, as its own: it moves, judges and hides nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

import msgspec
import pytest

from controller.decide import Outcome
from controller.snapshot import Snapshot
from discovery.identity import Guid
from discovery.reports import Interface, NodeReport, Port
from kube.types import HyperNode
from tests.controller.ethernet.sites import WAYS, Days
from tests.controller.looking import chains
from tests.controller.site import Site
from topology.synth.ethernet import Voices

Lie = Callable[[NodeReport, NodeReport], NodeReport]
"""What a node makes of its own report and of that of its victim."""
FIRST, LAST = "node-00000", "node-00005"
"""In the order of names; of different leaves."""


@dataclass(slots=True)
class Forged:
    """A site where one node lies, once it is told to."""

    site: Site
    liar: str
    victim: str
    lie: Lie | None = None

    def sweep(self) -> None:
        self.site.sweep()

    def snapshot(self, hyper_nodes: tuple[HyperNode, ...] = ()) -> Snapshot:
        found = self.site.snapshot(hyper_nodes)
        if self.lie is None:
            return found
        specs = {report.metadata.name: report.spec for report in found.node_reports}
        forged = self.lie(specs[self.liar], specs[self.victim])
        reports = tuple(
            msgspec.structs.replace(report, spec=forged) if report.metadata.name == self.liar else report
            for report in found.node_reports
        )
        return replace(found, node_reports=reports)


def adapters_that_are_down(own: NodeReport, victim: NodeReport) -> NodeReport:
    """Beside its own ports."""
    forged = (replace(port, portGuid=made_up(at), verdict="Down", reason="LinkDown") for at, port in ports(victim))
    return replace(own, ports=(*own.ports, *(replace(port, device=f"x{port.device}") for port in forged)))


def adapters_that_are_up(own: NodeReport, victim: NodeReport) -> NodeReport:
    """As they were before their cables were cut."""
    forged = (replace(port, portGuid=made_up(at), verdict="Up", reason=None) for at, port in ports(victim))
    return replace(own, ports=(*own.ports, *(replace(port, device=f"x{port.device}") for port in forged)))


def adapters_instead(own: NodeReport, victim: NodeReport) -> NodeReport:
    """In place of its own ones, at interfaces of its own that are the fastest of all."""
    forged = (replace(port, portGuid=made_up(at), verdict="Down") for at, port in ports(victim))
    fast = (replace(interface, speed=1_600_000) for interface in own.interfaces)
    return replace(own, ports=tuple(forged), interfaces=tuple(fast))


def macs_of_other_interfaces(own: NodeReport, victim: NodeReport) -> NodeReport:
    """Interfaces without an RDMA device."""
    forged = (Interface(name=f"zz{at}", mac=found.mac, carrier=True) for at, found in enumerate(victim.interfaces))
    return replace(own, interfaces=(*own.interfaces, *forged))


def ports(report: NodeReport) -> enumerate[Port]:
    return enumerate(report.ports)


def made_up(number: int) -> Guid:
    return Guid(f"77{number:014x}")


def healths(outcome: Outcome) -> dict[str, tuple[str, str]]:
    return {node: (found.status, found.reason) for node, found in outcome.health.nodes.items()}


LIES = [adapters_that_are_down, adapters_instead, macs_of_other_interfaces]


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize(("liar", "victim"), [(FIRST, LAST), (LAST, FIRST)])
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_what_another_node_has_is_neither_moved_nor_judged_by_who_claims_it(
    way: Voices, liar: str, victim: str, lie: Lie
) -> None:
    forged = Forged(Site(voices=way), liar, victim)
    days = Days(site=cast("Site", forged))
    before = days.go_on()
    forged.lie = lie
    outcomes = [days.go_on() for _ in range(4)]
    for outcome in outcomes:
        assert chains(outcome) == chains(before)
        others = {node: found for node, found in healths(outcome).items() if node != liar}
        assert others == {node: found for node, found in healths(before).items() if node != liar}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_what_another_node_says_is_up_hides_no_cut_cable(way: Voices) -> None:
    site = Site(voices=way)
    forged = Forged(site, LAST, FIRST)
    days = Days(site=cast("Site", forged))
    days.go_on()
    forged.lie = adapters_that_are_up
    site.cut.add(site.host_cables(FIRST)[0])
    for _ in range(3):
        told = days.go_on()
    assert healths(told)[FIRST] == ("False", "LinksDown")
    assert "duplicate-guid" in {anomaly.kind for anomaly in told.anomalies}
