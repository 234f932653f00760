"""The score of a conclusion counts what is wrong with it, and nothing else."""

from __future__ import annotations

from dataclasses import replace

from topology.anomaly import Anomaly, CableEnd
from topology.hierarchy import HyperNode
from topology.synth.damage import damage
from topology.synth.defects import Defects
from topology.synth.drawing import Drawing, Fault
from topology.synth.score import score
from topology.synth.spec import Tree, units_of
from topology.synth.tree import draw_tree


def fabric() -> Drawing:
    return draw_tree(Tree(units=units_of(64)))


def hyper_node(name: str, tier_name: str, parent: str | None, nodes: tuple[str, ...]) -> HyperNode:
    return HyperNode(name, "cf", 2, tier_name, parent, (), nodes, (), ())


def perfect() -> list[HyperNode]:
    """The tree of `fabric`: two units of 32 hosts below one rank of spines."""
    hosts = [f"node-{number:05d}" for number in range(64)]
    return [
        hyper_node("a", "leaf", "s", tuple(hosts[:32])),
        hyper_node("b", "leaf", "s", tuple(hosts[32:])),
        hyper_node("s", "spine", None, tuple(hosts)),
    ]


def anomalies(drawing: Drawing, ends: list[tuple[int, int]]) -> list[Anomaly]:
    adapter = CableEnd("a host", f"{int(drawing.nodes.guid[0]):016x}", 1)
    at_switches = [CableEnd(None, f"{guid:016x}", port) for guid, port in ends]
    return [Anomaly("stray-cable", "error", "cf", (adapter, end), "") for end in at_switches]


def test_the_right_tree_scores_full_marks() -> None:
    result = score(fabric(), perfect(), ())
    assert (result.hosts, result.misplaced, result.roots, result.placed) == (64, (), 1, 1.0)
    assert (result.precision, result.recall) == (1.0, 1.0)


def test_a_host_in_another_domain_or_in_none_is_misplaced() -> None:
    leaf, other, spine = perfect()
    moved = [replace(leaf, nodes=leaf.nodes[1:]), replace(other, nodes=(*other.nodes, leaf.nodes[0])), spine]
    assert score(fabric(), moved, ()).misplaced == ("node-00000",)
    assert score(fabric(), [replace(leaf, nodes=leaf.nodes[1:]), other, spine], ()).misplaced == ("node-00000",)


def test_a_unit_torn_in_two_has_its_smaller_half_misplaced() -> None:
    leaf, other, spine = perfect()
    torn = [replace(leaf, nodes=leaf.nodes[:10]), replace(leaf, name="c", nodes=leaf.nodes[10:]), other, spine]
    assert score(fabric(), torn, ()).misplaced == leaf.nodes[:10]


def test_units_made_one_have_one_of_them_misplaced() -> None:
    leaf, other, spine = perfect()
    assert len(score(fabric(), [replace(leaf, nodes=leaf.nodes + other.nodes), spine], ()).misplaced) == 32


def test_a_tree_without_the_tier_of_pods_places_nobody() -> None:
    leaf, other, _ = perfect()
    result = score(fabric(), [leaf, other], ())
    assert (result.placed, result.roots) == (0.0, 0)


def test_named_ends_are_weighed_against_the_exchanged_ones_at_switches() -> None:
    drawing = damage(fabric(), Defects(rails_exchanged=0.04))
    truth = sorted(drawing.switch_ends(Fault.RAILS_EXCHANGED))
    right = (int(drawing.cables.upper[0]), int(drawing.cables.upper_port[0]))
    wrong = (int(drawing.nodes.guid[right[0]]), 40)
    result = score(drawing, perfect(), anomalies(drawing, [*truth[:15], wrong]))
    assert len(truth) == 20
    assert (result.recall, result.precision) == (0.75, 15 / 16)
    assert result.invented == {wrong}
