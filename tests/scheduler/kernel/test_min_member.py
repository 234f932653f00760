"""Gangs that are partly bound already, or content with fewer than all pods."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scheduler.kernel.outcome import Reason
from scheduler.kernel.shrink import shrink
from tests.scheduler.kernel.cluster import (
    gang,
    names,
    node,
    nodes_of,
    placed,
    rack,
    refused,
    row,
    snapshot_of,
    two_rows,
    workers,
)


def test_all_pods_are_placed_when_all_fit_even_in_a_wider_domain() -> None:
    placement = placed(snapshot_of(two_rows()), gang(workers(6), tier=2, min_member=4))
    assert (placement.domain, placement.complete, len(nodes_of(placement))) == ("row1", True, 6)


def test_else_as_many_as_one_domain_of_the_lowest_tier_takes() -> None:
    snapshot = snapshot_of(two_rows(), node("r11-n1", 4))
    placement = placed(snapshot, gang(workers(14), tier=1, min_member=3))
    assert (placement.domain, placement.complete) == ("r12", False)
    assert placement.assignments[0].pods.tolist() == [0, 1, 2, 3]


def test_and_none_when_min_member_does_not_fit() -> None:
    refusal = refused(snapshot_of(two_rows()), gang(workers(14), tier=1, min_member=5))
    assert "5 of 14 pods" in refusal.detail


def test_the_lowest_ranks_are_placed_first() -> None:
    last_first = replace(workers(5), ranks=(4, 3, 2, 1, 0))
    placement = placed(snapshot_of([rack("r1", *names("r1", 3))]), gang(last_first, min_member=1))
    assert placement.assignments[0].pods.tolist() == [2, 3, 4]
    assert nodes_of(placement) == ["r1-n3", "r1-n2", "r1-n1"]


def test_of_several_classes_the_largest_gives_way_and_the_leader_stays() -> None:
    snapshot = snapshot_of([rack("r1", *names("r1", 4))])
    leader = workers(1, gpus=2, name="leader")
    placement = placed(snapshot, gang(workers(6), leader, min_member=3))
    assert [len(one.pods) for one in placement.assignments] == [3, 1]


@pytest.mark.parametrize(
    ("pods", "expected"),
    [(14, (10, 1, 3)), (10, (6, 1, 3)), (7, (3, 1, 3)), (6, (3, 1, 2)), (3, (1, 1, 1)), (2, (1, 1, 0)), (1, (1, 0, 0))],
)
def test_classes_shrink_from_the_largest_and_of_equals_from_the_last(pods: int, expected: tuple[int, ...]) -> None:
    assert shrink([workers(10), workers(1), workers(3)], pods) == expected


def test_no_class_shrinks_below_its_own_minimum() -> None:
    assert shrink([replace(workers(10), minimum=8), workers(4)], 9) == (8, 1)


def test_31_missing_pods_join_the_bound_ones_inside_the_allowed_tier() -> None:
    """volcano#3877: a replacement landed under another ancestor."""
    snapshot = snapshot_of(two_rows(), node("r11-n1", 4), node("r11-n2", 4))
    pinned = gang(workers(2), tier=2, bound=("r11-n1", "r11-n2"))
    assert nodes_of(placed(snapshot, pinned)) == ["r11-n3", "r11-n4"]


def test_36_a_late_pod_never_leaves_the_domain_of_the_bound_ones() -> None:
    """koordinator#3181; rack r11 is full and every other rack is empty."""
    full = [node(name, 4) for name in names("r11", 4)]
    bound = ("r11-n1", "r11-n2")
    refusal = refused(snapshot_of(two_rows(), *full), gang(workers(1), tier=1, bound=bound))
    assert [report.best for report in refusal.tiers] == ["r11"]
    wider = placed(snapshot_of(two_rows(), *full), gang(workers(1), tier=2, bound=bound))
    assert (wider.domain, nodes_of(wider)) == ("row1", ["r12-n1"])


def test_32_the_lowest_of_two_tiers_with_the_same_nodes_is_the_domain() -> None:
    """volcano#5007: after a restart the higher of two tiers with equal node sets was recovered."""
    entries = [rack("r1", "a", "b"), row("row", "r1")]
    placement = placed(snapshot_of(entries, node("a", 4)), gang(workers(1), tier=2, bound=("a",)))
    assert (placement.domain, placement.tier) == ("r1", 1)


def test_40_the_domain_of_bound_pods_is_the_lowest_that_holds_all_of_them() -> None:
    """KAI#748: it was taken from a part of the nodes."""
    snapshot = snapshot_of(two_rows(), node("r11-n1", 4), node("r13-n1", 4))
    pinned = gang(workers(8), tier=2, bound=("r13-n1", "r11-n1"))
    placement = placed(snapshot, pinned)
    assert placement.domain == "row1"
    racks = [name.split("-")[0] for name in nodes_of(placement)]
    assert (racks.count("r11"), racks.count("r13")) == (3, 3)


def test_bound_pods_that_no_allowed_domain_holds_are_a_reason_of_their_own() -> None:
    apart = gang(workers(1), tier=1, bound=("r11-n1", "r12-n1"))
    assert refused(snapshot_of(two_rows()), apart).reason is Reason.BOUND_APART
    outside = gang(workers(1), tier=2, bound=("x",))
    assert refused(snapshot_of(two_rows(), outside=["x"]), outside).reason is Reason.BOUND_APART
    gone = gang(workers(1), tier=2, bound=("r11-n1", "gone"))
    assert refused(snapshot_of(two_rows()), gone).reason is Reason.BOUND_NODE_UNKNOWN


def test_bound_pods_count_for_min_member() -> None:
    """5 of 6 are needed and 3 are bound: 2 missing pods are enough, and a third comes along if it fits."""
    full = [node(name, 4) for name in names("r11", 3)]
    pinned = gang(workers(3), tier=1, min_member=5, bound=names("r11", 3))
    refusal = refused(snapshot_of(two_rows(), *full), pinned)
    assert refusal.tiers[0].fits == 1
    placement = placed(snapshot_of(two_rows(), *full), replace(pinned, min_member=4))
    assert (nodes_of(placement), placement.complete) == (["r11-n4"], False)


def test_29_soft_gangs_stay_near_their_bound_pods_and_widen_around_them() -> None:
    """volcano#4343: once widened, later workers scattered."""
    full = [node(name, 4) for name in (*names("r12", 4), "r21-n1")]
    snapshot = snapshot_of(two_rows(), *full)
    near = placed(snapshot, gang(workers(2), mode="soft", bound=("r12-n1",)))
    assert near.domain == "row1"
    far = placed(snapshot, gang(workers(9), mode="soft", bound=("r12-n1",)))
    assert (far.domain, {name[:2] for name in nodes_of(far)[:8]}) == (None, {"r1"})
    spread_out = placed(snapshot, gang(workers(3), mode="soft", bound=("r12-n1", "r21-n1")))
    assert set(nodes_of(spread_out)) == {"r21-n2", "r21-n3", "r21-n4"}
