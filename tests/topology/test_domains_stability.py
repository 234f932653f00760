"""Neither the order of discovery, nor which hosts are nodes, nor a lost switch changes a domain, a level or a name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from tests.topology.synth.checks import domains, pods, roots, units, wrong_levels
from topology.conclude import Cluster, Conclusion, conclude
from topology.hierarchy import HyperNode
from topology.synth.damage import damage, without_switch
from topology.synth.defects import Defects, SwitchNames
from topology.synth.drawing import Drawing
from topology.synth.evidence import scan_of
from topology.synth.spec import StorageLeaf, Tree, Unit, units_of
from topology.synth.tree import draw_tree

THREE_TIERS = Tree(units_of(192, 16, 4), tiers=3, pod_units=4, spines=3)
NAMES: tuple[SwitchNames, ...] = ("good", "factory", "product")


def concluded(drawing: Drawing, seed: int | None = None, previous: Iterable[HyperNode] = ()) -> Conclusion:
    return conclude([scan_of(drawing, shuffle_seed=seed)], previous=tuple(previous))


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("wiring", ["rails", "classic"])
def test_the_order_of_discovery_changes_nothing(names: SwitchNames, wiring: str) -> None:
    tree = replace(THREE_TIERS, wiring="classic") if wiring == "classic" else THREE_TIERS
    defects = Defects(missing=0.02, hosts_exchanged=0.02, strays=3, switch_names=names)
    drawing = damage(draw_tree(tree), defects)
    first, second = concluded(drawing, 1), concluded(drawing, 2)
    assert first.hierarchy == second.hierarchy
    assert set(first.anomalies) == set(second.anomalies)


@pytest.mark.parametrize("names", NAMES)
def test_names_are_unique_and_legal_whatever_the_switches_are_called(names: SwitchNames) -> None:
    drawing = damage(draw_tree(replace(THREE_TIERS, name="Very_Long." * 4)), Defects(switch_names=names))
    found = [node.name for node in concluded(drawing).hierarchy.hyper_nodes]
    assert len(set(found)) == len(found)
    assert all(len(name) <= 63 and re.fullmatch(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", name) for name in found)


@pytest.mark.parametrize("names", NAMES)
def test_a_cluster_of_one_unit_has_that_units_levels_and_names(names: SwitchNames) -> None:
    drawing = damage(draw_tree(THREE_TIERS), Defects(switch_names=names))
    whole = {node.name: node for node in concluded(drawing).hierarchy.hyper_nodes}
    chosen = frozenset(np.array(drawing.hosts)[drawing.host_unit == 5].tolist())
    part = conclude([scan_of(drawing)], Cluster(names=chosen))
    assert wrong_levels(drawing, part) == {}
    assert roots(part) == [chosen]
    for node in part.hierarchy.hyper_nodes:
        assert (node.tier, node.tier_name) == (whole[node.name].tier, whole[node.name].tier_name)
        assert set(node.nodes) == chosen & set(whole[node.name].nodes)


@pytest.mark.parametrize("names", NAMES)
def test_a_lost_switch_renames_nothing(names: SwitchNames) -> None:
    drawing = damage(draw_tree(THREE_TIERS), Defects(switch_names=names))
    before = concluded(drawing).hierarchy.hyper_nodes
    named = {node.name: node.nodes for node in before}
    level, guid = drawing.places.level, drawing.nodes.guid
    for height in (0, 1, 2):
        switches = np.flatnonzero(level == height)
        lowest = int(switches[np.argmin(guid[switches])])  # the one that a name may come from
        after = concluded(without_switch(drawing, lowest), previous=before)
        assert {node.name: node.nodes for node in after.hierarchy.hyper_nodes} == named


def test_hosts_of_many_kinds_share_a_fabric_and_keep_their_units() -> None:
    mixed = (*(Unit(32, 8),) * 4, *(Unit(18, 4),) * 3, Unit(36, 4), Unit(6, 2), Unit(1, 8))
    spec = Tree(mixed, spines=4, storage_leaf=StorageLeaf(3, 5), spine_hosts=4)
    drawing = damage(draw_tree(spec), Defects(missing=0.01))
    compute = frozenset(host for host in drawing.hosts if host.startswith("node-"))
    conclusion = conclude([scan_of(drawing, shuffle_seed=4)], Cluster(names=compute))
    assert wrong_levels(drawing, conclusion) == {}
    assert domains(conclusion, "leaf") == units(drawing)
    assert domains(conclusion, "spine") == pods(drawing)
    assert roots(conclusion) == [compute]
