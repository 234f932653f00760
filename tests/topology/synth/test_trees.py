"""Fat trees have the switches and cables that arithmetic gives, and their truth says where each stands."""

from __future__ import annotations

import numpy as np
import pytest

from discovery.scan import NodeKind
from tests.topology.synth.checks import cables_by_levels, ports_used_twice, switches_by_level
from topology.synth.spec import XDR, StorageLeaf, Tree, Unit, units_of
from topology.synth.tree import draw_tree


def test_three_tiers_with_the_sizes_of_selene_have_its_switches_and_trunks() -> None:
    # 25 units of 8 rail leaves, 4 pods of 10 spines a rail, 14 cores for each of the 10 positions: 660 of Selene's
    # 666 switches (the others are its management leaves and spines).
    drawing = draw_tree(Tree(units=(Unit(20),) * 25, tiers=3, pod_units=7, spines=10, trunk=2, cores=14))
    assert switches_by_level(drawing) == {0: 25 * 8, 1: 4 * 8 * 10, 2: 140}
    assert cables_by_levels(drawing) == {
        (-1, 0): 25 * 20 * 8 + 200,  # and the aggregation node of each switch
        (-1, 1): 320,
        (-1, 2): 140,
        (0, 1): 200 * 10 * 2,
        (1, 2): 320 * 14,
    }
    assert np.bincount(drawing.host_pod).tolist() == [140, 140, 140, 80]


def test_two_rail_optimised_tiers_join_every_leaf_with_every_spine() -> None:
    drawing = draw_tree(Tree(units=units_of(100, 32, 4), spines=3, trunk=2, aggregation=False))
    assert len(drawing.hosts) == 100
    assert np.bincount(drawing.host_unit).tolist() == [32, 32, 32, 4]
    assert switches_by_level(drawing) == {0: 16, 1: 3}
    assert cables_by_levels(drawing) == {(-1, 0): 400, (0, 1): 16 * 3 * 2}


def test_rail_optimised_puts_adapter_k_of_a_host_on_rail_leaf_k_of_its_unit_at_one_port_number() -> None:
    drawing = draw_tree(Tree(units=units_of(64), aggregation=False))
    rows = drawing.host_cables()
    lower, upper = drawing.cables.lower[rows], drawing.cables.upper[rows]
    places = drawing.places
    assert np.array_equal(places.rail[lower], places.rail[upper])
    assert np.array_equal(places.unit[lower], places.unit[upper])
    assert np.array_equal(drawing.cables.upper_port[rows], places.host[lower] % 32 + 1)


def test_rail_only_fabrics_have_no_way_from_rail_to_rail() -> None:
    for tiers, switches in ((1, {0: 16}), (2, {0: 16, 1: 8 * 2}), (3, {0: 16, 1: 2 * 8 * 2, 2: 8 * 2 * 3})):
        spec = Tree(units=units_of(64), wiring="rail-only", tiers=tiers, pod_units=1, spines=2, cores=3)  # type: ignore[arg-type]  # from a table
        drawing = draw_tree(spec)
        assert switches_by_level(drawing) == switches
        rail = drawing.places.rail
        trunks = drawing.places.level[drawing.cables.lower] >= 0
        assert np.array_equal(rail[drawing.cables.lower[trunks]], rail[drawing.cables.upper[trunks]])


def test_classic_wiring_puts_all_adapters_of_a_host_on_the_leaf_of_its_rack() -> None:
    drawing = draw_tree(Tree(units=units_of(40, 20, 4), wiring="classic", spines=2, aggregation=False))
    assert switches_by_level(drawing) == {0: 2, 1: 2}
    assert cables_by_levels(drawing) == {(-1, 0): 160, (0, 1): 4}


