"""Who is a member of what, from one look to the next."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from controller.settings import ControllerSettings, Patience, Times
from discovery.reports import FAILED, PARTIAL, NvLink
from kube.types import (
    ExactMatch,
    HyperNode,
    HyperNodeSpec,
    LabelSelector,
    LabelSelectorRequirement,
    Member,
    MemberSelector,
    RegexMatch,
)
from tests.controller.looking import Looks, as_objects, members
from tests.controller.site import Site, meta
from topology.documents import Document

A, B, ROOT = "ib-leaf-cf-leaf-001", "ib-leaf-cf-leaf-002", "ib-spine-cf-spine-001"
NODES = tuple(f"node-0000{number}" for number in range(6))
WHOLE = {A: NODES[:3], B: NODES[3:], ROOT: (A, B)}


@pytest.fixture
def looks() -> Looks:
    """After one whole sweep, everything written."""
    looks = Looks()
    assert members(looks.sweep_and_write()) == WHOLE
    return looks


@pytest.mark.parametrize("outcome", [PARTIAL, FAILED])
def test_nothing_is_written_before_every_source_gave_a_complete_view_or_the_time_is_over(outcome: str) -> None:
    looks = Looks()
    looks.site.outcome = outcome
    looks.site.sweep()
    decision = looks.look(now=599.0)
    assert decision.outcome is None
    assert decision.waiting == (
        "no complete view yet of sweeper-1: nothing is written until it is there, or until 600 s after the start "
        "(the setting times.coldStart); if one of these sweepers is not wanted, name only the wanted ones in the "
        "setting sweepers"
    )
    assert looks.look(now=600.0).outcome is not None


def test_a_configured_source_that_has_written_nothing_is_waited_for() -> None:
    looks = Looks(settings=ControllerSettings(sweepers=("sweeper-1", "sweeper-2")))
    looks.site.sweep()
    assert looks.look().waiting.startswith("no complete view yet of sweeper-2: ")


def test_where_nothing_was_swept_it_is_said_how_long_that_is_waited_for() -> None:
    looks = Looks(settings=ControllerSettings(times=Times(cold_start=90.0)))
    assert looks.look().waiting == (
        "no complete view yet of any sweeper: nothing is written until one is there, or until 90 s after the start "
        "(the setting times.coldStart)"
    )


def test_no_evidence_at_all_changes_nothing(looks: Looks) -> None:
    looks.site.reported = {}
    assert looks.look().outcome is None


def test_a_second_look_and_a_restart_find_nothing_to_do(looks: Looks) -> None:
    again = looks.look()
    assert again.outcome is not None
    assert set(again.outcome.desired) == set(again.outcome.standing)
    looks.restart(now=50.0)
    after = looks.look(now=51.0).outcome
    assert after is not None
    assert set(after.desired) == set(after.standing)


@pytest.mark.parametrize("restarted", [False, True])
def test_a_node_that_is_off_keeps_its_place(looks: Looks, restarted: bool) -> None:
    looks.site.cut.update(looks.site.host_cables(NODES[1]))
    for _ in range(4):
        if restarted:
            looks.restart(now=1.0)
        assert members(looks.sweep_and_write()) == WHOLE


def test_a_whole_unit_that_is_off_keeps_its_place(looks: Looks) -> None:
    for node in NODES[3:]:
        looks.site.cut.update(looks.site.host_cables(node))
    assert members(looks.sweep_and_write()) == WHOLE


def test_a_deleted_node_is_held_and_then_removed(looks: Looks) -> None:
    looks.site.nodes.remove(NODES[2])
    assert members(looks.write(now=100.0)) == WHOLE
    assert members(looks.write(now=699.0)) == WHOLE
    assert members(looks.write(now=700.0)) == {**WHOLE, A: NODES[:2]}


def test_a_node_that_returns_in_time_was_never_gone(looks: Looks) -> None:
    looks.site.nodes.remove(NODES[2])
    looks.write(now=100.0)
    looks.site.nodes.append(NODES[2])
    assert members(looks.write(now=699.0)) == WHOLE
    looks.site.nodes.remove(NODES[2])
    assert members(looks.write(now=800.0)) == WHOLE
    assert members(looks.write(now=1399.0)) == WHOLE


def test_a_domain_without_nodes_goes_and_comes_back_under_its_name(looks: Looks) -> None:
    looks.settings = replace(looks.settings, times=Times(node_hold=0.0))
    for node in NODES[3:]:
        looks.site.nodes.remove(node)
    assert members(looks.write(now=2.0)) == {A: NODES[:3], ROOT: (A,)}
    looks.site.nodes.append(NODES[4])
    assert members(looks.write(now=3.0)) == {**WHOLE, B: (NODES[4],)}


def test_a_node_moves_only_when_three_sweeps_agree(looks: Looks) -> None:
    looks.site.exchange(NODES[0], NODES[3])
    assert members(looks.sweep_and_write()) == WHOLE
    assert members(looks.write()) == WHOLE
    assert members(looks.sweep_and_write()) == WHOLE
    moved = members(looks.sweep_and_write())
    assert {node for node in NODES if node in moved[A]} == {NODES[3], NODES[1], NODES[2]}
    assert {node for node in NODES if node in moved[B]} == {NODES[0], NODES[4], NODES[5]}


def test_two_sweeps_that_disagree_move_nothing(looks: Looks) -> None:
    for _ in range(3):
        looks.site.exchange(NODES[0], NODES[3])
        assert members(looks.sweep_and_write()) == WHOLE


def foreign(name: str, *selectors: MemberSelector) -> HyperNode:
    found = Member(type="Node", selector=selectors[0])
    return HyperNode(metadata=meta(name), spec=HyperNodeSpec(tier=1, members=(found,)))


def exact(node: str) -> MemberSelector:
    return MemberSelector(exact_match=ExactMatch(name=node))


def test_a_node_that_a_foreign_leaf_holds_is_left_out_and_told(looks: Looks) -> None:
    looks.objects = (*looks.objects, foreign("theirs", exact(NODES[0])))
    outcome = looks.write()
    assert members(outcome) == {**WHOLE, A: NODES[1:3]}
    assert outcome.placements[NODES[0]].reason == "ForeignHyperNode"
    assert outcome.placements[NODES[1]].hyper_node == A
    (notice,) = [found for found in outcome.notices if found.hyper_node == "theirs"]
    assert notice.sentence.startswith(f"it holds 1 node ({NODES[0]}) that stood in ours")
    assert not [found for found in looks.write().notices if found.hyper_node == "theirs"]  # it has left


def test_a_name_that_others_have_is_not_taken() -> None:
    looks = Looks(objects=(foreign(A, exact("elsewhere")),))
    fallback = f"{A}-hyperscout"
    wanted = {fallback: NODES[:3], B: NODES[3:], ROOT: tuple(sorted((fallback, B)))}
    assert members(looks.sweep_and_write()) == wanted
    assert members(looks.sweep_and_write()) == wanted


def pattern(text: str) -> MemberSelector:
    return MemberSelector(regex_match=RegexMatch(pattern=text))


def test_nodes_that_a_foreign_pattern_matches_are_left_out(looks: Looks) -> None:
    looks.objects = (*looks.objects, foreign("theirs", pattern("[01]$")))
    outcome = looks.write()
    assert members(outcome) == {**WHOLE, A: (NODES[2],)}
    assert outcome.placements[NODES[1]].reason == "ForeignHyperNode"
    assert dict(outcome.reports) == {}


def test_a_foreign_pattern_that_is_none_takes_in_no_node_and_is_named(looks: Looks) -> None:
    looks.objects = (*looks.objects, foreign("broken", pattern("node-(0")), foreign("theirs", pattern(f"^{NODES[5]}$")))
    outcome = looks.write()
    assert members(outcome) == {**WHOLE, B: NODES[3:5]}
    assert set(outcome.reports) == {"broken"}
    assert "'node-(0'" in outcome.reports["broken"]


def test_a_foreign_label_operator_that_is_not_known_takes_in_no_node_and_is_named(looks: Looks) -> None:
    odd = LabelSelector(match_expressions=(LabelSelectorRequirement(key="rack", operator="Like", values=("1",)),))
    looks.objects = (*looks.objects, foreign("odd", MemberSelector(label_match=odd)))
    outcome = looks.write()
    assert members(outcome) == WHOLE
    assert "'Like'" in outcome.reports["odd"]


def test_a_foreign_parent_of_ours_is_reported(looks: Looks) -> None:
    ours = as_objects([Document("parent", 4, "core", "HyperNode", (ROOT,))])[0]
    parent = msgspec.structs.replace(ours, metadata=meta("parent"))
    looks.objects = (*looks.objects, parent)
    outcome = looks.write()
    assert members(outcome) == WHOLE
    assert set(outcome.reports) == {"parent"}


def test_a_member_that_never_was_a_node_is_no_deleted_one(looks: Looks) -> None:
    edited = as_objects([Document(A, 2, "leaf", "Node", (*NODES[:3], "x"), (("hyperscout.io/links", "0/10"),))])
    looks.objects = tuple(edited[0] if found.metadata.name == A else found for found in looks.objects)
    assert members(looks.write()) == WHOLE


def test_an_edited_object_is_put_right(looks: Looks) -> None:
    edited = as_objects([Document(A, 2, "leaf", "Node", (NODES[0], NODES[3]), (("hyperscout.io/links", "0/10"),))])
    looks.objects = tuple(edited[0] if found.metadata.name == A else found for found in looks.objects)
    outcome = looks.write()
    assert outcome.standing != outcome.desired
    assert members(outcome) == WHOLE


def test_a_switch_that_is_missing_for_five_sweeps_leaves_the_graph(looks: Looks) -> None:
    looks.site.kill(looks.site.spines()[0])
    totals = [looks.sweep_and_write().health.hyper_nodes[A].total for _ in range(5)]
    assert totals == [10, 10, 10, 10, 8]
    assert members(looks.write()) == WHOLE
    assert ControllerSettings().patience == Patience(moves=3, missing=5)


def test_an_nvlink_domain_is_kept_when_the_driver_cannot_tell() -> None:
    told = {}
    for node in NODES:
        rack = 1 if node in WHOLE[A] else 2
        uuid = f"{rack}1111111-1111-4111-8111-111111111111"
        told[node] = NvLink(clusterUuid=uuid, cliqueId=1, state="Completed")
    looks = Looks(site=Site(nvlink=told))
    before = members(looks.sweep_and_write())
    nvlinks = [name for name in before if "-nvlink-" in name]
    assert sorted(before[name] for name in nvlinks) == [NODES[:3], NODES[3:]]
    looks.site.nvlink = {node: NvLink(state="InProgress") for node in NODES}
    assert members(looks.sweep_and_write()) == before
    looks.restart(now=10.0)
    assert members(looks.sweep_and_write(now=11.0)) == before
