"""Gangs of several kinds of pods, and the resources that they share."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from scheduler.kernel.gang import PodClass
from scheduler.kernel.quantity import GPU
from scheduler.kernel.requirements import HostPort, NodeRequirements
from scheduler.kernel.snapshot import NodeFacts
from tests.scheduler.kernel.cluster import (
    ROOM,
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


def cpus(name: str, cores: int) -> NodeFacts:
    return NodeFacts(name, {"cpu": cores * 1000, "memory": 1 << 40, "pods": 110})


def pods(name: str, count: int, cores: int) -> PodClass:
    return PodClass(name, count, {"cpu": cores * 1000})


def test_20_large_and_small_pods_find_their_nodes_in_either_order() -> None:
    """volcano#1297: 30 and 50 CPU on nodes of 53 and 31."""
    snapshot = snapshot_of([rack("r1", "a", "b")], cpus("a", 53), cpus("b", 31))
    for classes in ((pods("small", 1, 30), pods("large", 1, 50)), (pods("large", 1, 50), pods("small", 1, 30))):
        placement = placed(snapshot, gang(*classes))
        where = {one.pod_class.name: nodes_of(placement, index) for index, one in enumerate(placement.assignments)}
        assert where == {"small": ["b"], "large": ["a"]}


def test_47_the_leader_leaves_the_workers_their_room() -> None:
    """kueue#13766: a leader of 1 CPU and 4 workers of 2 CPU on nodes of 4, 3 and 2."""
    snapshot = snapshot_of([rack("r1", "a", "b", "c")], cpus("a", 4), cpus("b", 3), cpus("c", 2))
    placement = placed(snapshot, gang(pods("leader", 1, 1), pods("worker", 4, 2)))
    assert nodes_of(placement, 0) == ["b"]
    assert Counter(nodes_of(placement, 1)) == {"a": 2, "b": 1, "c": 1}


def test_48_a_leader_without_gpus_goes_beside_workers_with_them() -> None:
    """kueue#13859: a leader that asks for no GPU was rejected."""
    placement = placed(snapshot_of(two_rows()), gang(pods("leader", 1, 2), workers(4)))
    assert placement.domain == "r11"


def test_49_classes_share_the_number_of_pods_a_node_takes() -> None:
    """kueue#11326: each class alone is below the limit of 4 pods, both together are above."""
    small = {**ROOM, "pods": 4}
    entries = [rack("r1", "a"), rack("r2", "b"), row("row", "r1", "r2")]
    both = (pods("one", 3, 1), pods("two", 2, 1))
    snapshot = snapshot_of(entries, room=small)
    assert refused(snapshot, gang(*both, tier=1)).tiers[0].fits == 4
    assert Counter(nodes_of(placed(snapshot, gang(*both, tier=2)), 0)) <= Counter({"a": 3, "b": 3})


def test_66_the_number_of_pods_a_node_takes_counts_for_one_class_too() -> None:
    """kueue#4270: allocatable.pods was ignored."""
    snapshot = snapshot_of([rack("r1", "a", "b")], node("a", pods_used=109), node("b", pods_used=110))
    assert nodes_of(placed(snapshot, gang(pods("one", 1, 1)))) == ["a"]
    assert refused(snapshot, gang(pods("one", 2, 1))).tiers[0].shortages[0].resource == "pods"


def test_classes_that_fit_alone_but_not_together_are_refused() -> None:
    snapshot = snapshot_of([rack("r1", "a", "b")])
    refusal = refused(snapshot, gang(workers(2), workers(3, gpus=1, name="helper")))
    assert refusal.tiers[0].fits == 4  # 3 helpers on one node, a worker on the other
    shortage = refusal.tiers[0].shortages[0]
    assert (shortage.pod_class, shortage.pods, shortage.fits) == ("worker", 2, 2)


def test_the_first_domain_may_fail_together_and_a_later_one_hold_both() -> None:
    """r1 and r2 each have room for 2 large or 4 small pods; only r3 has room for 2 large and 2 small ones."""
    entries = [rack("r1", "a1", "a2"), rack("r2", "b1", "b2"), rack("r3", *names("c", 3))]
    placement = placed(snapshot_of(entries), gang(workers(2), workers(2, gpus=2, name="small")))
    assert placement.domain == "r3"