def test_the_planes_of_one_xdr_switch_share_a_box_and_no_cable() -> None:
    drawing = draw_tree(Tree(units=units_of(16, 8, 4), planes=4, box="planes", hardware=XDR, spines=2))
    assert switches_by_level(drawing) == {0: 2 * 4 * 4, 1: 2 * 4}
    switches = drawing.nodes.kind == NodeKind.SWITCH
    boxes, asics = np.unique(drawing.nodes.system_guid[switches], return_counts=True)
    assert len(boxes) == 2 * 4 + 2
    assert set(asics.tolist()) == {4}
    trunks = drawing.places.level[drawing.cables.lower] >= 0
    plane = drawing.places.plane
    assert np.array_equal(plane[drawing.cables.lower[trunks]], plane[drawing.cables.upper[trunks]])
    hosts = drawing.host_cables()
    assert np.array_equal(plane[drawing.cables.upper[hosts]] + 1, drawing.cables.lower_port[hosts])


def test_a_director_is_one_box_of_leaf_and_spine_boards() -> None:
    drawing = draw_tree(Tree(units=units_of(400, 10, 1), wiring="classic", spines=20, box="director"))
    switches = np.flatnonzero(drawing.nodes.kind == NodeKind.SWITCH)
    assert len(switches) == 60
    assert len(np.unique(drawing.nodes.system_guid[switches])) == 1
    assert len(np.unique(drawing.nodes.guid[switches])) == 60
    assert drawing.nodes.description[int(switches[6])] == "MF0;cf:CS8500/L07/U1"
    assert drawing.nodes.description[int(switches[51])] == "MF0;cf:CS8500/S12/U1"


def test_a_storage_leaf_joins_an_extra_adapter_of_every_host_of_the_units_it_serves() -> None:
    spec = Tree(units=units_of(40, 8, 4), spines=2, storage_leaf=StorageLeaf(units=4, servers=3), spine_hosts=2)
    drawing = draw_tree(spec)
    leaf = drawing.nodes.description.index("MF0;cf-storage-leaf:MQM9700/U1")
    on_leaf = drawing.cables.lower[drawing.cables.upper == leaf]
    hosts = [drawing.hosts[drawing.places.host[node]] for node in on_leaf if drawing.nodes.kind[node] == NodeKind.HOST]
    assert hosts == [*(f"node-{host:05d}" for host in range(32)), "storage-01", "storage-02", "storage-03"]
    assert drawing.hosts[-2:] == ("mgmt-01", "mgmt-02")
    assert drawing.host_unit[-5:].tolist() == [-1] * 5


def test_every_port_of_every_kind_has_one_cable() -> None:
    units = units_of(48, 16, 4)
    kinds = (
        Tree(units=units),
        Tree(units=units, tiers=3, pod_units=2, storage_leaf=StorageLeaf(2, 2), spine_hosts=3),
        Tree(units=units, wiring="rail-only", tiers=3, pod_units=2),
        Tree(units=units, wiring="classic", tiers=3, pod_units=2, planes=2),
        Tree(units=(Unit(16, 8), Unit(18, 4)), planes=4, box="planes", hardware=XDR),
    )
    assert [ports_used_twice(draw_tree(spec)) for spec in kinds] == [0] * len(kinds)


def test_a_fabric_that_grows_by_a_unit_keeps_every_identity() -> None:
    before = draw_tree(Tree(units=units_of(64), tiers=3, pod_units=2))
    after = draw_tree(Tree(units=(*units_of(64), Unit(18, 4)), tiers=3, pod_units=2))
    rows = zip(after.nodes.guid.tolist(), after.nodes.description, strict=True)
    texts = dict(rows)
    assert len(texts) == len(after.nodes)
    known = zip(before.nodes.guid.tolist(), before.nodes.description, strict=True)
    assert all(texts[guid] == text for guid, text in known)


def test_seeds_and_numbers_give_other_identities() -> None:
    drawings = [draw_tree(Tree(seed=1)), draw_tree(Tree(seed=2)), draw_tree(Tree(seed=1, number=1))]
    first, second, third = (set(drawing.nodes.guid.tolist()) for drawing in drawings)
    assert len(first & second) < len(first) / 100
    assert not first & third
    assert np.array_equal(drawings[0].nodes.guid, draw_tree(Tree(seed=1)).nodes.guid)


def test_a_switch_with_more_ports_than_a_port_number_can_say_is_refused() -> None:
    with pytest.raises(ValueError, match="a switch would have 320 cables; 254 ports are the most"):
        draw_tree(Tree(units=units_of(40 * 8, 8), aggregation=False))
