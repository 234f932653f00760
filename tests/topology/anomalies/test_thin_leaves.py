"""A rail under construction is said even where no host votes for it."""

from __future__ import annotations

import pytest

from topology.conclude import conclude
from topology.synth.damage import damage
from topology.synth.defects import Construction, Defects
from topology.synth.evidence import scan_of
from topology.synth.spec import Tree, Unit
from topology.synth.tree import draw_tree


@pytest.mark.parametrize("rails", [2, 3, 4])
@pytest.mark.parametrize("cabled", [2, 6, 15])
@pytest.mark.parametrize("rail", [0, 1])
def test_a_half_cabled_rail_is_one_unit_and_one_finding(rails: int, cabled: int, rail: int) -> None:
    drawing = draw_tree(Tree(units=(Unit(32, rails),) * 3, spines=4, seed=1))
    site = Construction(unit=1, part_rails=(rail,), part_hosts=cabled)
    found = conclude([scan_of(damage(drawing, Defects(construction=site)))])
    leaves = [node for node in found.hierarchy.hyper_nodes if node.tier_name == "leaf"]
    assert [len(leaf.nodes) for leaf in leaves] == [32, 32, 32]
    assert [(anomaly.kind, anomaly.where[0].name) for anomaly in found.anomalies] == [
        ("missing-link", f"cf-leaf-002-{rail + 1}")
    ]


def test_a_fabric_built_of_uneven_leaves_is_no_finding() -> None:
    units = tuple(Unit(hosts, 1) for hosts in (32, 8, 30, 6))
    assert not conclude([scan_of(draw_tree(Tree(units=units, spines=4)))]).anomalies
