"""Fabrics of 2,000 hosts with 1 % of cables missing and 1 % of host cables exchanged keep their domains.

The trials are those of `soak domains`, which runs them with more seeds.
"""

from __future__ import annotations

import pytest

from bench.soak_domains import NAMED, PLACED, Trial, trials
from discovery.ibnetdiscover import parse
from topology.conclude import conclude
from topology.synth.damage import damage
from topology.synth.defects import Defects
from topology.synth.evidence import scan_of
from topology.synth.score import score
from topology.synth.spec import XDR, Box, Tree, units_of
from topology.synth.text import write_text
from topology.synth.tree import draw_tree

TRIALS = {trial.name: trial for trial in trials()}


@pytest.mark.parametrize("name", TRIALS)
@pytest.mark.parametrize("seed", [101, 102, 103])
def test_hosts_stay_in_their_domains_and_exchanged_cables_are_named(name: str, seed: int) -> None:
    result = TRIALS[name].run(seed)
    assert result.roots == 1
    assert result.placed >= PLACED, result.misplaced
    assert result.recall >= NAMED, result.missed
    assert result.precision >= NAMED, result.invented


@pytest.mark.parametrize(
    "name", ["4 rails, 2 tiers, hosts exchanged, good names", "classic, 3 tiers, hosts exchanged, good names"]
)
def test_text_with_blocks_in_random_order_says_the_same_as_columns(name: str) -> None:
    trial: Trial = TRIALS[name]
    drawing = damage(draw_tree(trial.tree), trial.defects)
    read = conclude([parse(write_text(scan_of(drawing), shuffle_seed=7), "synthetic")])
    direct = conclude([scan_of(drawing)])
    results = [score(drawing, result.hierarchy.hyper_nodes, result.anomalies) for result in (read, direct)]
    assert results[0] == results[1]
    trees = [{node.name: node.nodes for node in result.hierarchy.hyper_nodes} for result in (read, direct)]
    assert trees[0] == trees[1]


@pytest.mark.parametrize("box", ["planes", "asic"])
def test_exchanged_cables_of_several_planes_are_named_at_the_asic_that_they_hang_on(box: Box) -> None:
    spec = Tree(units_of(256, 32, 4), planes=4, box=box, hardware=XDR, spines=4)
    drawing = damage(draw_tree(spec), Defects(missing=0.01, rails_exchanged=0.02, hosts_exchanged=0.02, strays=4))
    conclusion = conclude([scan_of(drawing)])
    result = score(drawing, conclusion.hierarchy.hyper_nodes, conclusion.anomalies)
    assert (result.roots, result.misplaced) == (1, ())
    assert result.found >= 40
    assert result.missed == frozenset()
    assert result.invented == frozenset()
