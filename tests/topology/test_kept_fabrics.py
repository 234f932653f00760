"""The fabric that makes a tree stays the one that makes it, whatever faster one appears beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from discovery.scan import Scan
from tests.topology.concluding import differences
from tests.topology.wiring import scan_of as scan_by_hand
from topology.conclude import Cluster, Conclusion, conclude
from topology.hierarchy import HyperNode
from topology.synth.damage import damage
from topology.synth.defects import Defects
from topology.synth.evidence import scan_of
from topology.synth.spec import HDR, XDR, Hardware, Tree, Unit
from topology.synth.tree import draw_tree

COMPUTE = Tree(units=(Unit(4, 2),) * 3, spines=2, aggregation=False)


def scan(name: str, number: int, adapters: int, hardware: Hardware) -> Scan:
    """A fabric of the same twelve hosts on one leaf and one spine."""
    units = (Unit(12, adapters),)
    spec = replace(COMPUTE, name=name, units=units, spines=1, hardware=hardware, first_device=5 * number, number=number)
    return scan_of(draw_tree(spec))


FIRST = scan_of(draw_tree(COMPUTE))
SLOW, FAST = scan("slow", 1, 1, HDR), scan("fast", 2, 4, XDR)


def choices(conclusion: Conclusion) -> dict[str, tuple[str, str]]:
    """By what the switches are called: role and rule of their fabric."""
    switches = conclusion.graph.switches
    return {
        switches[fabric.switches[0]].name.partition("-")[0]: (fabric.role, fabric.rule)
        for fabric in conclusion.structure.fabrics
    }


def roots(conclusion: Conclusion) -> tuple[HyperNode, ...]:
    return tuple(found for found in conclusion.hierarchy.hyper_nodes if found.parent is None)


def test_a_faster_fabric_takes_over_nothing_and_the_rule_is_named() -> None:
    alone = conclude([FIRST])
    both = conclude([FIRST, FAST, SLOW], previous=alone.hierarchy.hyper_nodes)
    assert choices(both) == {"cf": ("compute", "kept"), "fast": ("storage", "kept"), "slow": ("storage", "kept")}
    assert {found.name: found.nodes for found in both.hierarchy.hyper_nodes} == {
        found.name: found.nodes for found in alone.hierarchy.hyper_nodes
    }


def test_without_a_tree_that_stands_bandwidth_decides() -> None:
    both = conclude([FIRST, FAST])
    assert choices(both) == {"cf": ("storage", "nominal-bandwidth"), "fast": ("compute", "nominal-bandwidth")}


def test_a_tree_that_names_no_switch_of_today_decides_nothing() -> None:
    (root,) = roots(conclude([FIRST]))
    strangers = replace(root, switch_guids=("00000000deadbeef",))
    assert choices(conclude([FIRST, FAST], previous=[strangers]))["fast"] == ("compute", "nominal-bandwidth")


def test_a_few_of_its_switches_are_enough_and_what_agrees_with_bandwidth_overrules_nothing() -> None:
    (root,) = roots(conclude([FIRST]))
    few = replace(root, switch_guids=(root.switch_guids[0], "00000000deadbeef"))
    assert choices(conclude([FIRST, FAST], previous=[few]))["cf"] == ("compute", "kept")
    assert choices(conclude([FIRST, SLOW], previous=[few]))["cf"] == ("compute", "nominal-bandwidth")


def test_nodes_that_their_nvlink_domain_drew_into_a_fabric_take_no_others_of_their_kind_along() -> None:
    """Six of fifteen hosts have ports in a faster fabric too; the NVLink domain of ten takes four of the six along."""
    slow = scan_of(draw_tree(replace(COMPUTE, name="slow", units=(Unit(15, 1),), hardware=HDR)))
    fast = scan_of(draw_tree(replace(COMPUTE, name="fast", units=(Unit(6, 4),), first_device=5, number=1)))
    cluster = Cluster(nvlink={f"node-{number:05}": "rack.1" for number in range(2, 12)})
    once = conclude([slow, fast], cluster)
    again = conclude([slow, fast], cluster, previous=once.hierarchy.hyper_nodes)
    assert sorted(len(found.nodes) for found in roots(once)) == [2, 13]
    assert differences(once, again) == []


def by_hand(switch: str, hosts: Sequence[str], adapters: int, device_id: int) -> Scan:
    """A fabric of one switch; the more adapters, the faster."""
    cables = [f"{switch} host:{host}/mlx5_{device_id}{number}" for host in hosts for number in range(adapters)]
    return scan_by_hand(cables, device_id=device_id)


def places(conclusion: Conclusion) -> dict[tuple[str, ...], tuple[str, ...]]:
    """By the switches of each root its nodes."""
    return {found.switches: found.nodes for found in roots(conclusion)}


def test_an_nvlink_domain_stays_where_it_is_although_half_of_its_ports_there_are_lost() -> None:
    """One host keeps its port, one has a faster one too, and one only that."""
    cluster = Cluster(nvlink=dict.fromkeys(("h0", "h1", "h2"), "rack.1"))
    before = conclude([by_hand("slow", ("h0", "h1", "h2"), 1, 1)], cluster).hierarchy.hyper_nodes
    scans = [by_hand("slow", ("h0", "h1"), 1, 1), by_hand("fast", ("h0", "h2"), 2, 2)]
    assert places(conclude(scans, cluster)) == {("fast",): ("h0", "h1", "h2")}
    after = conclude(scans, cluster, previous=before)
    assert places(after) == {("slow",): ("h0", "h1", "h2")}
    assert differences(after, conclude(scans, cluster, previous=after.hierarchy.hyper_nodes)) == []


def test_a_fabric_that_keeps_a_tree_is_no_storage_fabric_however_many_hosts_use_it_as_one() -> None:
    before = conclude([by_hand("first", ("h0",), 1, 1)]).hierarchy.hyper_nodes
    first = by_hand("first", ("h0", "h1", "h2"), 1, 1)
    scans = [first, by_hand("second", ("h0",), 3, 2), by_hand("third", ("h1", "h2"), 2, 3)]
    after = conclude(scans, previous=before)
    assert places(after) == {("first",): ("h0",), ("third",): ("h1", "h2")}
    assert choices(after)["first"] == ("compute", "kept")
    assert differences(after, conclude(scans, previous=after.hierarchy.hyper_nodes)) == []


@st.composite
def sights(draw: st.DrawFn, trees: Sequence[Tree]) -> list[Scan]:
    """Each of the fabrics with defects of its own."""
    share = st.sampled_from([0.0, 0.2, 0.4])
    defects = st.builds(Defects, missing=share, missing_host=share, seed=st.integers(0, 99))
    return [scan_of(damage(draw_tree(tree), draw(defects))) for tree in trees]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_where_racks_span_damaged_fabrics_what_was_concluded_is_concluded_again(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    compute = replace(COMPUTE, units=tuple(Unit(size, 2) for size in sizes))
    others = [Unit(data.draw(st.integers(1, sum(sizes))), adapters) for adapters in (1, 4)]
    trees = [
        compute,
        *(replace(COMPUTE, name=f"f{n}", units=(u,), first_device=5 * n, number=n) for n, u in enumerate(others, 1)),
    ]
    rack = data.draw(st.integers(2, 5))
    cluster = Cluster(nvlink={f"node-{number:05}": f"rack{number // rack}.1" for number in range(sum(sizes))})
    before = conclude(data.draw(sights(trees[: data.draw(st.integers(1, 3))])), cluster).hierarchy.hyper_nodes
    scans = data.draw(sights(trees))
    for standing in ((), before):
        once = conclude(scans, cluster, previous=standing)
        assert differences(once, conclude(scans, cluster, previous=once.hierarchy.hyper_nodes)) == []
