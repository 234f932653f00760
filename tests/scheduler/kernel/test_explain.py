"""Sentences for people: what they say, and that they stay short."""

from __future__ import annotations

from dataclasses import replace

from scheduler.kernel.explain import LIMIT, describe, explain, sentences
from scheduler.kernel.gang import PodClass
from scheduler.kernel.quantity import GPU
from scheduler.kernel.requirements import NodeRequirements, Taint
from scheduler.kernel.snapshot import LinkCount, NodeFacts
from scheduler.kernel.tree import HyperNodeEntry
from tests.scheduler.kernel.cluster import (
    ROOM,
    gang,
    names,
    node,
    placed,
    rack,
    refused,
    snapshot_of,
    two_rows,
    workers,
)


def test_a_refusal_says_for_every_tier_how_much_fits_and_what_is_missing() -> None:
    snapshot = snapshot_of(two_rows(), node("r11-n1", 4), replace(node("r11-n2"), unschedulable=True))
    said = sentences(refused(snapshot, gang(workers(13), tier=2)))
    assert said == (
        "Gang team/job is not placed: no HyperNode of tier 2 (row) or below has room for all 13 pods; "
        "at most 12 fit in one (DoesNotFit).",
        "Tier 1 (rack): the best of 6, r12, takes 4 of 13 pods: nvidia.com/gpu 16 free, 52 needed.",
        "Tier 2 (row): the best of 2, row2, takes 12 of 13 pods: nvidia.com/gpu 48 free, 52 needed.",
    )


def test_it_names_the_predicates_that_keep_nodes_out() -> None:
    cordoned = [replace(node(name), unschedulable=True) for name in ("a", "b")]
    tainted = replace(node("c"), taints=(Taint("team", "blue"),))
    snapshot = snapshot_of([rack("r1", "a", "b", "c", "d")], *cordoned, tainted)
    said = sentences(refused(snapshot, gang(workers(2))))[1]
    assert said.endswith("4 free, 8 needed; nodes kept out: 2 (cordoned), 1 (taint team=blue:NoSchedule).")


def test_it_tells_scattered_room_from_too_little() -> None:
    snapshot = snapshot_of([rack("r1", *names("r1", 3))], *(node(name, 1) for name in names("r1", 3)))
    said = explain(refused(snapshot, gang(workers(4, gpus=2))))
    assert "nvidia.com/gpu 9 free but scattered, 3 at most on a node: room for 3 pods" in said


def test_a_pod_that_is_too_large_for_every_node_is_told_so_at_every_tier() -> None:
    """The sum says nothing then: 24 nodes have 98 GPUs, two pods of 16 need 32. The largest node has 6."""
    snapshot = snapshot_of(two_rows(), NodeFacts("r21-n3", {**ROOM, GPU: 6}))
    said = sentences(refused(snapshot, gang(workers(2, gpus=16), tier=2)))
    assert said == (
        "Gang team/job is not placed: no HyperNode of tier 2 (row) or below has room for all 2 pods; "
        "not even one fits in one (DoesNotFit).",
        "Tier 1 (rack): none of 6 takes any of 2 pods: no node has 16 nvidia.com/gpu free, the largest has 6.",
        "Tier 2 (row): none of 2 takes any of 2 pods: no node has 16 nvidia.com/gpu free, the largest has 6.",
    )


def test_what_is_said_of_the_best_domain_alone_is_said_so() -> None:
    """b has a node of 16 GPUs; a, which takes 5 of the 6 pods, has none."""
    snapshot = snapshot_of([rack("a", *names("a", 5)), rack("b", "b-n1")], NodeFacts("b-n1", {**ROOM, GPU: 16}))
    said = sentences(refused(snapshot, gang(workers(1, 16, "big"), workers(5, 4, "small"))))[1]
    assert said == (
        "Tier 1 (rack): the best of 2, a, takes 5 of 6 pods: "
        "big: no node there has 16 nvidia.com/gpu free, the largest has 4."
    )


def test_a_resource_that_nobody_has_is_told_so() -> None:
    said = explain(refused(snapshot_of([rack("r1", "a")]), gang(PodClass("w", 2, {"rdma/hca": 1}))))
    assert "r1 takes 0 of 2 pods: no node has 1 rdma/hca free, none has any." in said


