"""Whatever fat tree is built, its units, pods and levels are found; without defects nothing is reported of it."""

from __future__ import annotations

from typing import Literal

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.topology.synth.checks import domains, kinds, pods, roots, units, wrong_levels
from topology.conclude import conclude
from topology.synth.evidence import scan_of
from topology.synth.spec import Box, Tree, Unit, Wiring
from topology.synth.tree import draw_tree

WIRINGS: tuple[Wiring, ...] = ("rails", "rail-only", "classic")
TIERS: tuple[Literal[2, 3], ...] = (2, 3)
BOXES: tuple[Box, ...] = ("asic", "planes")


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Trees of up to 9 units; three tiers have at least two pods, for a single pod needs no cores."""
    wiring = draw(st.sampled_from(WIRINGS))
    tiers = draw(st.sampled_from(TIERS))
    adapters = draw(st.sampled_from([1, 2, 4, 8]))
    sizes = draw(st.lists(st.integers(1, 20), min_size=1, max_size=9))
    pod_units = draw(st.integers(1, 4))
    assume(tiers == 2 or len(sizes) > pod_units)
    return Tree(
        tuple(Unit(size, adapters) for size in sizes),
        wiring=wiring,
        tiers=tiers,
        pod_units=pod_units,
        spines=draw(st.integers(1, 5)),
        trunk=draw(st.integers(1, 3)),
        cores=draw(st.integers(1, 4)),
        core_trunk=draw(st.integers(1, 2)),
        planes=draw(st.sampled_from([1, 2, 4])),
        box=draw(st.sampled_from(BOXES)),
        aggregation=draw(st.booleans()),
        seed=draw(st.integers(0, 1000)),
    )


@settings(max_examples=60, deadline=None)
@given(trees(), st.integers(0, 1000))
def test_every_tree_without_defects_is_understood(spec: Tree, order: int) -> None:
    drawing = draw_tree(spec)
    conclusion = conclude([scan_of(drawing, shuffle_seed=order)])
    assert domains(conclusion, "leaf") == units(drawing)
    assert domains(conclusion, "spine") == pods(drawing)
    assert roots(conclusion) == [frozenset(drawing.hosts)]
    assert wrong_levels(drawing, conclusion) == {}
    assert kinds(conclusion) == {}
    assert len(conclusion.structure.fabrics) == 1
