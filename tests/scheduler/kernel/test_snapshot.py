"""Snapshots: facts into columns, and changes that leave the old one as it was."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scheduler.kernel.quantity import GPU
from scheduler.kernel.requirements import HostPort
from scheduler.kernel.snapshot import LinkCount, NodeFacts, PodOnNode, SnapshotError, assume, leave_out, release
from scheduler.kernel.snapshot_build import take_snapshot
from tests.scheduler.kernel.cluster import (
    ROOM,
    gang,
    node,
    nodes_of,
    placed,
    rack,
    snapshot_of,
    tree_of,
    two_rows,
    workers,
)


def test_free_is_what_is_allocatable_less_what_is_used_in_tree_order() -> None:
    busy = NodeFacts("b", {**ROOM, "rdma/hca": 8}, {"cpu": 1500, GPU: 5, "pods": 3})
    snapshot = snapshot_of([rack("r1", "a", "b")], busy)
    assert snapshot.resources == ("cpu", "memory", "pods", GPU, "rdma/hca")
    assert snapshot.free[:, 1].tolist() == [62_500, 512 << 30, 107, -1, 8]
    assert snapshot.free.flags.c_contiguous


def test_a_node_without_facts_is_not_used() -> None:
    snapshot = take_snapshot(tree_of([rack("r1", "a", "b")]), [node("a")])
    assert snapshot.left_out.tolist() == [False, True]


def test_facts_that_do_not_match_the_tree_are_errors_with_the_name() -> None:
    with pytest.raises(SnapshotError, match="node x is not in the tree"):
        take_snapshot(tree_of([rack("r1", "a")]), [node("x")])
    with pytest.raises(SnapshotError, match="node a is given twice"):
        take_snapshot(tree_of([rack("r1", "a")]), [node("a"), node("a")])


def test_absurd_amounts_neither_overflow_nor_help() -> None:
    snapshot = snapshot_of([rack("r1", "a")], NodeFacts("a", {**ROOM, "memory": 10**30}, {"cpu": 10**30}))
    assert snapshot.free[1, 0] == 2**62
    assert snapshot.free[0, 0] < 0


def test_assumed_pods_take_their_part_and_released_ones_give_it_back() -> None:
    before = snapshot_of(two_rows())
    pods = [PodOnNode("r11-n1", {GPU: 3, "cpu": 500, "no/such": 1}), PodOnNode("r11-n1", {GPU: 1})]
    after = assume(before, pods)
    place = before.tree.position["r11-n1"]
    assert after.free[:, place].tolist() == [63_500, 512 << 30, 108, 0]
    assert before.free[:, place].tolist() == [64_000, 512 << 30, 110, 4]
    assert (release(after, pods).free == before.free).all()


def test_assumed_pods_take_their_host_ports() -> None:
    pod = PodOnNode("a", {}, (HostPort(80),))
    after = assume(snapshot_of([rack("r1", "a", "b")]), [pod])
    assert after.host_ports == {0: frozenset({HostPort(80)})}
    assert release(after, [pod]).host_ports == {0: frozenset()}


def test_a_placement_can_be_assumed_and_the_next_gang_goes_elsewhere() -> None:
    snapshot = snapshot_of(two_rows())
    first = placed(snapshot, gang(workers(4)))
    after = assume(snapshot, [PodOnNode(name, {GPU: 4}) for name in nodes_of(first)])
    assert (first.domain, placed(after, gang(workers(4))).domain) == ("r11", "r12")


def test_unknown_nodes_are_named() -> None:
    snapshot = snapshot_of(two_rows())
    with pytest.raises(SnapshotError, match="no node is named gone"):
        assume(snapshot, [PodOnNode("gone", {})])
    with pytest.raises(SnapshotError, match="no node is named gone"):
        leave_out(snapshot, ["gone"])


def test_left_out_nodes_add_up() -> None:
    snapshot = leave_out(leave_out(snapshot_of([rack("r1", "a", "b", "c")]), ["a"]), ["c"])
    assert snapshot.left_out.tolist() == [True, False, True]


def test_links_are_counted_with_those_of_all_domains_below() -> None:
    links = {"r11": LinkCount(1, 16), "r21": LinkCount(2, 16), "row1": LinkCount(3, 24), "gone": LinkCount(9, 9)}
    snapshot = snapshot_of(two_rows(), links=links)
    tree = snapshot.tree
    counted = [
        (int(snapshot.unhealthy_links[index]), int(snapshot.links[index]))
        for index in (tree.index["r11"], tree.index["row1"], tree.index["row2"], tree.top)
    ]
    assert counted == [(1, 16), (4, 40), (2, 16), (6, 56)]


def test_nodes_that_are_being_deleted_are_not_used() -> None:
    assert snapshot_of([rack("r1", "a")], replace(node("a"), deleting=True)).left_out.tolist() == [True]