def test_pods_bound_to_some_nodes_go_before_pods_that_may_go_anywhere() -> None:
    labelled = replace(node("a"), labels={"disk": "fast"})
    picky = replace(workers(1, name="picky"), requirements=NodeRequirements(labels=(("disk", "fast"),)))
    placement = placed(snapshot_of([rack("r1", "a", "b")], labelled), gang(workers(1), picky))
    assert (nodes_of(placement, 0), nodes_of(placement, 1)) == (["b"], ["a"])


def test_pods_with_few_homes_go_first_even_when_they_are_smaller() -> None:
    """One pod of 4 GPUs fits a or b; the small one only a, and a has room for one of them."""
    labelled = replace(node("a"), labels={"disk": "fast"})
    small = PodClass("small", 1, {GPU: 3}, NodeRequirements(labels=(("disk", "fast"),)))
    placement = placed(snapshot_of([rack("r1", "a", "b")], labelled), gang(workers(1), small))
    assert (nodes_of(placement, 0), nodes_of(placement, 1)) == (["b"], ["a"])


def test_a_second_class_stays_near_the_first() -> None:
    """Workers fill rack r11 but for one node; the helper joins them there, though r12 is as free."""
    snapshot = snapshot_of(two_rows(), *(node(name, 2) for name in names("r13", 4)))
    placement = placed(snapshot, gang(workers(5), workers(1, gpus=1, name="helper"), tier=2))
    assert nodes_of(placement, 1)[0].split("-")[0] in {name.split("-")[0] for name in nodes_of(placement, 0)}


def test_pods_with_one_host_port_stand_on_different_nodes() -> None:
    with_port = NodeRequirements(host_ports=(HostPort(9000),))
    snapshot = snapshot_of([rack("r1", "a", "b", "c")])
    one, two = PodClass("one", 2, {"cpu": 1}, with_port), PodClass("two", 1, {"cpu": 2}, with_port)
    placement = placed(snapshot, gang(one, two))
    assert sorted(nodes_of(placement, 0) + nodes_of(placement, 1)) == ["a", "b", "c"]
    assert refused(snapshot, gang(replace(one, count=3), two)).tiers[0].fits == 3


def test_67_a_pod_without_requests_takes_only_its_place() -> None:
    placement = placed(snapshot_of([rack("r1", "a")], node("a", gpus_used=9)), gang(PodClass("idle", 3, {})))
    assert nodes_of(placement) == ["a"] * 3


@pytest.mark.parametrize("amount", [2**31, 2**33, 2**40])
def test_68_amounts_beyond_32_bits_are_exact(amount: int) -> None:
    """kueue#13530: capacity divided by request overflowed."""
    snapshot = snapshot_of([rack("r1", "a")], room={**ROOM, "memory": amount * 3 + 1})
    assert refused(snapshot, gang(PodClass("big", 4, {"memory": amount}))).tiers[0].fits == 3


def test_60_and_69_what_others_use_counts_and_an_overfull_node_has_nothing() -> None:
    """Daemons, static pods, lost GPUs (allocatable below use)."""
    snapshot = snapshot_of([rack("r1", "a", "b")], node("a", gpus_used=1), node("b", gpus_used=6))
    refusal = refused(snapshot, gang(workers(4, gpus=1)))
    assert (refusal.tiers[0].fits, refusal.tiers[0].shortages[0].free) == (3, 3)


def test_70_a_resource_of_some_nodes_is_found_on_them_and_one_of_none_is_named() -> None:
    special = replace(node("b"), allocatable={**ROOM, "rdma/hca": 2})
    snapshot = snapshot_of([rack("r1", "a", "b")], special)
    assert nodes_of(placed(snapshot, gang(PodClass("x", 2, {"rdma/hca": 1})))) == ["b", "b"]
    missing = refused(snapshot, gang(PodClass("x", 1, {"rdma/vf": 1})))
    assert missing.tiers[0].shortages[0].resource == "rdma/vf"


def test_classes_that_differ_in_name_only_are_one_to_the_fabric() -> None:
    """Packed as one kind: an exact answer, where two kinds might be packed badly."""
    placement = placed(snapshot_of([rack("r1", *names("r1", 4))]), gang(workers(2), workers(2, name="other")))
    assert nodes_of(placement, 0) + nodes_of(placement, 1) == list(names("r1", 4))
