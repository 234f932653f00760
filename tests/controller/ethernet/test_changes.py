"""What moves on Ethernet fabrics, when, and what does not: silence, lost cables, new cables, new switches."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.decide import Outcome
from discovery.reports import COMPLETE, DEGRADED, FAILED, switch_identity
from tests.controller.ethernet.sites import HOSTS_ONLY, SWEPT, WAYS, Days, together
from tests.controller.looking import chains, condition
from tests.controller.site import TREE, Site
from topology.links import BOND_LEG_DOWN
from topology.synth.ethernet import Voices
from topology.synth.spec import Tree, Unit
from topology.synth.tree import draw_tree

FIRST, LAST = "node-00000", "node-00005"
BONDS = draw_tree(Tree(units=(Unit(4, 2),) * 2, wiring="rails", tiers=2, spines=2, aggregation=False))


def words(outcome: Outcome) -> set[tuple[str, str]]:
    return {(found.status, found.reason) for found in outcome.health.nodes.values()}


@pytest.mark.parametrize("way", ["swept", "hosts only", "silent hosts"])
def test_hosts_that_hear_nobody_any_more_stay_and_their_links_are_well(way: str) -> None:
    days = Days(site=Site(voices=WAYS[way]))
    before = days.go_on()
    days.site.deaf = set(days.site.drawing.hosts)
    for _ in range(5):
        outcome = days.go_on()
        assert chains(outcome) == chains(before)
        assert words(outcome) == {("True", "AllLinksUp")}


def test_a_sweeper_that_stops_moves_nobody_and_is_told_as_old_evidence() -> None:
    days = Days(site=Site(voices=SWEPT))
    before = days.go_on()
    for _ in range(8):
        days.now += 300.0
        outcome = days.write(days.now)
        assert chains(outcome) == chains(before)
    leaf = chains(before)[FIRST][0]
    assert condition(outcome, leaf, "EvidenceFresh").status == "False"


def test_a_switch_whose_snmp_is_dead_stays_while_others_hear_it() -> None:
    """Sweeps are whole without it for ever, and its own report goes in the end."""
    days = Days(site=Site(voices=SWEPT))
    before = days.go_on()
    leaf = days.site.switches_of(FIRST)[0]
    identity = days.site.guid_of(leaf)
    days.site.retired[identity] = days.site.sequence + 1
    name = next(name for name, report in days.site.reported.items() if switch_identity(report) == identity)
    for turn in range(9):
        days.site.sweep()
        days.site.reported.pop(name) if turn > 5 else None
        days.now += 300.0
        outcome = days.write(days.now)
        assert chains(outcome) == chains(before)
        assert words(outcome) == {("True", "AllLinksUp")}


@pytest.mark.parametrize("way", WAYS)
def test_a_host_that_was_cabled_elsewhere_moves_after_three_rounds_and_no_sooner(way: str) -> None:
    days = Days(site=Site(voices=WAYS[way]))
    before = chains(days.go_on())
    days.site.exchange(FIRST, LAST)
    seen = [chains(days.go_on())[FIRST] for _ in range(5)]
    assert seen[:2] == [before[FIRST]] * 2
    assert seen[-1] == before[LAST]
    assert chains(days.go_on())[LAST] == before[FIRST]


@pytest.mark.parametrize("way", ["swept", "hosts only"])
def test_a_switch_that_is_replaced_renames_and_moves_nothing(way: str) -> None:
    days = Days(site=Site(voices=WAYS[way]))
    before = chains(days.go_on())
    days.site.replace_switch(days.site.switches_of(FIRST)[0])
    for _ in range(8):
        assert chains(days.go_on()) == before
    known = days.memory.cables.known
    assert known is not None
    assert len({told.guid for told in known.switches.values()}) == (6 if way == "swept" else 4)


@pytest.mark.parametrize("way", [Voices(bonds=True), Voices(bonds=True, switches_told=False)])
def test_a_bond_that_lost_a_member_is_degraded_and_its_node_stays(way: Voices) -> None:
    days = Days(site=Site(drawing=BONDS, voices=way))
    before = chains(days.go_on())
    days.site.cut = {days.site.host_cables(FIRST)[1]}
    outcome = days.go_on()
    assert chains(outcome) == before
    assert outcome.health.nodes[FIRST].reason == "LinksDegraded"
    known = days.memory.known
    assert known is not None
    unwell = {(verdict.word, verdict.reason) for verdict in known.links.values() if verdict.unhealthy}
    assert unwell == {(DEGRADED, BOND_LEG_DOWN)}
    days.site.cut = set(days.site.host_cables(FIRST))
    assert days.go_on().health.nodes[FIRST].reason == "LinksDown"
    days.site.cut = set()
    healed = [days.go_on().health.nodes[FIRST].status for _ in range(12)]
    assert healed[-1] == "True"


def test_a_cable_that_is_cut_is_down_by_the_word_of_its_host_alone() -> None:
    days = Days(site=Site(voices=HOSTS_ONLY))
    before = chains(days.go_on())
    days.site.cut = {days.site.host_cables(FIRST)[0]}
    outcome = days.go_on()
    assert (outcome.health.nodes[FIRST].status, outcome.health.nodes[FIRST].reason) == ("False", "LinksDown")
    assert outcome.health.hyper_nodes[before[FIRST][0]].unhealthy == 1
    assert chains(outcome) == before


def test_infiniband_beside_roce_are_two_trees_on_one_table_of_tiers() -> None:
    roce = draw_tree(Tree(units=(Unit(3, 2),) * 2, wiring="rails", tiers=2, spines=2, name="hgx", host_prefix="hgx-",
                          number=1, aggregation=False))  # fmt: skip
    for voices in (SWEPT, HOSTS_ONLY):
        days = Days(site=together({"ib": Site(), "eth": Site(drawing=roce, voices=voices)}))
        outcome = days.go_on()
        tiers = {found.name: (found.tier_name, found.tier) for found in outcome.desired}
        chained = chains(outcome)
        assert {len(chain) for chain in chained.values()} == {2}
        assert {tuple(tiers[name] for name in chain) for chain in chained.values()} == {(("leaf", 2), ("spine", 3))}
        roots = {node[:3]: chain[-1].partition("-")[0] for node, chain in chained.items()}
        assert roots == {"nod": "ib", "hgx": "eth"}
        assert outcome.news == frozenset()


def test_of_compute_and_storage_on_ethernet_the_wider_one_makes_the_tree() -> None:
    compute = Site(drawing=draw_tree(TREE), voices=SWEPT)
    storage_tree = Tree(units=(Unit(6, 1),), wiring="classic", tiers=2, spines=1, name="st", first_device=2, number=1,
                        aggregation=False)  # fmt: skip
    for heard in (SWEPT, HOSTS_ONLY):
        compute.voices = heard
        slow = Voices(switches_told=heard.switches_told, megabits=100_000)
        storage = Site(drawing=draw_tree(storage_tree), voices=slow)
        days = Days(site=together({"compute": compute, "storage": storage}))
        chained = chains(days.go_on())
        assert len({chain[0] for chain in chained.values()}) == 2
        assert {"-cf-" in chain[0] for chain in chained.values()} == {True}


@pytest.mark.parametrize("heard", [SWEPT, HOSTS_ONLY])
def test_nodes_on_infiniband_and_roce_stand_where_most_bandwidth_is_and_stay_there(heard: Voices) -> None:
    """Two NDR ports of each node on InfiniBand, one of 400G for storage; later four more on Ethernet."""
    storage = Tree(units=(Unit(6, 1),), wiring="classic", tiers=2, spines=1, name="st", first_device=2, number=1,
                   aggregation=False)  # fmt: skip
    sites = {"ib": Site(), "eth": Site(drawing=draw_tree(storage), voices=heard)}
    days = Days(site=together(sites))
    before = chains(days.go_on())
    assert {chain[-1].partition("-")[0] for chain in before.values()} == {"ib"}
    wider = replace(storage, units=(Unit(6, 5),), name="st2", number=2, first_device=3)
    sites["more"] = Site(drawing=draw_tree(wider), voices=heard)
    for _ in range(4):
        assert chains(days.go_on()) == before


def test_a_partial_sweep_makes_no_switch_of_ethernet_go() -> None:
    days = Days(site=Site(voices=SWEPT))
    before = chains(days.go_on())
    days.site.outcome = FAILED
    for _ in range(6):
        assert chains(days.go_on()) == before
    days.site.outcome = COMPLETE
    assert chains(days.go_on()) == before
