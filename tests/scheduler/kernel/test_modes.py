"""Hard, soft and none: which tiers a gang may stand in, and which questions are refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scheduler.kernel.gang import Gang, PodClass
from scheduler.kernel.outcome import Reason
from scheduler.kernel.snapshot import Snapshot
from scheduler.kernel.snapshot_build import take_snapshot
from scheduler.kernel.tree import HyperNodeEntry
from scheduler.kernel.tree_build import build_tree
from tests.scheduler.kernel.cluster import (
    gang,
    named_tier,
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


def cluster(outside: int = 0) -> Snapshot:
    """Two rows of three racks of four nodes of four GPUs."""
    return snapshot_of(two_rows(), outside=[f"x{number}" for number in range(outside)])


def test_hard_stays_inside_one_hyper_node_of_the_lowest_tier_that_fits() -> None:
    in_rack, in_row = placed(cluster(), gang(workers(4))), placed(cluster(), gang(workers(5), tier=2))
    assert (in_rack.domain, in_rack.tier) == ("r11", 1)
    assert (in_row.domain, in_row.tier) == ("row1", 2)
    assert {name[:2] for name in nodes_of(in_row)} == {"r1"}


def test_a_gang_that_fits_low_is_placed_low_however_high_it_may_go() -> None:
    assert placed(cluster(), gang(workers(4), tier=9)).tier == 1


def test_hard_is_refused_when_only_a_wider_domain_has_room() -> None:
    refusal = refused(cluster(), gang(workers(5), tier=1))
    assert refusal.reason is Reason.DOES_NOT_FIT
    assert [(report.tier, report.domains, report.fits) for report in refusal.tiers] == [(1, 6, 4)]


def test_13_two_gangs_that_each_need_the_half_both_get_it_whole() -> None:
    """volcano#3373: two gangs of 100 on 100 nodes each got half of what they need."""
    snapshot = cluster()
    first = placed(snapshot, gang(workers(12), tier=2))
    assert first.complete
    busy = [node(name, gpus_used=4) for name in nodes_of(first)]
    second = placed(snapshot_of(two_rows(), *busy), gang(workers(12), tier=2))
    assert (first.domain, second.domain) == ("row1", "row2")


def test_16_nothing_is_placed_where_one_node_too_few_is_free() -> None:
    """scheduler-plugins#930: the first pod was admitted although only one node was free."""
    snapshot = snapshot_of([rack("r1", "a", "b")], node("b", gpus_used=4))
    assert refused(snapshot, gang(workers(2))).tiers[0].fits == 1


def test_19_the_sum_of_what_is_free_is_no_room() -> None:
    """volcano#665, scheduler-plugins#429: 4 nodes with 3 free GPUs hold no pod of 4."""
    entries = [rack("r1", "a", "b", "c", "d")]
    refusal = refused(snapshot_of(entries, *(node(name, 1) for name in "abcd")), gang(workers(3)))
    assert refusal.tiers[0].fits == 0
    shortage = refusal.tiers[0].shortages[0]
    assert (shortage.free, shortage.needed, shortage.largest, shortage.fits) == (12, 12, 3, 0)


def test_30_the_tier_may_be_given_by_name_and_binds_as_the_number_does() -> None:
    """volcano#5189: the name was ignored and pods spread over several leaves."""
    by_name = named_tier(gang(workers(5)), "rack")
    assert refused(cluster(), by_name).reason is Reason.DOES_NOT_FIT
    assert placed(cluster(), named_tier(by_name, "row")).tier == 2


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (gang(workers(1), tier=None), Reason.TIER_MISSING),
        (named_tier(gang(workers(1)), "no-such"), Reason.TIER_NAME_UNKNOWN),
        (named_tier(gang(workers(1), mode="soft"), "no-such"), Reason.TIER_NAME_UNKNOWN),
        (replace(gang(workers(1)), highest_tier_name="rack"), Reason.TIER_GIVEN_TWICE),
        (gang(workers(1), tier=0), Reason.TIER_BELOW_ALL),
        (gang(workers(1), tier=-3), Reason.TIER_BELOW_ALL),
        (gang(), Reason.NO_PODS),
        (gang(workers(0)), Reason.NO_PODS),
        (gang(workers(3), min_member=4), Reason.TOO_FEW_PODS),
        (gang(replace(workers(3), minimum=4)), Reason.TOO_FEW_PODS),
        (gang(workers(2), workers(-1)), Reason.NOT_UNDERSTOOD),
        (gang(replace(workers(2), ranks=(0,))), Reason.NOT_UNDERSTOOD),
        (gang(PodClass("huge", 1, {"memory": 2**63})), Reason.NOT_UNDERSTOOD),
        (gang(PodClass("odd", 1, {"cpu": -1})), Reason.NOT_UNDERSTOOD),
        (gang(replace(workers(1), unsupported=("a spread constraint with DoNotSchedule",))), Reason.NOT_UNDERSTOOD),
        (replace(gang(workers(1)), mode="strict"), Reason.NOT_UNDERSTOOD),  # type: ignore[arg-type]  # from outside
    ],
)
def test_a_question_that_cannot_be_understood_is_refused_and_never_answered_wider(asked: Gang, reason: Reason) -> None:
    refusal = refused(cluster(), asked)
    assert (refusal.reason, refusal.tiers) == (reason, ())
    assert refusal.detail


