"""LLDP and SNMP give the tree that sweeps of InfiniBand give of the same cabling."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.conclusion.standing import ASSUMED
from controller.decide import Outcome, decide
from discovery.identity import ChassisId
from discovery.reports import HOST, Peer
from tests.controller.ethernet.sites import HOSTS_ONLY, SWEPT, WAYS, Days
from tests.controller.looking import Looks, chains
from tests.controller.site import Site
from topology.synth.drawing import Drawing
from topology.synth.ethernet import Voices
from topology.synth.spec import Tree, Unit
from topology.synth.tree import draw_tree

DRAWINGS = {
    "rails": draw_tree(Tree(units=(Unit(4, 4),) * 3, wiring="rails", tiers=2, spines=2, aggregation=False)),
    "racks": draw_tree(Tree(units=(Unit(4, 2),) * 3, wiring="classic", tiers=2, spines=2, aggregation=False)),
    "pods": draw_tree(
        Tree(units=(Unit(2, 2),) * 4, wiring="classic", tiers=3, pod_units=2, spines=2, cores=2, aggregation=False)
    ),
    "two planes": draw_tree(Tree(units=(Unit(4, 2),) * 2, wiring="rails", tiers=2, planes=2, aggregation=False)),
    "one leaf": draw_tree(Tree(units=(Unit(4, 2),), wiring="classic", tiers=1, aggregation=False)),
}


def infiniband(drawing: Drawing) -> dict[str, tuple[str, ...]]:
    return chains(Looks(site=Site(drawing=drawing)).sweep_and_write())


def groups(chained: dict[str, tuple[str, ...]], tier: int) -> set[frozenset[str]]:
    """The nodes that share a HyperNode of that place in their chains."""
    homes: dict[str, set[str]] = {}
    for node, chain in chained.items():
        homes.setdefault(chain[min(tier, len(chain) - 1)], set()).add(node)
    return {frozenset(found) for found in homes.values()}


def assumed(outcome: Outcome) -> set[str]:
    return {found.name for found in outcome.desired if dict(found.annotations).get(ASSUMED) == "true"}


@pytest.mark.parametrize("name", DRAWINGS)
@pytest.mark.parametrize("way", ["swept", "switches only", "silent hosts"])
def test_swept_ethernet_gives_the_tree_of_infiniband(name: str, way: str) -> None:
    drawing = DRAWINGS[name]
    outcome = Days(site=Site(drawing=drawing, voices=WAYS[way])).go_on()
    expected = {
        node: tuple(f"eth{found.removeprefix('ib')}" for found in chain) for node, chain in infiniband(drawing).items()
    }
    assert chains(outcome) == expected
    assert assumed(outcome) == set()
    assert {(found.tier_name, found.tier) for found in outcome.desired} <= {("leaf", 2), ("spine", 3), ("core", 4)}


@pytest.mark.parametrize("name", ["rails", "racks", "pods"])
def test_what_hosts_hear_gives_the_same_leaves_below_one_assumed_root(name: str) -> None:
    drawing = DRAWINGS[name]
    outcome = Days(site=Site(drawing=drawing, voices=HOSTS_ONLY)).go_on()
    assert groups(chains(outcome), 0) == groups(infiniband(drawing), 0)
    assert {chain[1:] for chain in chains(outcome).values()} == {("eth-spine-root",)}
    assert assumed(outcome) == {"eth-spine-root"}


def test_a_single_leaf_domain_needs_no_root_and_nothing_is_assumed() -> None:
    outcome = Days(site=Site(drawing=DRAWINGS["one leaf"], voices=HOSTS_ONLY)).go_on()
    assert {len(chain) for chain in chains(outcome).values()} == {1}
    assert assumed(outcome) == set()


def test_bonds_make_a_pair_of_leaves_one_domain_and_each_bond_one_rail() -> None:
    for way in (Voices(bonds=True), Voices(bonds=True, switches_told=False)):
        outcome = Days(site=Site(drawing=DRAWINGS["rails"], voices=way)).go_on()
        assert groups(chains(outcome), 0) == groups(infiniband(DRAWINGS["rails"]), 0)
        assert outcome.news == frozenset()


def test_switches_that_are_swept_later_take_the_place_of_the_assumed_root() -> None:
    days = Days(site=Site(voices=HOSTS_ONLY))
    before = chains(days.go_on())
    days.site.voices = SWEPT
    for _ in range(5):
        outcome = days.go_on()
    assert groups(chains(outcome), 0) == groups(before, 0)
    assert assumed(outcome) == set()
    assert {len(chain) for chain in chains(outcome).values()} == {2}
    days.site.voices, days.site.reported = HOSTS_ONLY, {}
    for _ in range(5):
        assert chains(days.go_on()) == chains(outcome)


def test_a_node_without_a_report_has_no_place_by_what_switches_hear_of_it() -> None:
    """It may be its management interface that they hear: nobody knows before its agent reports."""
    days = Days(site=Site(voices=WAYS["switches only"]))
    site = days.site
    site.sweep()
    snapshot = site.snapshot()
    first = site.nodes[0]
    heard = Peer(kind=HOST, chassisId=ChassisId("02:00:00:00:00:01"), portId="eno1", description=first)
    name, report = next(iter(site.reported.items()))
    ports = (replace(report.ports[0], peer=heard), *report.ports[1:])
    site.reported[name] = replace(report, ports=ports)
    reports = tuple(found for found in snapshot.node_reports if found.metadata.name != first)
    snapshot = replace(snapshot, node_reports=reports, switch_reports=site.switch_objects())
    outcome = decide(days.memory, snapshot, 1.0, days.settings).outcome
    assert outcome is not None
    assert set(chains(outcome)) == set(site.nodes[1:])
