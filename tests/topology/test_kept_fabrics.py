"""The fabric that makes a tree stays the one that makes it, whatever faster one appears beside it."""

from __future__ import annotations

from dataclasses import replace

from discovery.scan import Scan
from tests.topology.concluding import differences
from topology.conclude import Cluster, Conclusion, conclude
from topology.hierarchy import HyperNode
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
