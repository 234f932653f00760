"""Every design that sites build has one tree with the domains that its builders would name."""

from __future__ import annotations

import pytest

from tests.topology.synth.checks import domains, kinds, pods, roots, units, wrong_levels
from topology.conclude import Cluster, conclude
from topology.synth.evidence import scan_of
from topology.synth.mesh import draw_mesh
from topology.synth.sites import compute_and_storage, demo_site
from topology.synth.spec import XDR, Mesh, StorageLeaf, Tree, Unit, units_of
from topology.synth.tree import draw_tree

TREES = {
    "rail-optimised, 2 tiers": Tree(units_of(120, 32)),
    "rail-optimised, 3 tiers": Tree(units_of(192, 16, 4), tiers=3, pod_units=4, spines=3),
    "rail-only, 2 tiers": Tree(units_of(120, 32), wiring="rail-only", spines=2),
    "rail-only, 3 tiers": Tree(units_of(192, 16, 4), wiring="rail-only", tiers=3, pod_units=4, spines=2),
    "classic, 2 tiers": Tree(units_of(120, 20, 4), wiring="classic"),
    "classic, 3 tiers": Tree(units_of(240, 20, 2), wiring="classic", tiers=3, pod_units=3, spines=4),
    "units of one host": Tree(units_of(6, 1, 4), wiring="classic"),
    "units of many sizes": Tree((Unit(32), Unit(18, 4), Unit(4), Unit(54, 4))),
}


@pytest.mark.parametrize("name", TREES)
def test_an_undamaged_tree_has_its_units_and_pods_under_one_root_and_nothing_to_report(name: str) -> None:
    drawing = draw_tree(TREES[name])
    conclusion = conclude([scan_of(drawing, shuffle_seed=5)])
    assert wrong_levels(drawing, conclusion) == {}
    assert domains(conclusion, "leaf") == units(drawing)
    assert domains(conclusion, "spine") == pods(drawing)
    assert roots(conclusion) == [frozenset(drawing.hosts)]
    assert len(conclusion.structure.fabrics) == 1
    assert kinds(conclusion) == {}


def test_eight_rail_leaves_without_any_spine_are_one_domain_and_one_root() -> None:
    drawing = draw_tree(Tree(units_of(32), wiring="rail-only", tiers=1))
    conclusion = conclude([scan_of(drawing)])
    (fabric,) = conclusion.structure.fabrics
    assert fabric.planes == 8
    assert [(node.tier_name, len(node.nodes)) for node in conclusion.hierarchy.hyper_nodes] == [("leaf", 32)]
    assert roots(conclusion) == [frozenset(drawing.hosts)]


def test_rails_swept_one_by_one_are_the_same_fabric() -> None:
    spec = Tree(units_of(32), tiers=1, planes=2)
    drawing = draw_tree(spec)
    together = conclude([scan_of(drawing)])
    apart = conclude([scan_of(drawing, plane) for plane in range(2)])
    assert apart.hierarchy == together.hierarchy


def test_two_planes_of_boxes_are_one_fabric() -> None:
    drawing = draw_tree(Tree(units_of(120, 32, 4), planes=2))
    conclusion = conclude([scan_of(drawing, plane) for plane in range(2)])
    (fabric,) = conclusion.structure.fabrics
    assert fabric.planes == 2
    assert domains(conclusion, "leaf") == units(drawing)
    assert roots(conclusion) == [frozenset(drawing.hosts)]


@pytest.mark.parametrize("sweeps", ["one sweep", "a sweep a plane"])
def test_the_asics_of_an_xdr_box_are_one_switch_with_four_planes(sweeps: str) -> None:
    drawing = draw_tree(Tree(units_of(96, 16, 4), planes=4, box="planes", hardware=XDR, spines=3))
    scans = [scan_of(drawing)] if sweeps == "one sweep" else [scan_of(drawing, plane) for plane in range(4)]
    conclusion = conclude(scans)
    (fabric,) = conclusion.structure.fabrics
    assert fabric.planes == 4
    assert len(conclusion.graph.switches) == 6 * 4 + 3
    assert domains(conclusion, "leaf") == units(drawing)
    assert roots(conclusion) == [frozenset(drawing.hosts)]
    assert kinds(conclusion) == {}


