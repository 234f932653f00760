"""What is being built, or breaks, changes nothing for those whom it does not concern."""

from __future__ import annotations

import numpy as np
import pytest

from discovery.scan import NodeKind
from tests.topology.synth.checks import domains, kinds, pods, roots, units, wrong_levels
from topology.conclude import Cluster, conclude
from topology.synth.damage import damage, without_cable, without_switch
from topology.synth.defects import Construction, Defects
from topology.synth.drawing import Drawing
from topology.synth.draws import shuffle
from topology.synth.evidence import scan_of
from topology.synth.sites import nvlink_racks
from topology.synth.spec import Tree, Unit, units_of
from topology.synth.tree import draw_tree

SITES = {
    "one rail in part": Construction(unit=3, part_rails=(5,)),
    "three rails in part": Construction(unit=3, part_rails=(1, 2, 5)),
    "leaves without a host": Construction(unit=3, part_rails=(5,), bare_rails=(6, 7)),
    "two thirds of the rails bare": Construction(unit=3, bare_rails=(2, 3, 4, 5, 7)),
    "two thirds in part": Construction(unit=3, part_rails=(2, 3, 4, 5, 7)),
    "one rail": Construction(unit=3, bare_rails=(1, 2, 3, 4, 5, 6, 7)),
}


@pytest.mark.parametrize("tiers", [2, 3])
@pytest.mark.parametrize("name", SITES)
def test_a_unit_under_construction_is_one_unit(name: str, tiers: int) -> None:
    spec = Tree(units_of(128), tiers=3 if tiers == 3 else 2, pod_units=2, spines=4)
    whole = draw_tree(spec)
    drawing = damage(whole, Defects(construction=SITES[name]))
    conclusion = conclude([scan_of(drawing)])
    assert wrong_levels(drawing, conclusion) == {}
    assert domains(conclusion, "leaf") == units(whole)
    assert domains(conclusion, "spine") == pods(whole)
    assert roots(conclusion) == [frozenset(whole.hosts)]


def test_rail_5_of_a_new_unit_cabled_for_6_of_32_hosts_leaves_all_its_leaves_in_one_domain() -> None:
    drawing = damage(draw_tree(Tree(units_of(128))), Defects(construction=Construction(unit=2, part_rails=(5,))))
    conclusion = conclude([scan_of(drawing)])
    unit = dict(zip(drawing.nodes.guid.tolist(), drawing.places.unit.tolist(), strict=True))
    domain = conclusion.structure.domain_of_switch.tolist()
    in_unit = {domain[number] for number, switch in enumerate(conclusion.graph.switches) if unit[switch.guid] == 2}
    assert len(in_unit) == 1
    assert -1 not in in_unit


def test_the_first_nvl72_rack_changes_no_tier_and_no_name() -> None:
    hgx = units_of(128)
    before = draw_tree(Tree(hgx, tiers=3, pod_units=2))
    after = draw_tree(Tree((*hgx, Unit(18, 4)), tiers=3, pod_units=2))
    nvlink: dict[str, str | None] = dict.fromkeys(before.hosts)
    old = conclude([scan_of(before)], Cluster(nvlink=nvlink))
    nvlink |= nvlink_racks(after.hosts[128:])
    for previous in ((), old.hierarchy.hyper_nodes):
        new = conclude([scan_of(after)], Cluster(nvlink=nvlink), previous=previous)
        named = {node.name: node for node in new.hierarchy.hyper_nodes}
        for node in old.hierarchy.hyper_nodes:
            assert (named[node.name].tier, named[node.name].tier_name) == (node.tier, node.tier_name)
            assert set(node.nodes) <= set(named[node.name].nodes)
        assert domains(new, "leaf") == units(after)
        assert frozenset(after.hosts[128:]) in domains(new, "nvlink")
        assert len(domains(new, "nvlink")) == 1 + 128


def test_one_more_unit_renames_nothing() -> None:
    before, after = draw_tree(Tree(units_of(96))), draw_tree(Tree(units_of(128)))
    old = conclude([scan_of(before)]).hierarchy.hyper_nodes
    new = conclude([scan_of(after)], previous=old).hierarchy.hyper_nodes
    assert {node.name for node in old} < {node.name for node in new}


def test_a_unit_without_any_uplink_is_an_island_with_its_hosts_together() -> None:
    whole = draw_tree(Tree(units_of(128), spines=4))
    conclusion = conclude([scan_of(damage(whole, Defects(cut_off=(1,))))])
    assert domains(conclusion, "leaf") == units(whole)
    assert "island" in kinds(conclusion)


def test_a_dead_leaf_and_a_dead_spine_move_nobody() -> None:
    whole = draw_tree(Tree(units_of(128), spines=4))
    for seed in range(5):
        conclusion = conclude([scan_of(damage(whole, Defects(dead_leaves=1, dead_spines=1, seed=seed)))])
        assert domains(conclusion, "leaf") == units(whole)
        assert roots(conclusion) == [frozenset(whole.hosts)]


ROBUST = {
    "rail-optimised": Tree(units_of(64, 8, 4), tiers=3, pod_units=4, spines=2, trunk=2, cores=2),
    "rail-only": Tree(units_of(24, 8, 4), wiring="rail-only", spines=2),
    "rail-only without spines": Tree(units_of(32), wiring="rail-only", tiers=1),
    "two planes": Tree(units_of(24, 8, 2), planes=2, spines=2),
}


@pytest.mark.parametrize("name", ROBUST)
def test_taking_away_any_one_cable_or_switch_changes_no_membership(name: str) -> None:
    whole = draw_tree(ROBUST[name])
    cables = np.flatnonzero(whole.nodes.kind[whole.cables.lower] != NodeKind.AGGREGATION)
    switches = np.flatnonzero(whole.places.level >= 0)
    variants = [without_cable(whole, row) for row in cables[shuffle(1, "cables", len(cables))[:25]].tolist()]
    variants += [without_switch(whole, node) for node in switches[shuffle(1, "switches", len(switches))[:15]].tolist()]
    expected = _membership(whole)
    for variant in variants:
        assert _membership(variant) == expected


def _membership(drawing: Drawing) -> tuple[set[frozenset[str]], set[frozenset[str]], list[frozenset[str]]]:
    conclusion = conclude([scan_of(drawing)])
    return domains(conclusion, "leaf"), domains(conclusion, "spine"), roots(conclusion)
