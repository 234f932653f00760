"""One switch may be a box of several ASICs, one a plane: what belongs to any of them belongs to it."""

from __future__ import annotations

import numpy as np

from discovery.reports import DOWN, UP
from discovery.scan import NodeKind
from topology.conclude import Conclusion, conclude
from topology.diagnosis import judge_health
from topology.health import Findings
from topology.links import End, KnownLinks, Link, Verdict, find_places
from topology.synth.drawing import Drawing
from topology.synth.evidence import scan_of
from topology.synth.spec import XDR, Tree, Unit
from topology.synth.tree import draw_tree

PLANES = 4
SPEC = Tree((Unit(hosts=4, adapters=2),) * 2, planes=PLANES, box="planes", hardware=XDR, spines=2, aggregation=False)


def concluded() -> tuple[Drawing, Conclusion]:
    drawing = draw_tree(SPEC)
    return drawing, conclude([scan_of(drawing)])


def test_a_box_is_one_switch_with_the_guids_of_all_its_asics() -> None:
    drawing, conclusion = concluded()
    switches = drawing.nodes.kind == NodeKind.SWITCH
    assert len(conclusion.graph.switches) == 2 * 2 + 2
    assert all(switch.asics == PLANES for switch in conclusion.graph.switches)
    boxes: dict[int, set[int]] = {}
    for box, guid in zip(
        drawing.nodes.system_guid[switches].tolist(), drawing.nodes.guid[switches].tolist(), strict=True
    ):
        boxes.setdefault(box, set()).add(guid)
    assert {frozenset(switch.guids) for switch in conclusion.graph.switches} == set(map(frozenset, boxes.values()))


def test_a_hyper_node_names_every_asic_of_its_switches() -> None:
    drawing, conclusion = concluded()
    by_tier = {found.tier_name: found for found in conclusion.hierarchy.hyper_nodes}
    assert len(by_tier["leaf"].switches) == 2
    assert len(by_tier["leaf"].switch_guids) == 2 * PLANES
    level = drawing.places.level
    spines = {f"{guid:016x}" for guid in drawing.nodes.guid[level == 1].tolist()}
    assert set(by_tier["spine"].switch_guids) == spines


def test_an_uplink_of_any_asic_is_judged_with_its_domain() -> None:
    drawing, conclusion = concluded()
    cables, level, guid = drawing.cables, drawing.places.level, drawing.nodes.guid
    rows = np.flatnonzero(level[cables.lower] == 0).tolist()
    links = [
        Link(
            End(int(guid[cables.lower[row]]), int(cables.lower_port[row])),
            End(int(guid[cables.upper[row]]), int(cables.upper_port[row])),
        )
        for row in rows
    ]
    lost = next(
        link for row, link in zip(rows, links, strict=True) if drawing.places.plane[cables.lower[row]] == PLANES - 1
    )
    known = KnownLinks({link: Verdict(DOWN if link == lost else UP) for link in links})
    health = judge_health(conclusion.hierarchy, Findings(known, find_places(conclusion.graph, conclusion.structure)))
    counts = sorted(
        (found.unhealthy, found.total) for name, found in health.hyper_nodes.items() if name.startswith("ib-leaf")
    )
    assert counts == [(0, 2 * PLANES * 2), (1, 2 * PLANES * 2)]
    assert [found.lost for found in health.hyper_nodes.values() if found.lost] == [(lost,)]
