"""A level above all that stands is concluded from several whole sweeps, and goes when as many show that it is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.decide import Outcome
from discovery.reports import COMPLETE, FAILED, PARTIAL
from tests.controller.looking import Looks, as_objects, chains
from tests.controller.site import Site
from topology.documents import Document
from topology.synth.spec import Tree, Unit
from topology.synth.tree import draw_tree

RACKS = Tree(units=(Unit(4, 2),) * 4, wiring="classic", spines=4, aggregation=False)
ONE_POD = Tree(units=(Unit(4, 2),) * 2, wiring="classic", tiers=3, pod_units=2, spines=3, cores=2, aggregation=False)
FABRIC, SWITCHES = "hyperscout.io/fabric", "hyperscout.io/switches"


def tiers(outcome: Outcome) -> set[int]:
    return {document.tier for document in outcome.desired}


def begin(tree: Tree) -> Looks:
    looks = Looks(site=Site(drawing=draw_tree(tree)))
    looks.sweep_and_write()
    return looks


def with_core(looks: Looks, leaf: str) -> str:
    """A core that stands above the spines, told by a leaf of that name: what a controller once took it for."""
    site = looks.site
    below = looks.write().desired
    root = next(document for document in below if document.tier == 3)
    told = {FABRIC: dict(root.annotations)[FABRIC], SWITCHES: site.guid_of(site.named(leaf)[0])}
    core = Document("ib-core-wrong", 4, "core", "HyperNode", (root.name,), tuple(told.items()))
    rest = [replace(found, annotations=()) if found is root else found for found in below]
    looks.objects = as_objects([*rest, core])
    return core.name


@pytest.mark.parametrize("restarted", [False, True])
def test_a_level_whose_switch_is_a_leaf_goes_after_three_whole_sweeps(restarted: bool) -> None:
    looks = begin(RACKS)
    drawn = chains(looks.write())
    wrong = with_core(looks, "leaf-002")
    if restarted:
        looks.restart(now=1.0 - 10_000)
    for _ in range(3):
        assert {chain[-1] for chain in chains(looks.write()).values()} == {wrong}
    seen = []
    for outcome in (COMPLETE, PARTIAL, FAILED, COMPLETE, COMPLETE):
        looks.site.outcome = outcome
        seen.append(chains(looks.sweep_and_write()) == drawn)
    assert seen == [False, False, False, restarted, True]
    assert chains(looks.sweep_and_write()) == drawn


def test_a_level_whose_switch_does_not_answer_stays() -> None:
    looks = begin(RACKS)
    wrong = with_core(looks, "leaf-002")
    looks.site.kill(looks.site.named("leaf-002")[0])
    for _ in range(8):
        assert {chain[-1] for chain in chains(looks.sweep_and_write()).values()} == {wrong}


def test_cores_that_all_die_stay_a_level_even_when_they_have_left_and_another_process_looks() -> None:
    looks = begin(ONE_POD)
    before = chains(looks.write())
    assert tiers(looks.write()) == {2, 3, 4}
    site = looks.site
    cores = site.named("core")
    gone = {site.guid_of(core) for core in cores}
    for core in cores:
        site.kill(core)
    for _ in range(8):
        assert chains(looks.sweep_and_write()) == before
    site.dead.clear()  # the sweeper forgets them
    site.cut.update(row for core in cores for row in _below(site, core))
    for process in range(2):
        looks.restart(now=1.0 - 10_000 * (process + 1))
        for _ in range(5):
            site.sweep()
            site.reported = {name: report for name, report in site.reported.items() if report.guid not in gone}
            assert chains(looks.write()) == before


def _below(site: Site, switch: int) -> list[int]:
    return [row for row, upper in enumerate(site.drawing.cables.upper.tolist()) if upper == switch]


@pytest.mark.parametrize("restarted", [False, True])
def test_a_new_level_that_joins_nothing_waits_for_three_whole_sweeps(restarted: bool) -> None:
    looks = Looks(site=Site(drawing=draw_tree(ONE_POD)))
    site = looks.site
    cores = site.named("core")
    site.cut.update(row for core in cores for row in _below(site, core))
    before = chains(looks.sweep_and_write())
    assert tiers(looks.write()) == {2, 3}
    site.cut.clear()
    if restarted:
        looks.restart(now=1.0 - 10_000)
    for outcome in (PARTIAL, COMPLETE, COMPLETE):
        site.outcome = outcome
        assert chains(looks.sweep_and_write()) == before
        assert chains(looks.write()) == before
    assert tiers(looks.sweep_and_write()) == {2, 3, 4}
    assert {node: chain[:2] for node, chain in chains(looks.write()).items()} == before


def test_a_new_level_that_joins_a_new_pod_stands_at_once() -> None:
    pods = replace(ONE_POD, units=(Unit(4, 2),) * 4)
    looks = Looks(site=Site(drawing=draw_tree(pods)))
    site = looks.site
    hidden = [*site.named("core"), *site.named("spine-002"), *site.named("leaf-003"), *site.named("leaf-004")]
    site.cut.update(row for switch in hidden for row in _below(site, switch))
    everybody = list(site.nodes)
    site.nodes = everybody[:8]
    assert tiers(looks.sweep_and_write()) == {2, 3}
    site.cut.clear()
    site.nodes = everybody
    after = chains(looks.sweep_and_write())
    assert len({chain[-1] for chain in after.values()}) == 1
    assert {len(chain) for chain in after.values()} == {3}
