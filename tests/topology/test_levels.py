"""Levels come from the structure of the fabric, not from the hosts that happen to be there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.topology.wiring import fat_tree, guid_of, scan_of
from topology.levels import find_levels
from topology.merge import merge


def levels(cables: Sequence[str], switches: Sequence[str] = ()) -> dict[str, int]:
    graph = merge([scan_of(cables, switches)])
    found = find_levels(graph)
    return {switch.name: int(found[index]) for index, switch in enumerate(graph.switches)}


def three_tiers(pods: int = 3) -> list[str]:
    lines = []
    for pod in range(pods):
        for leaf in range(4):
            lines += [f"p{pod}leaf{leaf} host:p{pod}h{leaf}-{host}/HCA-1" for host in range(8)]
            lines += [f"p{pod}leaf{leaf} p{pod}spine{spine} x2" for spine in range(4)]
        lines += [f"p{pod}spine{spine} core{spine}-{core} x2" for spine in range(4) for core in range(4)]
    return lines


def test_a_two_tier_fabric_has_leaves_and_spines() -> None:
    found = levels(fat_tree(leaves=4, spines=2, hosts=6))
    assert {name: level for name, level in found.items() if level} == {"spine0": 1, "spine1": 1}


def test_a_management_host_on_a_spine_makes_no_leaf() -> None:
    found = levels([*fat_tree(leaves=4, spines=2, hosts=6), "spine0 host:ufm1/HCA-1", "spine0 host:ufm1/HCA-2"])
    assert found["spine0"] == 1


def test_a_management_host_on_a_core_makes_no_leaf() -> None:
    found = levels([*three_tiers(), "core0-0 host:ufm1/HCA-1"])
    assert found["core0-0"] == 2
    assert found["p0spine0"] == 1


def test_a_leaf_without_hosts_stays_a_leaf() -> None:
    cables = [cable for cable in fat_tree(leaves=4, spines=3, hosts=6) if not cable.startswith("leaf2 host")]
    assert levels(cables)["leaf2"] == 0


def test_a_leaf_with_one_host_left_stays_a_leaf() -> None:
    cables = [cable for cable in three_tiers() if not cable.startswith("p1leaf2 host") or "h2-0/" in cable]
    found = levels(cables)
    assert found["p1leaf2"] == 0
    assert found["p1spine0"] == 1
    assert found["core0-0"] == 2


def test_a_whole_pod_without_hosts_hangs_below_the_cores() -> None:
    cables = [cable for cable in three_tiers() if not (cable.startswith("p2") and "host:" in cable)]
    found = levels(cables)
    assert [found["p2leaf0"], found["p2spine0"], found["core0-0"]] == [0, 1, 2]


def test_a_leaf_cabled_to_a_core_lowers_no_core() -> None:
    found = levels([*three_tiers(), "odd core1-0 x2", *(f"odd host:o{host}/HCA-1" for host in range(8))])
    assert found["odd"] == 0
    assert found["core1-0"] == 2


def test_switches_that_reach_no_leaf_have_no_level() -> None:
    assert levels(fat_tree(2, 1, 4), switches=["lonely"])["lonely"] == -1


def test_a_daisy_chain_of_switches_goes_up_one_level_a_step() -> None:
    chain = [f"s{step} s{step + 1}" for step in range(9)]
    found = levels(["s0 host:a/HCA-1", "s0 host:b/HCA-1", *chain])
    assert found["s9"] <= 9
    assert found["s1"] == 1


def test_two_switches_back_to_back_are_both_leaves() -> None:
    found = levels(["s1 host:a/HCA-1", "s1 s2", *(f"s2 host:h{host}/HCA-1" for host in range(5))])
    assert found == {"s1": 0, "s2": 0}


def told_by(cables: Sequence[str], named_only: Sequence[str]) -> dict[str, int]:
    """The levels where these switches are only named by their neighbours."""
    scan = scan_of(cables)
    described = np.array([guid not in map(guid_of, named_only) for guid in scan.nodes.guid.tolist()])
    graph = merge([replace(scan, nodes=replace(scan.nodes, described=described))])
    found = find_levels(graph)
    return {switch.name: int(found[index]) for index, switch in enumerate(graph.switches)}


@pytest.mark.parametrize("spines", range(1, 8))
def test_a_leaf_that_only_some_spines_named_so_far_is_no_core(spines: int) -> None:
    cables = [*fat_tree(leaves=4, spines=8, hosts=6), *(f"spine{spine} new" for spine in range(spines))]
    found = told_by(cables, ["new"])
    assert found["new"] == (0 if spines >= 4 else -1)
    assert max(found.values()) == 1


@pytest.mark.parametrize("spines", range(1, 8))
def test_a_leaf_that_is_cabled_upward_before_its_hosts_is_no_core(spines: int) -> None:
    rack = [f"new{leaf} spine{spine}" for leaf in range(2) for spine in range(spines)]
    found = levels([*fat_tree(leaves=4, spines=8, hosts=6), *rack])
    assert [found["new0"], found["new1"], max(found.values())] == [0, 0, 1]


def test_cores_of_one_pod_that_reach_its_spines_together_are_cores() -> None:
    found = levels(three_tiers(pods=1))
    assert {found[f"core{spine}-{core}"] for spine in range(4) for core in range(4)} == {2}


@pytest.mark.parametrize("cores", range(1, 4))
def test_a_spine_that_only_some_cores_named_so_far_begins_no_level(cores: int) -> None:
    cables = [f"p{pod}{line}" for pod in range(3) for line in _pod(pod)]
    found = told_by([*cables, *(f"core{core} new" for core in range(cores))], ["new"])
    assert found["new"] == -1
    assert max(found.values()) == 2


@pytest.mark.parametrize("cores", range(1, 4))
def test_a_spine_that_is_cabled_upward_before_its_leaves_begins_no_level(cores: int) -> None:
    cables = [f"p{pod}{line}" for pod in range(3) for line in _pod(pod)]
    found = levels([*cables, *(f"new core{core}" for core in range(cores)), "new newleaf"])
    assert [found["new"], found["newleaf"], max(found.values())] == [1, 0, 2]


def test_what_is_known_by_way_of_such_a_switch_alone_has_no_level_either() -> None:
    cables = [*fat_tree(leaves=4, spines=8, hosts=6), "spine0 new", "other new"]
    found = told_by(cables, ["new"])
    assert [found["new"], found["other"]] == [-1, -1]


def test_a_core_that_spines_of_several_pods_name_is_one_without_a_word_of_its_own() -> None:
    assert told_by(three_tiers(), ["core0-0"])["core0-0"] == 2


def _pod(pod: int) -> list[str]:
    """Two leaves of six hosts and two spines, each of which has a cable to all eight cores."""
    lines = [f"leaf{leaf} host:p{pod}h{leaf}-{host}/HCA-1" for leaf in range(2) for host in range(6)]
    lines += [f"leaf{leaf} p{pod}spine{spine}" for leaf in range(2) for spine in range(2)]
    return [*lines, *(f"spine{spine} core{core}" for spine in range(2) for core in range(8))]
