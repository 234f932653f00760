"""Dragonfly+ and meshes: cables within a level are their design."""

from __future__ import annotations

from tests.topology.synth.checks import cables_by_levels, ports_used_twice, switches_by_level
from topology.synth.mesh import draw_mesh
from topology.synth.spec import Mesh


def test_dragonfly_groups_are_joined_by_their_spines_at_every_position() -> None:
    drawing = draw_mesh(Mesh(groups=4, leaves=4, spines=3, leaf_hosts=5, adapters=2))
    assert switches_by_level(drawing) == {0: 16, 1: 12}
    assert cables_by_levels(drawing) == {(-1, 0): 160, (0, 1): 4 * 4 * 3, (1, 1): 3 * 6}
    assert ports_used_twice(drawing) == 0
    assert set(drawing.host_pod[drawing.host_unit == 7].tolist()) == {1}


def test_a_mesh_links_the_leaves_of_a_group_and_the_first_leaves_of_groups() -> None:
    drawing = draw_mesh(Mesh(groups=3, leaves=5, spines=0, leaf_hosts=4, adapters=1))
    assert switches_by_level(drawing) == {0: 15}
    assert cables_by_levels(drawing) == {(-1, 0): 60, (0, 0): 3 * 10 + 3}
    assert ports_used_twice(drawing) == 0