def test_a_tier_name_that_stands_for_two_tiers_is_refused() -> None:
    entries = [HyperNodeEntry("a", 1, "leaf", (), ("n1",)), HyperNodeEntry("b", 2, "leaf", (), ("n2",))]
    assert refused(snapshot_of(entries), named_tier(gang(workers(1)), "leaf")).reason is Reason.TIER_NAME_AMBIGUOUS


def test_hard_without_any_hyper_node_is_refused_and_soft_goes_anywhere() -> None:
    snapshot = snapshot_of([], outside=["a", "b"])
    assert refused(snapshot, gang(workers(1))).reason is Reason.NO_HYPER_NODES
    assert nodes_of(placed(snapshot, gang(workers(2), mode="soft"))) == ["a", "b"]


def test_hard_never_reaches_beyond_the_roots() -> None:
    """A number above every tier is no licence for the whole cluster."""
    refusal = refused(cluster(), gang(workers(13), tier=99))
    assert [report.tier for report in refusal.tiers] == [1, 2]


def test_29_soft_takes_the_lowest_tier_that_fits_then_widens() -> None:
    """volcano#4343, volcano#5205: soft gangs scattered although one leaf held all of them."""
    busy = [node(f"r11-n{number}", 4) for number in (1, 2)]
    snapshot = snapshot_of(two_rows(), *busy)
    assert placed(snapshot, gang(workers(4), mode="soft")).domain == "r12"
    assert placed(snapshot, gang(workers(9), mode="soft")).domain == "row1"
    everywhere = placed(snapshot, gang(workers(20), mode="soft"))
    assert (everywhere.domain, everywhere.tier, len(nodes_of(everywhere))) == (None, None, 20)


def test_soft_uses_nodes_outside_every_hyper_node_last() -> None:
    whole = nodes_of(placed(cluster(outside=3), gang(workers(25), mode="soft")))
    assert [name for name in whole if name.startswith("x")] == ["x0"]


def test_soft_is_refused_when_the_whole_cluster_is_too_small() -> None:
    refusal = refused(cluster(), gang(workers(25), mode="soft"))
    assert [(report.tier, report.fits) for report in refusal.tiers] == [(1, 4), (2, 12), (None, 24)]


def test_without_a_mode_a_gang_leaves_the_fabric_to_others_if_it_can() -> None:
    assert nodes_of(placed(cluster(outside=2), gang(workers(2), mode="none"))) == ["x0", "x1"]
    assert placed(cluster(outside=2), gang(workers(3), mode="none")).domain == "r11"


def test_41_the_lowest_and_the_allowed_tier_may_be_the_same() -> None:
    assert placed(cluster(), gang(workers(2), tier=1)).tier == 1


def test_a_tier_number_between_two_tiers_allows_the_lower() -> None:
    snapshot = snapshot_of([rack("r1", "a"), rack("r2", "b"), row("top", "r1", "r2", tier=4)])
    assert refused(snapshot, gang(workers(2), tier=3)).tiers[-1].tier == 1
    assert placed(snapshot, gang(workers(2), tier=4)).domain == "top"


def test_52_a_class_without_pods_harms_nobody() -> None:
    """kueue#6501, kueue#10478: an empty pod set crashed or looped."""
    placement = placed(cluster(), gang(workers(2), workers(0, name="none")))
    assert [len(one.pods) for one in placement.assignments] == [2, 0]


def test_a_gang_that_breaks_one_root_of_a_bad_tree_still_finds_the_others() -> None:
    entries = [rack("good", "a", "b"), HyperNodeEntry("bad", 1, "rack", ("bad",), ("c",))]
    assert placed(snapshot_of(entries), gang(workers(2))).domain == "good"


def test_a_cluster_without_nodes_refuses_and_does_not_fall_over() -> None:
    assert refused(snapshot_of([]), gang(workers(1), mode="soft")).reason is Reason.DOES_NOT_FIT
    assert refused(snapshot_of([]), gang(workers(1), workers(1, gpus=1), mode="none")).reason is Reason.DOES_NOT_FIT


def test_a_hyper_node_whose_members_are_all_gone_takes_nothing() -> None:
    snapshot = take_snapshot(build_tree([rack("r1", "gone"), rack("r2", "a")], ["a"]), [node("a")])
    assert placed(snapshot, gang(workers(1))).domain == "r2"
    assert refused(snapshot, gang(workers(2))).tiers[0].best == "r2"
