"""Which of several domains is taken, and which nodes in it."""

from __future__ import annotations

from dataclasses import replace

from scheduler.kernel.snapshot import LinkCount, NodeFacts
from tests.scheduler.kernel.cluster import (
    ROOM,
    gang,
    names,
    node,
    nodes_of,
    placed,
    rack,
    row,
    snapshot_of,
    two_rows,
    workers,
)


def busy(*nodes: str) -> list[NodeFacts]:
    return [node(name, gpus_used=4) for name in nodes]


def sick(*nodes: str) -> list[NodeFacts]:
    return [replace(node(name), fabric_healthy=False) for name in nodes]


def test_33_the_tightest_domain_is_taken_and_large_ones_are_kept() -> None:
    """volcano#4331, volcano#4368."""
    snapshot = snapshot_of(two_rows(), *busy("r12-n1", "r13-n1", "r13-n2"))
    assert placed(snapshot, gang(workers(2))).domain == "r13"
    assert placed(snapshot, gang(workers(3))).domain == "r12"
    assert placed(snapshot, gang(workers(4))).domain == "r11"


def test_of_equally_tight_domains_the_one_with_fewer_children_needed_is_taken() -> None:
    """Both rows have room for 8: row1 as 4 + 2 + 2, row2 as 4 + 4."""
    used = busy("r12-n1", "r12-n2", "r13-n1", "r13-n2", *names("r23", 4))
    placement = placed(snapshot_of(two_rows(), *used), gang(workers(8), tier=2))
    assert placement.domain == "row2"


def test_of_equal_domains_the_one_with_the_smaller_share_of_unhealthy_links_is_taken() -> None:
    links = {"r11": LinkCount(1, 16), "r12": LinkCount(1, 32), "r13": LinkCount(1, 32), "r21": LinkCount(3, 16)}
    snapshot = snapshot_of(two_rows(nodes_a_rack=4), *busy(*names("r22", 4), *names("r23", 4)), links=links)
    assert placed(snapshot, gang(workers(4))).domain == "r12"


def test_links_below_count_for_the_domain_above() -> None:
    links = {"r13": LinkCount(2, 16), "row2": LinkCount(0, 8), "row1": LinkCount(0, 8)}
    placement = placed(snapshot_of(two_rows(), links=links), gang(workers(12), tier=2))
    assert placement.domain == "row2"
    again = placed(snapshot_of(two_rows(), links=links), gang(workers(12), tier=2))
    assert (again.unhealthy_links, again.links) == (0, 8)


def test_tightness_goes_before_the_health_of_links() -> None:
    snapshot = snapshot_of(two_rows(), *busy("r13-n1"), links={"r13": LinkCount(8, 16)})
    assert placed(snapshot, gang(workers(3))).domain == "r13"


def test_a_tighter_rack_with_one_degraded_link_among_72_goes_before_an_empty_healthy_one() -> None:
    """The rules name tightness before links; a degraded uplink makes no node sick."""
    links = {name: LinkCount(0, 72) for name in ("r11", "r12", "r21", "r22", "r23")} | {"r13": LinkCount(1, 72)}
    snapshot = snapshot_of(two_rows(), *busy("r13-n1"), links=links)
    assert placed(snapshot, gang(workers(3))).domain == "r13"


def test_of_equally_tight_racks_the_one_without_a_degraded_link_goes_first() -> None:
    links = {"r11": LinkCount(1, 72), **{name: LinkCount(0, 72) for name in ("r12", "r13")}}
    snapshot = snapshot_of(two_rows(), *busy("r11-n1", "r12-n1"), links=links)
    assert placed(snapshot, gang(workers(3))).domain == "r12"


def test_a_tighter_rack_goes_first_while_it_has_room_beside_its_sick_node() -> None:
    """r13 has three nodes free, one of them sick: two pods find room on the others, three do not."""
    snapshot = snapshot_of(two_rows(), *busy("r13-n1"), *sick("r13-n2"), links={"r13": LinkCount(1, 72)})
    two = placed(snapshot, gang(workers(2)))
    assert (two.domain, nodes_of(two)) == ("r13", ["r13-n3", "r13-n4"])
    assert placed(snapshot, gang(workers(3))).domain == "r11"