def test_resources_that_no_node_has_together_are_told_so() -> None:
    """a has the GPUs and b the cores: each alone would do."""
    nodes = (replace(node("a"), allocatable={GPU: 8, "cpu": 2000, "pods": 9}),
             replace(node("b"), allocatable={"cpu": 64000, "pods": 9}))  # fmt: skip
    said = explain(refused(snapshot_of([rack("r1", "a", "b")], *nodes), gang(PodClass("w", 1, {GPU: 8, "cpu": 4000}))))
    assert "has room for its one pod (DoesNotFit)." in said
    assert "each resource alone would do, but too few nodes have all of them free" in said


def test_one_is_said_as_one() -> None:
    snapshot = snapshot_of([rack("r1", "a"), rack("r2", "b")])
    assert sentences(placed(snapshot, gang(workers(1))))[0].endswith(
        "its one pod is in HyperNode r1, tier 1 (rack), on its one node."
    )
    partly = explain(placed(snapshot, gang(workers(2), tier=1, min_member=1)))
    assert "1 of 2 pods is in" in partly
    assert "At least 1 was asked for" in partly
    assert "at most 1 fits in one" in explain(refused(snapshot, gang(workers(2), tier=1)))


def test_78_it_stays_short_however_large_the_cluster_and_the_gang() -> None:
    """koordinator#3191: 120 KB of message on thousands of HyperNodes."""
    long = "x" * 250
    entries = [
        HyperNodeEntry(f"{long}{tier}", tier, long, (f"{long}{tier - 1}",) if tier else (), (f"n{tier}",))
        for tier in range(30)
    ]
    tainted = [replace(node(f"n{tier}"), taints=(Taint(f"{long}{tier}", long),)) for tier in range(30)]
    classes = [PodClass(f"{long}{number}", 5, {f"{long}/{number}": 3, GPU: 9}) for number in range(20)]
    refusal = refused(snapshot_of(entries, *tainted), replace(gang(*classes, tier=30), name=long))
    said = sentences(refusal)
    assert len(" ".join(said).encode()) <= LIMIT
    assert said[-1].startswith("And ")


def test_a_long_reason_is_cut_too() -> None:
    odd = replace(workers(1), unsupported=("ü" * 5000,))
    assert len(explain(refused(snapshot_of(two_rows()), gang(odd))).encode()) <= LIMIT


def test_a_placement_says_where_why_and_how_healthy() -> None:
    snapshot = snapshot_of(two_rows(), links={"row1": LinkCount(1, 24), "row2": LinkCount(1, 12)})
    assert sentences(placed(snapshot, gang(workers(12), tier=2))) == (
        "Gang team/job is placed: all 12 pods are in HyperNode row1, tier 2 (row), on 12 of its 12 nodes.",
        "Of 2 HyperNodes of that tier 2 have room; this is the best.",
        "1 of its 24 links is unhealthy.",
        "Tier 1 (rack): the best of 6, r11, takes 4 of 12 pods.",
    )


def test_a_partial_placement_says_that_others_wait() -> None:
    said = sentences(placed(snapshot_of(two_rows()), gang(workers(9), tier=1, min_member=2)))
    assert said[0].startswith("Gang team/job is placed: 4 of 9 pods are in HyperNode r11")
    assert said[1] == "At least 2 were asked for; the others wait for room there."


def test_a_soft_gang_may_stand_in_the_whole_cluster() -> None:
    said = sentences(placed(snapshot_of(two_rows()), gang(workers(20), mode="soft")))
    assert said[0] == "Gang team/job is placed: all 20 pods are in the whole cluster, on 20 of its 24 nodes."


def test_a_missing_label_is_a_reason_like_the_others() -> None:
    picky = replace(workers(1), requirements=NodeRequirements(labels=(("zone", "a"),)))
    said = sentences(refused(snapshot_of([rack("r1", "a", "b")]), gang(picky)))[1]
    assert said == "Tier 1 (rack): r1 takes 0 of 1 pod: nodes kept out: 2 (node selector)."


def test_a_gang_describes_itself() -> None:
    helper = PodClass("helper", 1, {"cpu": 1500, "memory": 64 << 30})
    assert (
        describe(gang(workers(512, gpus=8), helper)) == "512 pods of 8 nvidia.com/gpu and 1 pod of 1.5 cpu, 64Gi memory"
    )
