"""One link, port or switch more or less changes no membership of a host that still has a link."""

from __future__ import annotations

import numpy as np
import pytest

from tests.topology.ethernet.concluding import concluded, leaf_domains
from topology.synth.damage import without_cable, without_switch
from topology.synth.drawing import Drawing
from topology.synth.ethernet import Voices
from topology.synth.spec import Tree, Unit
from topology.synth.tree import draw_tree

RAILS = draw_tree(Tree(units=(Unit(4, 4),) * 2, wiring="rails", tiers=2, spines=2, aggregation=False))
RACKS = draw_tree(Tree(units=(Unit(4, 2),) * 2, wiring="classic", tiers=2, spines=2, aggregation=False))
PAIRS = draw_tree(Tree(units=(Unit(4, 2),) * 2, wiring="rails", tiers=2, spines=2, aggregation=False))

CASES = {
    "rails, swept": (RAILS, Voices()),
    "rails, by hosts alone": (RAILS, Voices(switches_told=False)),
    "racks, swept": (RACKS, Voices()),
    "racks, by hosts alone": (RACKS, Voices(switches_told=False)),
    "racks, by switches alone": (RACKS, Voices(nodes_listen=False)),
    "bonds to pairs of leaves": (PAIRS, Voices(bonds=True)),
    "bonds, by hosts alone": (PAIRS, Voices(bonds=True, switches_told=False)),
}


def groups(found: dict[str, str], among: set[str]) -> set[frozenset[str]]:
    return {
        frozenset(node for node in among if found.get(node) == name) for name in {found.get(node) for node in among}
    }


def linked(drawing: Drawing) -> set[str]:
    return {drawing.hosts[host] for host in np.flatnonzero(drawing.attached()).tolist()}


@pytest.mark.parametrize("case", CASES)
def test_removing_any_one_cable_or_switch_changes_no_membership(case: str) -> None:
    drawing, voices = CASES[case]
    whole = leaf_domains(concluded(drawing, voices))
    switches = sorted({*drawing.cables.upper.tolist()})
    damaged = [without_cable(drawing, row) for row in range(len(drawing.cables))]
    for less in [*damaged, *(without_switch(drawing, switch) for switch in switches)]:
        found = leaf_domains(concluded(less, voices))
        assert groups(found, linked(less)) == groups(whole, linked(less))


@pytest.mark.parametrize("case", CASES)
def test_a_node_that_falls_silent_takes_nobody_along(case: str) -> None:
    drawing, voices = CASES[case]
    whole = leaf_domains(concluded(drawing, voices))
    for host in range(len(drawing.hosts)):
        less = drawing
        for row in np.flatnonzero(drawing.places.host[drawing.cables.lower] == host).tolist():
            less = without_cable(less, row)
        others = set(drawing.hosts) - {drawing.hosts[host]}
        assert groups(leaf_domains(concluded(less, voices)), others) == groups(whole, others)
