"""What appears elsewhere moves after three whole sweeps in a row that show it there; what is new counts at once."""

from __future__ import annotations

import pytest

from discovery.conversion import report_names, switch_reports
from discovery.reports import COMPLETE, FAILED, PARTIAL
from tests.controller.looking import Looks, chains, condition
from tests.controller.site import Site
from topology.synth.spec import Tree, Unit
from topology.synth.tree import draw_tree

RACKS = Tree(units=(Unit(4, 2),) * 4, wiring="classic", spines=2, aggregation=False)
PODS = Tree(units=(Unit(4, 2),) * 4, wiring="classic", tiers=3, pod_units=2, spines=2, cores=2, aggregation=False)
FIRST, OTHER = "node-00000", "node-00004"
"""Nodes of the first and of the second rack."""


def begin(tree: Tree) -> tuple[Looks, dict[str, tuple[str, ...]]]:
    """After one whole sweep, everything written; and where every node stands."""
    looks = Looks(site=Site(drawing=draw_tree(tree)))
    return looks, chains(looks.sweep_and_write())


def sweeps_until_moved(looks: Looks, node: str, outcomes: list[str]) -> int | None:
    """After so many of these sweeps the node stands elsewhere."""
    before = chains(looks.write())[node]
    for number, outcome in enumerate(outcomes, start=1):
        looks.site.outcome = outcome
        if chains(looks.sweep_and_write())[node] != before:
            return number
    return None


@pytest.mark.parametrize(
    ("outcomes", "moved"),
    [
        ([COMPLETE] * 4, 3),
        ([PARTIAL, COMPLETE, COMPLETE], None),
        ([PARTIAL, COMPLETE, COMPLETE, COMPLETE], 4),
        ([FAILED, FAILED, PARTIAL, PARTIAL, COMPLETE], None),
        ([COMPLETE, PARTIAL, PARTIAL, COMPLETE, COMPLETE], 5),
    ],
)
@pytest.mark.parametrize("restarted", [False, True])
def test_a_host_in_another_rack_moves_after_three_whole_sweeps(
    outcomes: list[str], moved: int | None, restarted: bool
) -> None:
    looks, before = begin(RACKS)
    looks.site.exchange(FIRST, OTHER)
    if restarted:
        looks.restart(now=1.0)
        looks.write()
    assert sweeps_until_moved(looks, FIRST, outcomes) == moved
    if moved is not None:
        after = chains(looks.write())
        assert (after[FIRST], after[OTHER]) == (before[OTHER], before[FIRST])
        assert condition(looks.write(), after[FIRST][0], "LinksHealthy").status == "True"


def test_looks_between_the_reports_of_switches_and_of_the_sweep_count_for_nothing() -> None:
    looks, before = begin(RACKS)
    looks.site.exchange(FIRST, OTHER)
    fresh = switch_reports(looks.site.scan(), fabric="dc")
    looks.site.reported.update(zip(report_names(fresh), fresh, strict=True))
    for _ in range(5):
        assert chains(looks.write()) == before
    assert sweeps_until_moved(looks, FIRST, [COMPLETE] * 4) == 3


def test_a_sweep_that_shows_the_old_place_starts_the_count_anew() -> None:
    looks, before = begin(RACKS)
    for _ in range(3):
        looks.site.exchange(FIRST, OTHER)
        for _ in range(2):
            assert chains(looks.sweep_and_write()) == before
        looks.site.exchange(FIRST, OTHER)
        assert chains(looks.sweep_and_write()) == before


@pytest.mark.parametrize("restarted", [False, True])
def test_racks_that_are_exchanged_between_pods_get_new_parents_after_three_whole_sweeps(restarted: bool) -> None:
    looks, before = begin(PODS)
    site = looks.site
    site.cross(*(site.uplinks(site.named(name)[0]) for name in ("leaf-001", "leaf-003")))
    if restarted:
        looks.restart(now=1.0)
        looks.write()
    far = next(node for node, chain in before.items() if "leaf-003" in chain[0])
    assert sweeps_until_moved(looks, FIRST, [COMPLETE, PARTIAL, COMPLETE, FAILED, COMPLETE]) == 5
    after = chains(looks.write())
    assert after[FIRST] == (before[FIRST][0], *before[far][1:])
    assert after[far] == (before[far][0], *before[FIRST][1:])
    others = {node for node, chain in before.items() if chain[0] not in (before[FIRST][0], before[far][0])}
    assert {node: after[node] for node in others} == {node: before[node] for node in others}
    outcome = looks.sweep_and_write()
    assert chains(outcome) == after
    assert {condition(outcome, found.name, "LinksHealthy").status for found in outcome.desired} == {"True"}


def test_a_restart_in_the_middle_of_a_move_neither_hastens_nor_loses_it() -> None:
    looks, before = begin(RACKS)
    looks.site.exchange(FIRST, OTHER)
    assert chains(looks.sweep_and_write()) == before
    looks.restart(now=1.0)
    for _ in range(3):
        assert chains(looks.write()) == before
    assert sweeps_until_moved(looks, FIRST, [COMPLETE] * 4) == 2


def test_a_new_rack_and_a_new_node_stand_at_once() -> None:
    looks = Looks(site=Site(drawing=draw_tree(PODS)))
    site = looks.site
    leaf = site.named("leaf-004")[0]
    new = [node for node in site.nodes if leaf in site.switches_of(node)]
    hidden = {row for row, upper in enumerate(site.drawing.cables.upper.tolist()) if upper == leaf}
    site.cut |= {*hidden, *site.uplinks(leaf)}
    for node in new:
        site.nodes.remove(node)
    before = chains(looks.sweep_and_write())
    assert len({chain[0] for chain in before.values()}) == 3
    site.cut.clear()
    site.nodes += new[1:]
    site.outcome = PARTIAL
    after = chains(looks.sweep_and_write())
    assert {node: after[node] for node in before} == before
    assert {after[node][1:] for node in new[1:]} == {chain[1:] for chain in before.values() if "leaf-003" in chain[0]}
    site.nodes += new[:1]
    assert chains(looks.write())[new[0]] == after[new[1]]


@pytest.mark.parametrize("name", ["leaf-002", "spine-001", "core-001-01"])
def test_a_switch_that_is_replaced_moves_nobody_and_its_links_are_healthy_in_the_end(name: str) -> None:
    looks, before = begin(PODS)
    totals = {name: found.total for name, found in looks.write().health.hyper_nodes.items()}
    looks.site.replace_switch(looks.site.named(name)[0])
    for _ in range(7):
        outcome = looks.sweep_and_write()
        assert chains(outcome) == before
    assert {name: found.total for name, found in outcome.health.hyper_nodes.items()} == totals
    assert {found.unhealthy for found in outcome.health.hyper_nodes.values()} == {0}


def test_an_adapter_that_is_replaced_moves_nobody() -> None:
    looks, before = begin(RACKS)
    rows = looks.site.host_cables(FIRST)
    adapter = int(looks.site.drawing.cables.lower[rows[0]])
    looks.site.replace_switch(adapter)
    looks.site.retired.clear()
    for _ in range(5):
        outcome = looks.sweep_and_write()
        assert chains(outcome) == before
    assert {found.unhealthy for found in outcome.health.hyper_nodes.values()} == {0}
