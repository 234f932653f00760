"""What is healthy, from one look to the next: 10 links of its own a unit, 2 host links a node."""

from __future__ import annotations

import pytest

from controller.conclusion.standing import LINKS, LOST_LINKS
from discovery.reports import PARTIAL
from tests.controller.looking import Looks, condition, members

A, B, ROOT = "ib-leaf-cf-leaf-001", "ib-leaf-cf-leaf-002", "ib-spine-cf-spine-001"
NODE = "node-00000"


@pytest.fixture
def looks() -> Looks:
    """After one whole sweep, everything written."""
    looks = Looks()
    looks.sweep_and_write()
    return looks


def links(looks: Looks, name: str) -> str:
    found = next(found for found in looks.objects if found.metadata.name == name)
    return found.metadata.annotations[LINKS]


def test_a_cut_cable_is_told_at_its_leaf_and_its_node_and_moves_nobody(looks: Looks) -> None:
    before = members(looks.write())
    looks.site.cut.add(looks.site.host_cables(NODE)[1])
    outcome = looks.sweep_and_write()
    assert members(outcome) == before
    found = condition(outcome, A, "LinksHealthy")
    assert (found.status, found.reason) == ("False", "LinksDown")
    assert (links(looks, A), links(looks, B)) == ("1/10", "0/10")
    assert condition(outcome, A, "Ready").status == "True"
    assert condition(outcome, B, "LinksHealthy").status == "True"
    assert {node for node, told in outcome.health.nodes.items() if told.status == "False"} == {NODE}


def test_a_mended_cable_is_healthy_again(looks: Looks) -> None:
    cable = looks.site.host_cables(NODE)[1]
    looks.site.cut.add(cable)
    looks.sweep_and_write()
    looks.site.cut.clear()
    outcome = looks.sweep_and_write(now=2.0)
    found = condition(outcome, A, "LinksHealthy")
    assert (found.status, found.reason) == ("False", "LinksDown")
    assert "1 up again and not for long" in found.message
    assert condition(looks.write(now=1801.0), A, "LinksHealthy").status == "False"
    outcome = looks.write(now=1802.0)
    assert condition(outcome, A, "LinksHealthy").status == "True"
    assert links(looks, A) == "0/10"
    assert outcome.health.nodes[NODE].status == "True"
    assert set(looks.write(now=1803.0).standing) == set(outcome.desired)


@pytest.mark.parametrize("cables", ["host", "uplink"])
def test_a_restart_forgets_no_lost_link(looks: Looks, cables: str) -> None:
    leaf = looks.site.switches_of(NODE)[0]
    looks.site.cut.add(looks.site.host_cables(NODE)[0] if cables == "host" else looks.site.uplinks(leaf)[0])
    before = looks.sweep_and_write()
    assert links(looks, A) == "1/10"
    looks.restart(now=10.0)
    after = looks.sweep_and_write(now=11.0)
    assert set(after.desired) == set(before.desired)
    assert after.health.hyper_nodes[A] == before.health.hyper_nodes[A]


def test_a_partial_sweep_heals_nothing(looks: Looks) -> None:
    leaf = looks.site.switches_of(NODE)[0]
    looks.site.cut.add(looks.site.uplinks(leaf)[0])
    looks.sweep_and_write()
    looks.site.cut.clear()
    looks.site.outcome = PARTIAL
    looks.sweep_and_write()
    assert links(looks, A) == "1/10"


def test_a_partial_sweep_leaves_uplinks_as_they_were(looks: Looks) -> None:
    leaf = looks.site.switches_of(NODE)[0]
    looks.site.outcome = PARTIAL
    looks.site.cut.add(looks.site.uplinks(leaf)[0])
    looks.sweep_and_write()
    assert links(looks, A) == "0/10"
    looks.site.outcome = "Complete"
    looks.sweep_and_write()
    assert links(looks, A) == "1/10"


def test_a_dead_spine_makes_its_domains_unhealthy_and_is_one_loss(looks: Looks) -> None:
    looks.site.kill(looks.site.spines()[0])
    looks.write()
    looks.site.sweep()
    decision = looks.look()
    assert decision.outcome is not None
    assert {name: found.unhealthy for name, found in decision.outcome.health.hyper_nodes.items()} == {
        A: 2,
        B: 2,
        ROOT: 0,
    }
    assert condition(decision.outcome, A, "Ready").status == "False"
    losses = decision.outcome.losses
    assert [(lost.links, lost.hyper_nodes) for lost in losses.switches] == [(4, (A, B))]
    assert losses.hyper_nodes == {A, B}
    assert looks.write(now=2.0).losses.switches == ()


def test_one_lost_cable_is_no_lost_switch(looks: Looks) -> None:
    looks.site.cut.add(looks.site.host_cables(NODE)[0])
    losses = looks.sweep_and_write().losses
    assert (losses.switches, losses.hyper_nodes, losses.nodes) == ((), frozenset(), frozenset())


def test_evidence_grows_old_after_three_periods_and_its_age_is_unknown_for_two(looks: Looks) -> None:
    def fresh(now: float) -> list[str]:
        outcome = looks.look(now).outcome
        assert outcome is not None
        return [found.status for found in outcome.health.hyper_nodes[A].conditions if found.type == "EvidenceFresh"]

    assert fresh(599.0) == ["Unknown"]
    assert fresh(600.0) == ["True"]
    assert fresh(901.0) == ["True"]
    assert fresh(902.0) == ["False"]
    looks.site.sweep()
    assert fresh(903.0) == ["True"]


def test_partial_sweeps_alone_are_old_evidence_by_their_own_name(looks: Looks) -> None:
    looks.site.outcome = PARTIAL
    outcome = looks.sweep_and_write(now=1000.0)
    found = condition(outcome, A, "EvidenceFresh")
    assert (found.status, found.reason) == ("False", "PartialSweep")


def test_the_list_of_lost_links_stays_as_an_empty_one(looks: Looks) -> None:
    looks.site.cut.add(looks.site.host_cables(NODE)[0])
    lost = dict(looks.sweep_and_write().desired[0].annotations)[LOST_LINKS]
    assert lost.startswith(f"{NODE}@")
    looks.site.cut.clear()
    assert dict(looks.sweep_and_write().desired[0].annotations)[LOST_LINKS] == ""
