"""The tree: uniform depth, one parent, one root a fabric, tier numbers from the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from tests.topology.test_grouping import rails, spines
from tests.topology.test_levels import three_tiers
from tests.topology.wiring import fat_tree, scan_of
from topology.domains import find_structure
from topology.hierarchy import DEFAULT_TIERS, HyperNode, check_tiers, tier_name, tier_number
from topology.merge import merge
from topology.tree import Tree, build_tree


def tree_of(
    cables: Sequence[str], nvlink: Mapping[str, str | None] | None = None, previous: Sequence[HyperNode] = ()
) -> Tree:
    graph = merge([scan_of(cables)])
    return build_tree(graph, find_structure(graph), nvlink or {}, DEFAULT_TIERS, previous=previous)


def tiers(tree: Tree) -> dict[str, int]:
    """How many HyperNodes each tier has."""
    names = [node.tier_name for node in tree.hierarchy.hyper_nodes]
    return {name: names.count(name) for name in names}


def assert_well_formed(tree: Tree) -> None:
    """One parent each, uniform depth, and every parent holds exactly its children's nodes."""
    by_name = {node.name: node for node in tree.hierarchy.hyper_nodes}
    assert len(by_name) == len(tree.hierarchy.hyper_nodes)
    lowest = min(node.tier for node in by_name.values())
    for node in by_name.values():
        assert bool(node.children) == (node.tier > lowest)
        for child in node.children:
            assert by_name[child].parent == node.name
            assert by_name[child].tier < node.tier
        if node.children:
            assert node.nodes == tuple(sorted(n for child in node.children for n in by_name[child].nodes))


def test_a_fabric_of_three_tiers_has_one_root() -> None:
    tree = tree_of(three_tiers())
    assert tiers(tree) == {"leaf": 12, "spine": 3, "core": 1}
    assert_well_formed(tree)
    assert [node.name for node in tree.hierarchy.hyper_nodes if node.parent is None] == ["ib-core-core"]


def test_rail_only_is_one_hyper_node_and_that_is_the_root() -> None:
    tree = tree_of(rails(units=1, leaves=8, hosts=32))
    assert [(node.tier_name, node.parent, len(node.nodes)) for node in tree.hierarchy.hyper_nodes] == [
        ("leaf", None, 32)
    ]


def test_several_top_domains_get_one_root_that_no_switch_stands_for() -> None:
    near = fat_tree(2, 1, 4)
    far = [line.replace("leaf", "far").replace("spine", "away").replace("host:h", "host:f") for line in near]
    tree = tree_of([*near, *far, "leaf0 far0"])
    assert_well_formed(tree)
    roots = [node for node in tree.hierarchy.hyper_nodes if node.parent is None]
    assert [(root.tier_name, root.switches, len(root.nodes)) for root in roots] == [("core", (), 16)]


def test_an_nvlink_rack_is_one_level_below_the_leaf_and_lone_nodes_have_one_each() -> None:
    nvlink = {f"u0h{host}": "uuid.1" for host in range(8)}
    tree = tree_of(rails(units=2, leaves=4, hosts=8), nvlink)
    assert tiers(tree)["nvlink"] == 1 + 8
    assert_well_formed(tree)


def test_the_first_nvlink_rack_changes_no_tier_number_and_no_name() -> None:
    cables = rails(units=2, leaves=4, hosts=8)
    before = {(node.name, node.tier) for node in tree_of(cables).hierarchy.hyper_nodes}
    after = tree_of(cables, {f"u0h{host}": "uuid.1" for host in range(8)})
    assert before <= {(node.name, node.tier) for node in after.hierarchy.hyper_nodes}


def joined(units: int) -> list[str]:
    """Units of 8 hosts on 4 rail leaves, under one rank of spines."""
    cables = rails(units, leaves=4, hosts=8)
    return [*cables, *spines(cables)]


def test_racks_whose_cluster_uuids_begin_alike_have_names_that_depend_on_no_order() -> None:
    uuids = ["7b968a6d-c8aa-45e1-9e07-e1e51be99c31", "7b968a6d-0001-45e1-9e07-e1e51be99c31"]
    racks = [{f"u{unit}h{host}": f"{uuids[unit]}.1" for host in range(8)} for unit in range(2)]
    cables = joined(units=2)
    names = {
        node.name: node.nodes[0] for node in tree_of(cables, {**racks[0], **racks[1]}).hierarchy.hyper_nodes
        if node.tier_name == "nvlink"
    }  # fmt: skip
    assert names == {"ib-nvlink-7b968a6d-c8aa-1": "u0h0", "ib-nvlink-7b968a6d-0001-1": "u1h0"}
    first = tree_of(joined(units=1), racks[0]).hierarchy.hyper_nodes
    later = tree_of(cables, {**racks[0], **racks[1]}, previous=first).hierarchy.hyper_nodes
    kept = {node.name for node in later if node.tier_name == "nvlink"}
    assert kept == {"ib-nvlink-7b968a6d-1", "ib-nvlink-7b968a6d-0001-1"}


def test_an_added_unit_and_a_replaced_switch_rename_nothing() -> None:
    first = tree_of(rails(units=2, leaves=4, hosts=8)).hierarchy.hyper_nodes
    cables = [cable.replace("u0l0", "new0l0") for cable in rails(units=3, leaves=4, hosts=8)]
    second = tree_of(cables, previous=first)
    kept = {node.name: node.nodes for node in second.hierarchy.hyper_nodes if node.tier_name == "leaf"}
    assert {node.name: node.nodes for node in first if node.tier_name == "leaf"}.items() <= kept.items()


def test_a_host_on_a_spine_is_unplaced_with_a_reason() -> None:
    tree = tree_of([*fat_tree(4, 2, 6), "spine0 host:tank/HCA-1"])
    assert [(entry.node, entry.reason) for entry in tree.unplaced] == [("tank", "AmbiguousDomain")]


def test_tiers_beyond_the_table_keep_rising() -> None:
    assert [tier_name(level) for level in range(6)] == ["leaf", "spine", "core", "core2", "core3", "core4"]
    assert [tier_number(DEFAULT_TIERS, name) for name in ("core3", "core4", "core5")] == [6, 7, 8]


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ({"leaf": 2, "spine": 2, "core": 3}, "rise upward"),
        ({"leaf": 0, "spine": 2, "core": 3}, "start at 1"),
        ({"leaf": 1, "spine": 2, "core": 3, "rack": 9}, "unknown tier 'rack'"),
        ({"leaf": 1}, "at least leaf, spine and core"),
    ],
)
def test_a_table_that_would_mislead_is_refused_in_a_sentence(table: dict[str, int], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        check_tiers(table)
