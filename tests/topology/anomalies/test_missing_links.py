"""Cables between switches that are not there."""

from __future__ import annotations

import pytest

from tests.topology.anomalies.site import Site, clos


def test_one_of_two_parallel_cables_is_missed_with_both_switches_and_the_counts() -> None:
    site = clos()
    site.cut("l3", "s2")
    [found] = site.find()
    assert (found.kind, found.severity) == ("missing-link", "warning")
    assert found.where == (site.switch_end("l3"), site.switch_end("s2"))
    assert "1 cable found, 2 expected" in found.detail


def test_a_pair_without_any_cable_is_missed() -> None:
    site = clos()
    site.cut("l3", "s2", 2)
    [found] = site.find()
    assert found.where == (site.switch_end("l3"), site.switch_end("s2"))
    assert "0 cables found, 2 expected" in found.detail


def test_one_spine_of_two_is_missed_where_a_leaf_has_lost_all_its_cables_to_it() -> None:
    site = clos(leaves=6, spines=2, times=4)
    site.cut("l0", "s1", 4)
    assert [found.where for found in site.find()] == [(site.switch_end("l0"), site.switch_end("s1"))]


def test_rails_that_meet_no_common_spine_are_not_expected_to() -> None:
    """Two rails of four leaves each, each with its own three spines, in one domain of spines."""
    site = Site()
    for rail in range(2):
        for spine in range(3):
            site.switch(f"s{rail}{spine}", "spines", 1)
    for unit in range(4):
        site.parents[f"unit {unit}"] = "spines"
        for rail in range(2):
            site.switch(f"l{unit}{rail}", f"unit {unit}")
            for spine in range(3):
                site.join(f"l{unit}{rail}", f"s{rail}{spine}", 2)
    assert site.find() == []
    site.cut("l20", "s01")
    site.cut("l31", "s12", 2)
    assert [[end.name for end in found.where] for found in site.find()] == [["l20", "s01"], ["l31", "s12"]]


def test_a_leaf_with_a_cable_to_one_spine_of_many_is_not_expected_on_the_others() -> None:
    site = clos(spines=6)
    site.switch("mgmt", "mgmt")
    site.parents["mgmt"] = "spines"
    site.join("mgmt", "s0", 2)
    assert site.find() == []


def test_cores_are_held_to_their_own_custom() -> None:
    site = Site()
    for core in range(4):
        site.switch(f"c{core}", "core", 2)
    for pod in range(3):
        for spine in range(4):
            site.switch(f"p{pod}s{spine}", f"pod {pod}", 1)
            for core in range(4):
                site.join(f"p{pod}s{spine}", f"c{core}")
    site.cut("p1s2", "c3")
    [found] = site.find()
    assert found.where == (site.switch_end("p1s2"), site.switch_end("c3"))
    assert "0 cables found, 1 expected" in found.detail


def test_without_a_clear_custom_there_is_no_verdict() -> None:
    site = clos()
    for leaf in range(8):
        for spine in range(leaf % 2, 4, 2):
            site.cut(f"l{leaf}", f"s{spine}")
    assert site.find() == []


def test_uplinks_that_cannot_be_even_are_design() -> None:
    """Seven uplinks over four spines: each leaf has one cable less to one of them, not always the same one."""
    site = clos()
    for leaf in range(8):
        site.cut(f"l{leaf}", f"s{leaf % 4}")
    assert site.find() == []


@pytest.mark.parametrize("lost", [3, 4])
def test_a_leaf_with_half_its_spines_or_less_is_short_of_uplinks_once(lost: int) -> None:
    site = clos(spines=6)
    for spine in range(lost):
        site.cut("l5", f"s{spine}", 2)
    [found] = site.find()
    assert (found.kind, found.severity) == ("asymmetric-uplinks", "warning")
    assert found.where == (site.switch_end("l5"),)
    assert f"{2 * (6 - lost)} cables upward" in found.detail
    assert "12" in found.detail


def test_shortages_that_missing_link_names_are_not_told_again() -> None:
    site = clos(spines=6)
    for spine in range(2):
        site.cut("l5", f"s{spine}", 2)
    assert [found.kind for found in site.find()] == ["missing-link", "missing-link"]


def test_a_management_leaf_with_few_hosts_may_have_few_uplinks() -> None:
    site = clos(leaves=8, spines=6)
    site.switch("mgmt", "mgmt")
    site.parents["mgmt"] = "spines"
    site.cable("login", "mlx5_0", "mgmt", 1)
    site.join("mgmt", "s0", 2)
    assert site.find() == []


def test_a_leaf_with_one_cable_instead_of_two_everywhere_is_one_finding() -> None:
    site = clos(spines=6)
    for spine in range(6):
        site.cut("l5", f"s{spine}")
    [found] = site.find()
    assert (found.kind, found.where) == ("asymmetric-uplinks", (site.switch_end("l5"),))


def test_a_kind_of_leaf_with_single_cables_is_design() -> None:
    site = clos(leaves=10, spines=6)
    for leaf in (7, 8, 9):
        for spine in range(6):
            site.cut(f"l{leaf}", f"s{spine}")
    assert site.find() == []


def test_a_kind_of_leaf_that_has_fewer_uplinks_is_design() -> None:
    site = clos(leaves=8, spines=6)
    for leaf in (5, 6, 7):
        for spine in range(4):
            site.cut(f"l{leaf}", f"s{spine}", 2)
    assert site.find("asymmetric-uplinks") == []