def test_a_domain_with_a_sick_node_comes_after_its_equals_and_its_nodes_last() -> None:
    snapshot = snapshot_of(two_rows(), *sick("r11-n1", "r12-n2"))
    assert placed(snapshot, gang(workers(4))).domain == "r13"
    lone = snapshot_of([rack("r1", *names("r1", 4))], *sick("r1-n2"))
    assert nodes_of(placed(lone, gang(workers(3)))) == ["r1-n1", "r1-n3", "r1-n4"]
    assert nodes_of(placed(lone, gang(workers(4)))) == list(names("r1", 4))


def test_the_next_gang_avoids_a_rack_with_a_cut_cable_even_if_it_is_tighter() -> None:
    """A node without fabric is worse than a looser rack; the tier is not widened for it."""
    snapshot = snapshot_of(two_rows(), *busy("r11-n1"), *sick("r11-n2"))
    assert placed(snapshot, gang(workers(3))).domain == "r12"


def test_a_sick_node_is_used_rather_than_a_wider_tier() -> None:
    used = busy(*(name for number in (12, 13, 21, 22, 23) for name in names(f"r{number}", 4)))
    assert placed(snapshot_of(two_rows(), *used, *sick("r11-n4")), gang(workers(4), tier=2)).domain == "r11"


def test_42_equal_domains_are_told_apart_by_their_place_alone() -> None:
    """kueue#11910: the tie-break was random."""
    assert {placed(snapshot_of(two_rows()), gang(workers(2))).domain for _ in range(5)} == {"r11"}


def test_whole_racks_are_filled_and_the_rest_goes_into_the_tightest() -> None:
    """6 pods on racks with room for 4, 2 and 3: 4 + 2, not 4 + 2 of the 3; ranks follow the racks."""
    used = busy("r12-n1", "r12-n2", "r13-n1")
    placement = placed(snapshot_of(two_rows()[:4], *used), gang(workers(6), tier=2))
    assert nodes_of(placement) == [*names("r11", 4), "r12-n3", "r12-n4"]


def test_43_fifteen_and_one_become_as_few_racks_as_possible() -> None:
    """kueue#6554: 16 pods on racks of 15, 8 and 8 nodes need two racks whichever are taken; the tightest two do."""
    entries = [rack("big", *names("big", 15)), rack("s1", *names("s1", 8)), rack("s2", *names("s2", 8))]
    placement = placed(snapshot_of([*entries, row("row", "big", "s1", "s2")]), gang(workers(16), tier=2))
    assert {name.split("-")[0] for name in nodes_of(placement)} == {"big", "s1"}


def test_neighbouring_ranks_stand_on_neighbouring_nodes() -> None:
    """Two pods of 2 GPUs a node: ranks 0 and 1 together, then 2 and 3, and so on; rank order, not pod order."""
    pods = replace(workers(8, gpus=2), ranks=(7, 6, 5, 4, 3, 2, 1, 0))
    placement = placed(snapshot_of(two_rows()), gang(pods))
    assert nodes_of(placement)[::-1] == [f"r11-n{number}" for number in (1, 1, 2, 2, 3, 3, 4, 4)]


def test_50_ranks_of_a_leader_and_its_workers_run_through_both_classes() -> None:
    """kueue#8685, kueue#8618: the leader is rank 0, its workers 1 to 3, whichever class is written first."""
    follow = replace(workers(3), ranks=(1, 2, 3))
    lead = replace(workers(1, name="leader"), ranks=(0,))
    placement = placed(snapshot_of(two_rows()), gang(follow, lead))
    assert nodes_of(placement, 1) + nodes_of(placement, 0) == list(names("r11", 4))


def test_pods_fill_as_few_nodes_as_possible() -> None:
    snapshot = snapshot_of([rack("r1", "a", "b", "c")], node("a", 2), node("b", 3))
    assert nodes_of(placed(snapshot, gang(workers(4, gpus=1)))) == ["c"] * 4
    assert nodes_of(placed(snapshot, gang(workers(1, gpus=1)))) == ["b"]


def test_a_permutation_of_the_nodes_changes_nothing() -> None:
    entries = list(two_rows())
    once = placed(snapshot_of(entries, *busy("r11-n1")), gang(workers(7), tier=2))
    again = placed(snapshot_of(entries[::-1], *busy("r11-n1"), room=ROOM), gang(workers(7), tier=2))
    assert (once.domain, nodes_of(once)) == (again.domain, nodes_of(again))
