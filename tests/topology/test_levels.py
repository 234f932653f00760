"""Levels come from the structure of the fabric, not from the hosts that happen to be there."""

from __future__ import annotations

from collections.abc import Sequence

from tests.topology.wiring import fat_tree, scan_of
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
