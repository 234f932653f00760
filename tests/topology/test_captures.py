"""What is known to be true of real fabrics (the INDEX beside the captures) holds from their bytes to the tree."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from discovery.descriptions import host_name
from discovery.ibnetdiscover import parse
from discovery.scan import LinkColumns, NodeKind, Scan
from topology.conclude import Cluster, Conclusion, conclude
from topology.hierarchy import HyperNode


@cache
def scan(path: Path) -> Scan:
    return parse(path.read_bytes(), path.name)


def cluster(found: Scan, pattern: str) -> Cluster:
    """The cluster of the hosts whose name matches."""
    nodes = found.nodes
    names = (
        host_name(text)[0] for text, kind in zip(nodes.description, nodes.kind, strict=True) if kind == NodeKind.HOST
    )
    return Cluster(names=frozenset(name.lower() for name in names if name and re.search(pattern, name)))


def tier(conclusion: Conclusion, name: str) -> list[HyperNode]:
    return [node for node in conclusion.hierarchy.hyper_nodes if node.tier_name == name]


def leaf_of(conclusion: Conclusion) -> dict[str, str]:
    return {node: leaf.name for leaf in tier(conclusion, "leaf") for node in leaf.nodes}


def units_by_leaf_name(found: Scan, pattern: str) -> dict[str, set[str]]:
    """By host the units that the names of its leaves carry, read off the cables alone."""
    units: dict[str, set[str]] = defaultdict(set)
    nodes, links = found.nodes, found.links
    for a, b in zip(links.a_node.tolist(), links.b_node.tolist(), strict=True):
        for switch, adapter in ((a, b), (b, a)):
            carried = re.search(pattern, nodes.description[switch])
            name = host_name(nodes.description[adapter])[0]
            if nodes.kind[switch] == NodeKind.SWITCH and nodes.kind[adapter] == NodeKind.HOST and carried and name:
                units[name.lower()].add(carried[1])
    return units


def without_link(found: Scan, row: int) -> Scan:
    keep = np.arange(len(found.links)) != row
    columns = {name: getattr(found.links, name)[keep] for name in LinkColumns.__slots__}
    return replace(found, links=LinkColumns(**columns))


@pytest.fixture
def superpod(shared_data: Path) -> Scan:
    return scan(shared_data / "ib/superpod-ndr.txt")


@pytest.fixture
def selene(shared_data: Path) -> Scan:
    return scan(shared_data / "ib/selene-compute.txt")


def test_superpod_has_eight_units_under_nine_spines(superpod: Scan) -> None:
    found = conclude([superpod], cluster(superpod, "dgx"))
    truth = units_by_leaf_name(superpod, r"IBLEAF-\d+-(\d+)")
    leaves = tier(found, "leaf")
    assert len(leaves) == 8
    assert sum(len(leaf.nodes) for leaf in leaves) == 119
    for leaf in leaves:
        assert [truth[node] for node in leaf.nodes] == [truth[leaf.nodes[0]]] * len(leaf.nodes)
    assert len({frozenset(truth[leaf.nodes[0]]) for leaf in leaves}) == 8
    assert [len(spine.switches) for spine in tier(found, "spine")] == [9]
    assert [node.name for node in found.hierarchy.hyper_nodes if node.parent is None] == [tier(found, "spine")[0].name]


def test_factory_named_adapters_of_superpod_are_not_one_host(superpod: Scan) -> None:
    graph = conclude([superpod]).graph
    assert len([host for host in graph.hosts if host.name is None]) > 17
    assert len([host for host in graph.hosts if host.node]) == 122


def test_a_cluster_of_one_unit_keeps_levels_and_names(superpod: Scan) -> None:
    whole = conclude([superpod], cluster(superpod, "dgx"))
    for leaf in tier(whole, "leaf"):
        part = conclude([superpod], Cluster(names=frozenset(leaf.nodes)))
        names = [(node.tier, node.name) for node in part.hierarchy.hyper_nodes]
        assert names == [(2, leaf.name), (3, tier(whole, "spine")[0].name)]


@pytest.mark.parametrize("part", range(5))
def test_no_single_link_of_superpod_decides_a_membership(superpod: Scan, part: int) -> None:
    dgx = cluster(superpod, "dgx")
    whole = leaf_of(conclude([superpod], dgx))
    for row in np.linspace(part, len(superpod.links) - 5 + part, 10).astype(int).tolist():
        assert leaf_of(conclude([without_link(superpod, row)], dgx)) == whole


def test_selene_has_25_units_in_four_pods_under_one_root(selene: Scan) -> None:
    found = conclude([selene], cluster(selene, "^luna-"))
    truth = units_by_leaf_name(selene, r"\bLG(\d+)-\d+")
    assert [len(found.hierarchy.hyper_nodes), len(leaf_of(found))] == [25 + 4 + 1, 458]
    for leaf in tier(found, "leaf"):
        assert {frozenset(truth[node]) for node in leaf.nodes} == {frozenset(truth[leaf.nodes[0]])}
        assert len(leaf.switches) == 8
    pods = {
        pod.name: sorted(next(iter(truth[leaf.nodes[0]])) for leaf in tier(found, "leaf") if leaf.parent == pod.name)
        for pod in tier(found, "spine")
    }
    assert sorted(pods.values()) == [
        [f"{unit:02d}" for unit in units] for units in (range(1, 8), range(8, 15), range(15, 19), range(22, 29))
    ]
    assert [(len(root.switches), root.parent) for root in tier(found, "core")] == [(140, None)]


def test_the_management_hosts_of_selene_change_nothing_else(selene: Scan) -> None:
    luna, everybody = conclude([selene], cluster(selene, "^luna-")), conclude([selene])
    assert leaf_of(luna).items() <= leaf_of(everybody).items()
    others = {node: leaf for node, leaf in leaf_of(everybody).items() if not node.startswith("luna-")}
    assert len(others) == 11
    assert not set(others.values()) & set(leaf_of(luna).values())
    assert {(node.name, node.tier) for node in luna.hierarchy.hyper_nodes} <= {
        (node.name, node.tier) for node in everybody.hierarchy.hyper_nodes
    }


def test_qdr_has_six_leaves_and_a_spine_level_with_hosts_that_are_no_leaf(shared_data: Path) -> None:
    found = conclude([scan(shared_data / "ib/qdr-two-spines.topo")])
    assert sorted(leaf.switches for leaf in tier(found, "leaf")) == [(f"ib{number}",) for number in range(1, 7)]
    assert all(22 <= len(leaf.nodes) <= 24 for leaf in tier(found, "leaf"))
    assert [spine.switches for spine in tier(found, "spine")] == [("ib7", "ib8")]
    assert {entry.node for entry in found.unplaced} == {"tank1", "tank2"}
    missing = [anomaly for anomaly in found.anomalies if anomaly.kind == "missing-link"]
    assert [sorted(end.name or "" for end in anomaly.where) for anomaly in missing] == [["ib1", "ib8"]]


def test_mixed_has_two_leaves_side_by_side_and_two_self_links(shared_data: Path) -> None:
    found = conclude([scan(shared_data / "ib/mixed-fdr-hdr.txt")])
    assert [len(leaf.switches) for leaf in tier(found, "leaf")] == [1, 1]
    kinds = [anomaly.kind for anomaly in found.anomalies]
    assert kinds.count("self-link") == 2
    assert kinds.count("not-a-tree") == 1


@pytest.mark.parametrize(
    ("name", "switches", "hosts"),
    [("old-1.topo", 2, 4), ("old-2.topo", 1, 2), ("old-3.topo", 2, 5), ("old-4.topo", 1, 1)],
)
def test_old_dumps_give_their_switches_and_hosts(shared_data: Path, name: str, switches: int, hosts: int) -> None:
    graph = conclude([scan(shared_data / "ib" / name)]).graph
    assert (len(graph.switches), len(graph.hosts)) == (switches, hosts)


def test_a_scan_that_was_cut_off_is_partial_and_proves_no_absence(shared_data: Path) -> None:
    lines = (shared_data / "ib/superpod-ndr.txt").read_bytes().splitlines(keepends=True)
    found = conclude([parse(b"".join(lines[: len(lines) // 5]), "a fifth of it")])
    partial = [anomaly for anomaly in found.anomalies if anomaly.kind == "partial-scan"]
    assert len(partial) == 1
    absences = {"missing-switch", "missing-link", "asymmetric-uplinks", "island"}
    assert {anomaly.severity for anomaly in found.anomalies if anomaly.kind in absences} <= {"info"}
