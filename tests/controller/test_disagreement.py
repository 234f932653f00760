"""Switch reports that contradict each other: told once, at a switch, and no matter while one of them is missing."""

from __future__ import annotations

from dataclasses import replace

from controller.conclusion.findings import told_at
from discovery.identity import Guid
from tests.controller.cluster import Cluster, controller
from tests.controller.looking import Looks, condition, members
from tests.controller.site import Site

A = "ib-leaf-cf-leaf-001"


def exchange_uplinks(site: Site) -> Guid:
    """The first leaf says until the next sweep that the cables on its two uplink ports go to each other's far end."""
    leaf = site.guid_of(site.switches_of("node-00000")[0])
    name, report = next((name, found) for name, found in site.reported.items() if found.guid == leaf)
    spines = {site.guid_of(switch) for switch in site.spines()}
    up = [number for number, port in enumerate(report.ports) if port.peer and port.peer.guid in spines]
    ports = list(report.ports)
    one, other = up
    ports[one], ports[other] = (
        replace(ports[one], peer=ports[other].peer),
        replace(ports[other], peer=ports[one].peer),
    )
    site.reported[name] = replace(report, ports=tuple(ports))
    return leaf


def test_two_reports_that_disagree_are_told_once_and_leave_the_tree_as_it_was() -> None:
    looks = Looks()
    before = looks.sweep_and_write()
    assert before.news == frozenset()
    leaf = exchange_uplinks(looks.site)
    outcome = looks.write()
    assert members(outcome) == members(before)
    assert {found.kind for found in outcome.news} == {"sources-disagree"}
    told = list(told_at(looks.snapshot(), outcome.news))
    assert {(found.about.kind, found.type, found.reason) for found in told} == {
        ("SwitchReport", "Warning", "SourcesDisagree")
    }
    assert all(any(end.guid == leaf for end in found.where) for found in outcome.news)
    cabling = condition(outcome, A, "CablingConsistent")
    assert (cabling.status, cabling.reason) == ("Unknown", "SourcesDisagree")
    assert looks.write().news == frozenset()
    looks.sweep_and_write()
    exchange_uplinks(looks.site)
    assert looks.write().news == outcome.news


def test_the_last_words_of_a_missing_switch_dispute_nothing() -> None:
    looks = Looks()
    looks.sweep_and_write()
    exchange_uplinks(looks.site)
    looks.site.kill(looks.site.switches_of("node-00000")[0])
    looks.site.sequence += 1
    outcome = looks.write()
    assert outcome.news == frozenset()
    assert condition(outcome, A, "CablingConsistent").status == "True"


async def test_a_disagreement_is_an_event_at_a_switch(cluster: Cluster) -> None:
    async with controller(cluster) as watched:
        await cluster.sweep()
        await watched.swept(1)
        await watched.settled()
        exchange_uplinks(cluster.site)
        await cluster.publish()
        decision = await watched.until(lambda decision: decision.outcome is not None and bool(decision.outcome.news))
        await watched.settled()
        events = await cluster.events()
    assert decision.outcome is not None
    assert {(event.involved_object.kind, event.type, event.reason) for event in events} == {
        ("SwitchReport", "Warning", "SourcesDisagree")
    }
    assert sorted(event.message for event in events) == sorted(found.detail for found in decision.outcome.news)