def test_the_leaves_of_a_director_stay_leaves() -> None:
    drawing = draw_tree(Tree(units_of(400, 10, 1), wiring="classic", spines=20, box="director"))
    conclusion = conclude([scan_of(drawing)])
    assert len(conclusion.graph.switches) == 60
    assert wrong_levels(drawing, conclusion) == {}
    assert domains(conclusion, "leaf") == units(drawing)
    assert roots(conclusion) == [frozenset(drawing.hosts)]


@pytest.mark.parametrize("tiers", [2, 3])
def test_a_storage_leaf_that_serves_four_units_merges_nothing(tiers: int) -> None:
    spec = Tree(units_of(96, 12), tiers=3 if tiers == 3 else 2, pod_units=4, storage_leaf=StorageLeaf(4, 6), spines=3)
    drawing = draw_tree(spec)
    compute = frozenset(host for host in drawing.hosts if host.startswith("node-"))
    conclusion = conclude([scan_of(drawing)], Cluster(names=compute))
    assert domains(conclusion, "leaf") == units(drawing)
    assert domains(conclusion, "spine") == pods(drawing)
    assert roots(conclusion) == [compute]
    assert int(conclusion.structure.shared.sum()) == 1


def test_a_management_host_on_a_spine_makes_no_leaf() -> None:
    drawing = draw_tree(Tree(units_of(96, 12), spine_hosts=3))
    compute = frozenset(host for host in drawing.hosts if host.startswith("node-"))
    for cluster in (Cluster(), Cluster(names=compute), Cluster(names=frozenset(drawing.hosts))):
        conclusion = conclude([scan_of(drawing)], cluster)
        assert wrong_levels(drawing, conclusion) == {}
        assert units(drawing) <= domains(conclusion, "leaf")


def test_compute_alone_makes_the_tree_of_hosts_that_have_storage_too() -> None:
    compute, storage = compute_and_storage(Tree(units_of(128)), rack_hosts=24)
    for scans in ([compute, storage], [storage, compute]):
        conclusion = conclude([scan_of(drawing) for drawing in scans], Cluster(names=frozenset(compute.hosts)))
        assert sorted(fabric.role for fabric in conclusion.structure.fabrics) == ["compute", "storage"]
        assert domains(conclusion, "leaf") == units(compute)
        assert roots(conclusion) == [frozenset(compute.hosts)]
        assert set(kinds(conclusion)) == {"unclaimed-host"}  # the storage servers are no nodes


def test_fabrics_without_a_common_host_are_separate_roots() -> None:
    first = draw_tree(Tree(units_of(128), name="one"))
    second = draw_tree(Tree(units_of(32, 16, 4), name="two", number=1, host_prefix="other-"))
    conclusion = conclude([scan_of(first), scan_of(second)])
    assert domains(conclusion, "leaf") == units(first) | units(second)
    assert set(roots(conclusion)) == {frozenset(first.hosts), frozenset(second.hosts)}
    assert len(conclusion.structure.fabrics) == 2


@pytest.mark.parametrize("spines", [3, 0], ids=["dragonfly", "mesh"])
def test_a_fabric_that_is_no_tree_is_said_once_and_has_one_root(spines: int) -> None:
    drawing = draw_mesh(Mesh(groups=4, leaves=4, spines=spines))
    conclusion = conclude([scan_of(drawing)])
    assert kinds(conclusion) == {"not-a-tree": 1}
    assert domains(conclusion, "leaf") == units(drawing)
    assert roots(conclusion) == [frozenset(drawing.hosts)]


def test_the_demo_has_six_racks_in_two_rows_under_one_rank_of_spines() -> None:
    site = demo_site()
    conclusion = conclude(site.scans(), Cluster(names=frozenset(site.nodes), nvlink=site.nvlink))
    racks = {frozenset(node for node in site.nodes if f"-{row}-{rack}-" in node) for row, rack in _racks()}
    rows = {frozenset(node for node in site.nodes if f"-{row}-" in node) for row in ("row1", "row2")}
    assert domains(conclusion, "nvlink") == racks
    assert domains(conclusion, "leaf") == rows
    assert domains(conclusion, "spine") == {frozenset(site.nodes[:108])}
    assert [(node.tier, node.tier_name) for node in conclusion.hierarchy.hyper_nodes if node.parent is None] == [
        (3, "spine")
    ]
    assert {entry.node for entry in conclusion.unplaced} == set(site.nodes[108:])
    assert kinds(conclusion) == {}


def _racks() -> list[tuple[str, str]]:
    return [(row, rack) for row in ("row1", "row2") for rack in ("rack01", "rack02", "rack03")]
