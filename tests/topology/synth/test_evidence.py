"""A drawing as a Scan: what is there is seen once, from both ends, and nothing else is."""

from __future__ import annotations

import numpy as np

from discovery.scan import NodeKind, Scan
from topology.synth.damage import damage
from topology.synth.defects import Defects
from topology.synth.evidence import scan_of
from topology.synth.spec import XDR, Tree, units_of
from topology.synth.tree import draw_tree


def ordered(scan: Scan) -> bool:
    """True where `a` is the end that comes first by node and port on every cable."""
    links = scan.links
    same = links.a_node == links.b_node
    return bool(((links.a_node < links.b_node) | (same & (links.a_port <= links.b_port))).all())


def test_a_sweep_sees_every_present_cable_and_every_node_on_one() -> None:
    drawing = draw_tree(Tree(units=units_of(64)))
    scan = scan_of(drawing)
    assert len(scan.nodes) == len(drawing.nodes)
    assert len(scan.links) == len(drawing.cables)
    assert ordered(scan)
    assert set(scan.links.reported_by.tolist()) == {3}
    assert bool(scan.nodes.described.all())


def test_an_adapter_without_its_only_cable_is_not_seen() -> None:
    drawing = damage(draw_tree(Tree(units=units_of(64))), Defects(missing_host=0.25))
    scan = scan_of(drawing)
    assert int((scan.nodes.kind == NodeKind.HOST).sum()) == 64 * 8 * 3 // 4
    assert ordered(scan)


def test_port_guids_are_those_of_adapters_and_switch_ends_have_none() -> None:
    scan = scan_of(draw_tree(Tree(units=units_of(64))))
    for node, guid in ((scan.links.a_node, scan.links.a_port_guid), (scan.links.b_node, scan.links.b_port_guid)):
        expected = np.where(scan.nodes.kind[node] == NodeKind.SWITCH, 0, scan.nodes.guid[node])
        assert np.array_equal(guid, expected)


def test_each_plane_can_be_swept_by_itself() -> None:
    drawing = draw_tree(Tree(units=units_of(16, 8, 4), planes=4, box="planes", hardware=XDR, spines=2))
    scans = [scan_of(drawing, plane) for plane in range(4)]
    assert [len(scan.links) for scan in scans] == [len(drawing.cables) // 4] * 4
    switches = [set(scan.nodes.guid[scan.nodes.kind == NodeKind.SWITCH].tolist()) for scan in scans]
    assert not switches[0] & switches[3]


def test_another_order_of_discovery_changes_indices_only() -> None:
    drawing = draw_tree(Tree(units=units_of(64)))

    def ends(scan: Scan) -> set[tuple[int, int, int, int]]:
        guid, links = scan.nodes.guid, scan.links
        a = zip(guid[links.a_node].tolist(), links.a_port.tolist(), strict=True)
        b = zip(guid[links.b_node].tolist(), links.b_port.tolist(), strict=True)
        return {min(one + other, other + one) for one, other in zip(a, b, strict=True)}

    straight, mixed = scan_of(drawing), scan_of(drawing, shuffle_seed=3)
    assert ordered(mixed)
    assert ends(mixed) == ends(straight)
    assert mixed.nodes.guid.tolist() != straight.nodes.guid.tolist()
    described = [dict(zip(scan.nodes.guid.tolist(), scan.nodes.description, strict=True)) for scan in (straight, mixed)]
    assert described[0] == described[1]
