"""Domains of switches: tolerant of missing and stray cables, never merged by a switch that serves several of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.topology.wiring import fat_tree, scan_of
from topology.domains import find_structure
from topology.graph import Graph
from topology.merge import merge
from topology.structure import LEAF, Structure
from topology.synth.damage import damage
from topology.synth.defects import Defects
from topology.synth.evidence import scan_of as drawn
from topology.synth.spec import Tree, units_of
from topology.synth.tree import draw_tree


def rails(units: int, leaves: int, hosts: int) -> list[str]:
    """Rail-optimised units: every host has one cable to each leaf of its unit."""
    return [
        f"u{unit}l{leaf} host:u{unit}h{host}/mlx5_{leaf}"
        for unit in range(units)
        for leaf in range(leaves)
        for host in range(hosts)
    ]


def spines(cables: Sequence[str]) -> list[str]:
    """Two cables from every leaf of these to each of four spines."""
    leaves = sorted({cable.split()[0] for cable in cables})
    return [f"{leaf} spine{spine} x2" for leaf in leaves for spine in range(4)]


def conclude(cables: Sequence[str]) -> tuple[Graph, Structure]:
    graph = merge([scan_of(cables)])
    return graph, find_structure(graph)


def leaf_domains(cables: Sequence[str]) -> set[frozenset[str]]:
    """The leaf domains as sets of switch names."""
    graph, structure = conclude(cables)
    return {
        frozenset(graph.switches[switch].name for switch in domain.switches)
        for domain in structure.domains
        if domain.level == LEAF
    }


def homes(cables: Sequence[str]) -> dict[str, frozenset[str]]:
    """By host the switches of its leaf domain."""
    graph, structure = conclude(cables)
    found = {}
    for index, host in enumerate(graph.hosts):
        domain = int(structure.home[:, index].max())
        switches = structure.domains[domain].switches if domain >= 0 else ()
        found[host.name or "?"] = frozenset(graph.switches[switch].name for switch in switches)
    return found


def unit(number: int, leaves: int) -> frozenset[str]:
    return frozenset(f"u{number}l{leaf}" for leaf in range(leaves))


def test_rail_leaves_with_the_same_hosts_are_one_domain() -> None:
    assert leaf_domains(rails(units=3, leaves=4, hosts=8)) == {unit(number, 4) for number in range(3)}


def test_rail_only_without_any_spine_is_one_fabric_of_planes_and_one_domain() -> None:
    _, structure = conclude(rails(units=1, leaves=8, hosts=32))
    assert [fabric.planes for fabric in structure.fabrics] == [8]
    assert len(structure.domains) == 1


def test_every_leaf_of_a_classic_fabric_is_a_domain_of_its_own() -> None:
    assert leaf_domains(fat_tree(4, 2, 6)) == {frozenset([f"leaf{leaf}"]) for leaf in range(4)}


def test_a_storage_leaf_that_serves_four_units_merges_nothing() -> None:
    cables = rails(units=4, leaves=4, hosts=8)
    cables += [f"storage host:u{number}h{host}/mlx5_9" for number in range(4) for host in range(8)]
    cables += spines(cables)
    graph, structure = conclude(cables)
    assert leaf_domains(cables) == {unit(number, 4) for number in range(4)}
    assert [graph.switches[index].name for index in np.flatnonzero(structure.shared)] == ["storage"]


def test_a_storage_leaf_that_serves_two_units_merges_nothing() -> None:
    cables = rails(units=2, leaves=4, hosts=8)
    cables += [f"storage host:u{number}h{host}/mlx5_9" for number in range(2) for host in range(8)]
    cables += spines(cables)
    found = homes(cables)
    assert found["u0h0"] != found["u1h0"]


def test_rails_that_are_cabled_for_a_few_hosts_only_belong_to_the_unit() -> None:
    cables = [
        cable
        for cable in rails(units=2, leaves=8, hosts=32)
        if not (cable.startswith(("u1l5", "u1l6", "u1l7")) and int(cable.split("u1h")[1].split("/")[0]) >= 6)
    ]
    assert leaf_domains(cables) == {unit(0, 8), unit(1, 8)}


def test_a_unit_with_two_thirds_of_its_rails_hardly_cabled_is_one_unit() -> None:
    cables = [
        cable
        for cable in rails(units=2, leaves=9, hosts=32)
        if not (cable.startswith("u1") and int(cable[3]) >= 3 and int(cable.split("u1h")[1].split("/")[0]) >= 6)
    ]
    assert leaf_domains(cables) == {unit(0, 9), unit(1, 9)}


def test_a_host_belongs_where_most_of_its_cables_are() -> None:
    cables = rails(units=2, leaves=4, hosts=8)
    cables[0] = cables[0].replace("u0l0", "u1l0")  # host u0h0, first rail, in the other unit
    assert homes(cables)["u0h0"] == unit(0, 4)


def test_adapters_without_a_name_do_not_pull_leaves_apart() -> None:
    cables = rails(units=2, leaves=4, hosts=6)
    cables += [
        f"u{n}l{leaf} host:MT4129/ConnectX7/x{n}{leaf}{i}" for n in range(2) for leaf in range(4) for i in range(9)
    ]
    assert leaf_domains(cables) == {unit(0, 4), unit(1, 4)}


@settings(max_examples=40, deadline=None)
@given(data=st.data(), units=st.integers(2, 4), leaves=st.integers(2, 5), hosts=st.integers(4, 9))
def test_no_single_cable_decides_a_membership(data: st.DataObject, units: int, leaves: int, hosts: int) -> None:
    cables = rails(units, leaves, hosts)
    cables += [f"u{n}l{leaf} s{spine} x2" for n in range(units) for leaf in range(leaves) for spine in range(3)]
    gone = data.draw(st.integers(0, len(cables) - 1))
    before, after = homes(cables), homes(cables[:gone] + cables[gone + 1 :])
    assert {host: after.get(host) for host in before} == before


@settings(max_examples=30, deadline=None)
@given(seed=st.randoms(use_true_random=False), units=st.integers(1, 4), leaves=st.integers(1, 5))
def test_the_order_of_the_input_changes_nothing(seed: object, units: int, leaves: int) -> None:
    cables = rails(units, leaves, 6)
    shuffled = list(cables)
    getattr(seed, "shuffle")(shuffled)  # noqa: B009 (hypothesis gives no public type for its Random)
    assert homes(shuffled) == homes(cables)


def test_a_storage_leaf_that_serves_two_units_of_unlike_size_merges_nothing() -> None:
    cables = [
        line
        for line in rails(units=2, leaves=2, hosts=32)
        if not (line[1] == "1" and int(line.split("h")[2].split("/")[0]) >= 24)
    ]
    hosts = sorted({line.split(":")[1].split("/")[0] for line in cables})
    cables += [f"storage host:{host}/mlx5_9" for host in hosts]
    found = homes([*cables, *spines(cables)])
    assert found["u0h0"] != found["u1h0"]


def test_one_stray_cable_makes_two_racks_no_more_alike() -> None:
    cables = [
        f"rack{rack} host:r{rack}h{host}/mlx5_{nic}" for rack in range(3) for host in range(4) for nic in range(8)
    ]
    for host in (0, 1, 2):  # three of four hosts of rack 0 have one of eight cables on rack 1
        cables[host * 8] = cables[host * 8].replace("rack0 ", "rack1 ")
    found = leaf_domains([*cables, *spines(cables)])
    assert found == {frozenset([f"rack{rack}"]) for rack in range(3)}


def test_a_tie_goes_to_the_unit_where_the_exchange_partners_hang() -> None:
    cables = rails(units=3, leaves=4, hosts=6)
    cables.remove("u2l3 host:u2h0/mlx5_3")
    for unit_of_partner, leaf in ((0, 1), (1, 2)):  # exchange two of the three cables that host u2h0 has left
        ours, theirs = f"u2l{leaf} host:u2h0/mlx5_{leaf}", f"u{unit_of_partner}l0 host:u{unit_of_partner}h3/mlx5_0"
        cables.remove(ours)
        cables.remove(theirs)
        cables += [f"u{unit_of_partner}l0 host:u2h0/mlx5_{leaf}", f"u2l{leaf} host:u{unit_of_partner}h3/mlx5_0"]
    assert homes([*cables, *spines(cables)])["u2h0"] == unit(2, 4)


def test_a_small_unit_that_lost_a_fifth_of_its_cables_is_one_unit() -> None:
    drawing = draw_tree(Tree(units_of(256, 8), tiers=3, pod_units=4, spines=3, cores=3, seed=1))
    structure = find_structure(merge([drawn(damage(drawing, Defects(missing_host=0.2, seed=1)))]))
    assert sum(domain.level == LEAF for domain in structure.domains) == 32
