"""What holds for every fabric: no exception, bounds, one order, silence about what is right, ends of what is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discovery.scan import NodeKind, Scan
from tests.topology.wiring import scan_of as scan_by_hand
from topology.anomalies import find_anomalies
from topology.anomaly import Anomaly
from topology.domains import find_structure
from topology.merge import merge
from topology.synth.damage import damage, without_cable
from topology.synth.defects import Defects
from topology.synth.drawing import Drawing, Fault
from topology.synth.evidence import scan_of
from topology.synth.spec import Tree, Unit
from topology.synth.tree import draw_tree


def found_in(*scans: Scan) -> tuple[Anomaly, ...]:
    graph = merge(scans)
    return find_anomalies(graph, find_structure(graph))


RAILS = Tree(units=(Unit(8, 4),) * 6, spines=4, trunk=2)
RACKS = Tree(units=(Unit(8, 4),) * 6, wiring="classic", spines=3, trunk=2)
PODS = Tree(units=(Unit(8, 4),) * 8, tiers=3, pod_units=2, spines=4, cores=4)

CABLE = st.one_of(
    st.builds("s{} s{} x{}".format, st.integers(0, 5), st.integers(0, 5), st.integers(1, 3)),
    st.builds("s{} host:h{}/mlx5_{}".format, st.integers(0, 5), st.integers(0, 4), st.integers(0, 3)),
    st.builds("s{} host:unnamed{}".format, st.integers(0, 5), st.integers(0, 3)),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(CABLE, max_size=40))
def test_any_tangle_of_cables_is_judged_within_bounds_and_in_order(cables: list[str]) -> None:
    found = found_in(scan_by_hand(cables))
    ranks = [("error", "warning", "info").index(one.severity) for one in found]
    assert ranks == sorted(ranks)
    for one in found:
        assert len(one.where) <= 64
        assert 0 < len(one.detail) <= 500
        assert all(end.guid or end.name for end in one.where)


@pytest.mark.parametrize("spec", [RAILS, RACKS, PODS])
def test_a_fabric_as_it_was_drawn_has_no_findings(spec: Tree) -> None:
    assert found_in(scan_of(draw_tree(spec))) == ()


@pytest.mark.parametrize("spec", [RAILS, RACKS, PODS])
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_any_one_missing_cable_is_one_finding_with_its_switch(spec: Tree, data: st.DataObject) -> None:
    drawing = draw_tree(spec)
    rows = np.flatnonzero(drawing.nodes.kind[drawing.cables.lower] != NodeKind.AGGREGATION)
    row = data.draw(st.sampled_from(rows.tolist()))
    [found] = found_in(scan_of(without_cable(drawing, row)))
    ends = {end.guid for end in found.where}
    assert found.kind == "missing-link"
    assert f"{drawing.nodes.guid[drawing.cables.upper[row]]:016x}" in ends
    lower = int(drawing.cables.lower[row])
    if drawing.nodes.kind[lower] == NodeKind.SWITCH:
        assert ends == {f"{drawing.nodes.guid[node]:016x}" for node in (lower, drawing.cables.upper[row])}
    else:
        assert [end.name for end in found.where[1:]] == [drawing.hosts[drawing.places.host[lower]]]


def misplaced_ends(drawing: Drawing) -> set[tuple[str, int]]:
    truth = drawing.switch_ends(Fault.RAILS_EXCHANGED, Fault.HOSTS_EXCHANGED, Fault.STRAY)
    return {(f"{guid:016x}", port) for guid, port in truth}


def every_host_has_a_home(drawing: Drawing) -> bool:
    """False where a host of four cables has two in another unit: nobody can tell then which two are wrong."""
    away = np.isin(drawing.cables.fault, [Fault.HOSTS_EXCHANGED, Fault.STRAY])
    return int(np.bincount(drawing.places.host[drawing.cables.lower[away]]).max(initial=0)) < 2


@pytest.mark.parametrize("spec", [RAILS, RACKS, PODS])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_exchanged_and_stray_cables_are_named_at_their_switches_and_no_others(spec: Tree, seed: int) -> None:
    rails = 0.0 if spec.wiring == "classic" else 0.02
    drawing = damage(draw_tree(spec), Defects(rails_exchanged=rails, hosts_exchanged=0.02, strays=1, seed=seed))
    assume(every_host_has_a_home(drawing))
    switches = {f"{guid:016x}" for guid in drawing.nodes.guid[drawing.nodes.kind == NodeKind.SWITCH].tolist()}
    named = {
        (end.guid, end.port)
        for one in found_in(scan_of(drawing))
        if one.kind in {"swapped-rails", "swapped-cables", "stray-cable"}
        for end in one.where
        if end.guid in switches
    }
    assert named == misplaced_ends(drawing)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_the_order_of_the_input_changes_nothing(seed: int) -> None:
    drawing = damage(
        draw_tree(RAILS), Defects(missing=0.02, rails_exchanged=0.02, hosts_exchanged=0.04, strays=2, seed=seed)
    )
    assert found_in(scan_of(drawing, shuffle_seed=1)) == found_in(scan_of(drawing, shuffle_seed=2))
