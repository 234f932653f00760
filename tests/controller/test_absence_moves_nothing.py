"""Lost cables, dead switches and vanished reports are told by conditions; the tree stays as it is, at every tier."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from controller.settings import Times
from discovery.reports import FAILED, PARTIAL
from kube.types import HyperNode
from tests.controller.looking import Looks, chains, condition
from tests.controller.site import Site
from topology.synth.spec import Tree, Unit
from topology.synth.tree import draw_tree

RACKS = Tree(units=(Unit(4, 2),) * 4, wiring="classic", spines=2, aggregation=False)
RAILS = Tree(units=(Unit(4, 2),) * 3, wiring="rails", spines=2, aggregation=False)
PODS = Tree(units=(Unit(4, 2),) * 4, wiring="classic", tiers=3, pod_units=2, spines=2, cores=2, aggregation=False)
LOST = [(RACKS, "leaf-002"), (RAILS, "leaf-002"), (PODS, "leaf-002"), (PODS, "spine-002")]
"""Whose uplinks are all cut: a rack, a unit of rails, a rack of a pod, a pod."""


def begin(tree: Tree) -> tuple[Looks, dict[str, tuple[str, ...]]]:
    """After one whole sweep, everything written; and where every node stands."""
    looks = Looks(site=Site(drawing=draw_tree(tree)))
    before = chains(looks.sweep_and_write())
    assert set(before) == set(looks.site.nodes)
    assert {len(chain) for chain in before.values()} == {3 if tree is PODS else 2}
    return looks, before


def cut_uplinks(site: Site, name: str) -> None:
    site.cut.update(row for switch in site.named(name) for row in site.uplinks(switch))


@pytest.mark.parametrize(("tree", "name"), LOST)
@pytest.mark.parametrize("restarts", [False, True])
def test_what_loses_all_its_uplinks_keeps_its_parents_and_is_not_ready(tree: Tree, name: str, restarts: bool) -> None:
    looks, before = begin(tree)
    cut_uplinks(looks.site, name)
    for _ in range(6):
        outcome = looks.sweep_and_write()
        assert chains(outcome) == before
        if restarts:
            looks.restart(now=1.0)
            assert chains(looks.write()) == before
    owner = next(found.name for found in outcome.desired if name in found.name)
    assert condition(outcome, owner, "Ready").status == "False"
    looks.site.cut.clear()
    assert chains(looks.sweep_and_write()) == before
    settled = looks.sweep_and_write(2.0 + looks.settings.times.link_hold)
    assert chains(settled) == before
    assert condition(settled, owner, "Ready").status == "True"


@pytest.mark.parametrize(("tree", "name"), LOST)
@pytest.mark.parametrize("outcome", [PARTIAL, FAILED])
def test_a_sweep_that_is_not_whole_moves_nothing_either(tree: Tree, name: str, outcome: str) -> None:
    looks, before = begin(tree)
    cut_uplinks(looks.site, name)
    looks.site.outcome = outcome
    for _ in range(4):
        assert chains(looks.sweep_and_write()) == before


@pytest.mark.parametrize(("tree", "name"), [*LOST, (RACKS, "leaf"), (PODS, "spine")])
def test_lost_uplinks_that_nobody_remembers_move_nothing_over_a_restart(tree: Tree, name: str) -> None:
    looks, before = begin(tree)
    cut_uplinks(looks.site, name)
    looks.sweep_and_write()
    looks.objects = tuple(without_annotations(found) for found in looks.objects)
    looks.restart(now=1.0)
    for _ in range(5):
        assert chains(looks.sweep_and_write()) == before


def without_annotations(found: HyperNode) -> HyperNode:
    return msgspec.structs.replace(found, metadata=msgspec.structs.replace(found.metadata, annotations={}))


@pytest.mark.parametrize("tree", [RACKS, RAILS, PODS])
def test_switch_reports_that_vanish_one_by_one_and_come_back_change_nothing(tree: Tree) -> None:
    looks, before = begin(tree)
    reported = dict(looks.site.reported)
    for name in sorted(reported)[:-1]:
        del looks.site.reported[name]
        assert chains(looks.write()) == before
    unhealthy = {name: found.unhealthy for name, found in looks.write().health.hyper_nodes.items()}
    assert set(unhealthy.values()) == {0}
    for name in sorted(reported):
        looks.site.reported[name] = reported[name]
        assert chains(looks.write()) == before
    assert chains(looks.sweep_and_write()) == before


def test_after_a_restart_vanished_reports_are_waited_for_and_then_the_tree_that_stands_counts() -> None:
    looks, before = begin(PODS)
    for name in sorted(looks.site.reported)[::2]:
        del looks.site.reported[name]
    looks.restart(now=1.0)
    assert looks.look(now=2.0).waiting.startswith("no complete view yet of sweeper-1: ")
    assert chains(looks.write(now=601.0)) == before
    assert chains(looks.sweep_and_write(now=602.0)) == before


@pytest.mark.parametrize(
    ("tree", "name"),
    [(RACKS, "spine-001-01"), (RACKS, "spine"), (RACKS, "leaf-002"), (PODS, "spine-002"), (PODS, "core")],
)
@pytest.mark.parametrize("restarts", [False, True])
def test_switches_that_are_dead_for_ten_sweeps_move_nobody(tree: Tree, name: str, restarts: bool) -> None:
    looks, before = begin(tree)
    for switch in looks.site.named(name):
        looks.site.kill(switch)
    for sweep in range(10):
        if restarts and sweep % 3 == 2:
            looks.restart(now=1.0)
        assert chains(looks.sweep_and_write()) == before
    looks.site.dead.clear()
    assert chains(looks.sweep_and_write()) == before


def test_only_whole_sweeps_count_before_a_missing_switch_leaves() -> None:
    looks = Looks()
    looks.sweep_and_write()
    looks.site.kill(looks.site.spines()[0])
    leaf = "ib-leaf-cf-leaf-001"
    totals = []
    for outcome in ["Complete", PARTIAL, "Complete", FAILED, PARTIAL, "Complete", "Complete", PARTIAL, "Complete"]:
        looks.site.outcome = outcome
        totals.append(looks.sweep_and_write().health.hyper_nodes[leaf].total)
    assert totals == [10] * 8 + [8]


def test_a_gone_node_leaves_a_rack_that_is_cut_off() -> None:
    looks, before = begin(RACKS)
    cut_uplinks(looks.site, "leaf-002")
    looks.sweep_and_write()
    looks.settings = replace(looks.settings, times=Times(node_hold=0.0))
    node = next(node for node, chain in before.items() if "leaf-002" in chain[0])
    looks.site.nodes.remove(node)
    looks.site.cut.update(looks.site.host_cables(node))
    del before[node]
    assert chains(looks.sweep_and_write()) == before
    assert chains(looks.sweep_and_write()) == before


def test_a_top_that_nothing_shows_any_more_goes_when_it_is_deleted_by_hand() -> None:
    looks, before = begin(PODS)
    for switch in looks.site.named("core"):
        looks.site.kill(switch)
    for _ in range(6):
        assert chains(looks.sweep_and_write()) == before
    looks.objects = tuple(found for found in looks.objects if "core" not in found.metadata.name)
    for _ in range(2):
        assert chains(looks.write()) == {node: chain[:2] for node, chain in before.items()}
