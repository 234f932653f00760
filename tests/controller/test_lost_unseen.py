"""Cables that are lost while no controller looks: who starts cannot know them, and moves nothing for that."""

from __future__ import annotations

from tests.controller.looking import Looks, chains
from tests.controller.site import Site
from topology.synth.spec import Tree, Unit
from topology.synth.tree import draw_tree

TWO_PODS = Tree(units=(Unit(4, 2),) * 4, wiring="rails", tiers=3, pod_units=2, spines=2, cores=2, aggregation=False)
SWEEPS = 5
"""More than a move takes."""


def test_a_pod_whose_rails_fell_apart_unseen_stays_one() -> None:
    looks = Looks(site=Site(drawing=draw_tree(TWO_PODS)))
    before = chains(looks.sweep_and_write())
    cut_apart(looks.site)
    looks.restart(now=2.0)
    for _ in range(SWEEPS):
        assert chains(looks.sweep_and_write(2.0)) == before
    looks.restart(now=3.0)
    for _ in range(SWEEPS):
        assert chains(looks.sweep_and_write(3.0)) == before


def test_a_leaf_group_whose_hosts_fell_apart_unseen_stays_one() -> None:
    looks = Looks(site=Site(drawing=draw_tree(TWO_PODS)))
    before = chains(looks.sweep_and_write())
    for number, node in enumerate(looks.site.nodes[:4]):
        looks.site.cut.add(looks.site.host_cables(node)[number % 2])
    looks.restart(now=2.0)
    for _ in range(SWEEPS):
        assert chains(looks.sweep_and_write(2.0)) == before


def test_what_was_seen_at_home_again_moves_when_it_is_seen_elsewhere() -> None:
    looks = Looks(site=Site(drawing=draw_tree(TWO_PODS)))
    looks.sweep_and_write()
    cut_apart(looks.site)
    looks.restart(now=2.0)
    looks.sweep_and_write(2.0)
    looks.site.cut.clear()
    one, _, _, _, other, *_ = looks.site.nodes
    looks.sweep_and_write(2.0)
    before = chains(looks.sweep_and_write(2.0))
    looks.site.exchange(one, other)
    for _ in range(SWEEPS):
        after = chains(looks.sweep_and_write(2.0))
    assert (after[one], after[other]) == (before[other], before[one])


def cut_apart(site: Site) -> None:
    """Of a pod's two leaf groups one keeps the uplinks of its second rail, the other those of its first."""
    for name in ("leaf-001-1", "leaf-002-2"):
        for switch in site.named(name):
            site.cut.update(site.uplinks(switch))
