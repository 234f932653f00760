"""Defects touch what their spec says and no more, and the drawing keeps the record."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discovery.scan import NodeKind
from tests.topology.synth.checks import ports_used_twice
from topology.synth.damage import damage, without_cable, without_switch
from topology.synth.defects import Construction, Defects
from topology.synth.drawing import Drawing, Fault
from topology.synth.spec import Tree, units_of
from topology.synth.tree import draw_tree


def fabric(wiring: str = "rails") -> Drawing:
    if wiring == "classic":
        return draw_tree(Tree(units=units_of(128, 16), spines=4, wiring="classic"))
    return draw_tree(Tree(units=units_of(128), spines=4))


def cables_away_from_home(drawing: Drawing) -> tuple[int, int]:
    """Present host cables in another unit than their host's; and in its unit, but on another rail."""
    places, cables = drawing.places, drawing.cables
    rows = drawing.host_cables() & cables.present
    lower, upper = cables.lower[rows], cables.upper[rows]
    elsewhere = places.unit[lower] != places.unit[upper]
    return int(elsewhere.sum()), int((~elsewhere & (places.rail[lower] != places.rail[upper])).sum())


def test_exchanged_rails_stay_in_the_unit_of_their_host() -> None:
    drawing = damage(fabric(), Defects(rails_exchanged=0.05))
    wrong = round(128 * 8 * 0.05 / 2) * 2
    assert cables_away_from_home(drawing) == (0, wrong)
    assert len(drawing.switch_ends(Fault.RAILS_EXCHANGED)) == wrong
    assert not drawing.switch_ends(Fault.HOSTS_EXCHANGED, Fault.STRAY)
    assert ports_used_twice(drawing) == 0


def test_exchanged_hosts_are_of_two_units() -> None:
    for wiring in ("rails", "classic"):
        drawing = damage(fabric(wiring), Defects(hosts_exchanged=0.05))
        wrong = round(128 * 8 * 0.05 / 2) * 2
        assert cables_away_from_home(drawing)[0] == wrong
        assert len(drawing.switch_ends(Fault.HOSTS_EXCHANGED)) == wrong
        assert ports_used_twice(drawing) == 0


def test_strays_hang_in_free_ports_of_other_units() -> None:
    drawing = damage(fabric(), Defects(strays=9))
    assert cables_away_from_home(drawing) == (9, 0)
    assert len(drawing.switch_ends(Fault.STRAY)) == 9
    assert ports_used_twice(drawing) == 0


def test_missing_cables_are_counted_without_those_of_aggregation_nodes() -> None:
    whole = fabric()
    drawing = damage(whole, Defects(missing=0.01, missing_host=0.02))
    hosts = 128 * 8
    lost_hosts = round(0.02 * hosts)
    lost = round(0.01 * (hosts - lost_hosts + 32 * 4))
    assert int((~drawing.cables.present).sum()) == lost_hosts + lost
    assert bool(drawing.cables.present[whole.nodes.kind[whole.cables.lower] == NodeKind.AGGREGATION].all())


def test_a_missing_cable_takes_its_end_out_of_the_record() -> None:
    drawing = damage(fabric(), Defects(rails_exchanged=0.05, missing_host=1.0))
    assert not drawing.switch_ends(Fault.RAILS_EXCHANGED)
    assert not drawing.attached().any()


def test_a_unit_under_construction_lacks_what_is_not_cabled_yet() -> None:
    site = Construction(unit=1, part_rails=(5,), part_hosts=6, bare_rails=(6, 7))
    drawing = damage(fabric(), Defects(construction=site))
    assert int((~drawing.cables.present).sum()) == 26 + 32 + 32
    missing = drawing.cables.lower[~drawing.cables.present]
    assert set(drawing.places.unit[missing].tolist()) == {1}
    assert bool(drawing.attached().all())


def test_dead_switches_take_their_cables_along() -> None:
    drawing = damage(fabric(), Defects(dead_leaves=1, dead_spines=1))
    assert int((~drawing.cables.present).sum()) == (32 + 4 + 1) + (32 + 1) - 1


def test_a_unit_that_is_cut_off_keeps_its_hosts() -> None:
    drawing = damage(fabric(), Defects(cut_off=(2,)))
    assert int((~drawing.cables.present).sum()) == 8 * 4
    assert bool(drawing.attached().all())


def test_factory_names_tell_nothing_or_only_the_mac() -> None:
    shipped = damage(fabric(), Defects(switch_names="factory", factory_adapters=0.25))
    switches = np.flatnonzero(shipped.nodes.kind == NodeKind.SWITCH).tolist()
    texts = {shipped.nodes.description[node] for node in switches}
    assert len(texts) == len(switches)
    assert all(text.startswith("MF0;switch-2c5eab") and text.endswith(":MQM9700/U1") for text in texts)
    assert shipped.nodes.description.count("MT4129 ConnectX7   Mellanox Technologies") == 128 * 8 / 4
    product = damage(fabric(), Defects(switch_names="product"))
    assert product.nodes.description.count("Quantum Mellanox Technologies") == len(switches)


def test_one_cable_or_one_switch_can_be_taken_away() -> None:
    drawing = fabric()
    assert int((~without_cable(drawing, 7).cables.present).sum()) == 1
    spine = int(np.flatnonzero(drawing.places.level == 1)[0])
    assert int((~without_switch(drawing, spine).cables.present).sum()) == 32 + 1


def test_more_exchanges_than_hosts_are_refused() -> None:
    with pytest.raises(ValueError, match="only 128 hosts have two rails"):
        damage(fabric(), Defects(rails_exchanged=0.5))
    with pytest.raises(ValueError, match="only 0 hosts have two rails"):
        damage(fabric("classic"), Defects(rails_exchanged=0.1))
    with pytest.raises(ValueError, match="needs a second unit"):
        damage(draw_tree(Tree(units=units_of(32))), Defects(strays=1))
    with pytest.raises(ValueError, match="only 0 join two units"):
        damage(draw_tree(Tree(units=units_of(32))), Defects(hosts_exchanged=0.1))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**64 - 1), st.floats(0, 0.05), st.floats(0, 0.05))
def test_any_mixture_of_faults_keeps_every_cable_end_apart(seed: int, rails: float, hosts: float) -> None:
    defects = Defects(missing=0.02, rails_exchanged=rails, hosts_exchanged=hosts, strays=5, seed=seed)
    drawing = damage(fabric(), defects)
    assert ports_used_twice(drawing) == 0
    faults = np.bincount(drawing.cables.fault, minlength=4).tolist()
    assert faults[1:] == [2 * round(1024 * rails / 2), 2 * round(1024 * hosts / 2), 5]
