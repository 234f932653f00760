"""HyperNodes of others that the setting `adopt` names are taken over, no other ones, and no step breaks the tree."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import msgspec
import pytest

from controller.settings import ControllerSettings
from kube.types import ExactMatch, HyperNode, HyperNodeSpec, LabelSelector, Member, MemberSelector, RegexMatch
from tests.controller.carrying import Carried, StoppedError, states
from tests.controller.looking import Looks, members
from tests.controller.site import meta

A, B, ROOT = "ib-leaf-cf-leaf-001", "ib-leaf-cf-leaf-002", "ib-spine-cf-spine-001"
NODES = tuple(f"node-0000{number}" for number in range(6))
WHOLE = {A: NODES[:3], B: NODES[3:], ROOT: (A, B)}


def exact(kind: str, *names: str) -> tuple[Member, ...]:
    return tuple(Member(type=kind, selector=MemberSelector(exact_match=ExactMatch(name=name))) for name in names)


def foreign(name: str, tier: int, *listed: Member, tier_name: str = "rack") -> HyperNode:
    return HyperNode(metadata=meta(name), spec=HyperNodeSpec(tier=tier, tier_name=tier_name, members=listed))


def site(*theirs: HyperNode, adopt: tuple[str, ...] = ()) -> Looks:
    """A site that was swept, where others were first."""
    looks = Looks(settings=ControllerSettings(adopt=adopt), objects=theirs)
    looks.site.sweep()
    return looks


RACK_1, RACK_2 = foreign("rack-1", 1, *exact("Node", *NODES[:3])), foreign("rack-2", 1, *exact("Node", *NODES[3:]))
ROW = foreign("row", 2, *exact("HyperNode", "rack-1", "rack-2"))


def sentences(looks: Looks) -> dict[str, str]:
    outcome = looks.look().outcome
    assert outcome is not None
    return {notice.hyper_node: notice.sentence for notice in outcome.notices}


@pytest.mark.parametrize("tier", [1, 2])
def test_one_that_has_the_members_of_a_domain_becomes_it_under_its_own_name(tier: int) -> None:
    looks = site(foreign("rack-1", tier, *exact("Node", *NODES[:3])), adopt=("rack-1",))
    outcome = Carried(looks).until_settled()
    assert members(outcome) == {"rack-1": NODES[:3], B: NODES[3:], ROOT: (B, "rack-1")}
    assert {(found.tier, found.tier_name) for found in outcome.desired if found.name == "rack-1"} == {(2, "leaf")}
    assert not [found for found in outcome.desired if "hyperscout.io/adopted-as" in dict(found.annotations)]
    assert looks.snapshot().foreign == ()
    looks.site.sweep()
    assert members(Carried(looks).until_settled()) == members(outcome)


def test_a_whole_tree_of_others_becomes_ours_under_its_own_names() -> None:
    looks = site(RACK_1, RACK_2, ROW, adopt=("row", "rack-1", "rack-2"))
    outcome = Carried(looks).until_settled()
    assert members(outcome) == {"rack-1": NODES[:3], "rack-2": NODES[3:], "row": ("rack-1", "rack-2")}
    assert {found.name: found.tier for found in outcome.desired} == {"rack-1": 2, "rack-2": 2, "row": 3}


def test_however_often_it_is_interrupted_it_ends_in_the_same_tree() -> None:
    adopt = ("row", "rack-1", "rack-2")
    whole = Carried(site(RACK_1, RACK_2, ROW, adopt=adopt))
    ends_in = members(whole.until_settled())
    for most in range(whole.writes):
        looks = site(RACK_1, RACK_2, ROW, adopt=adopt)
        with pytest.raises(StoppedError):
            (carried := Carried(looks, most)).until_settled()
        assert members(carried.restarted(now=50.0).until_settled(now=51.0)) == ends_in


def test_one_that_no_domain_fits_is_removed_and_its_nodes_go_where_they_belong() -> None:
    mixed = foreign("mixed", 1, *exact("Node", NODES[0], NODES[3], "elsewhere"), tier_name="leaf")
    looks = site(mixed, adopt=("mixed",))
    assert members(looks.write()) == {A: NODES[1:3], B: NODES[4:], ROOT: (A, B)}
    assert members(Carried(looks).until_settled()) == WHOLE
    assert sentences(looks) == {}


def test_patterns_and_labels_are_spelled_out_when_they_are_taken_over() -> None:
    pattern = Member(type="Node", selector=MemberSelector(regex_match=RegexMatch(pattern="node-0000[0-2]")))
    looks = site(foreign("rack-1", 2, pattern), adopt=("rack-1",))
    outcome = looks.look().outcome
    assert outcome is not None
    (adoption,) = outcome.adoptions
    listed = [member["selector"]["exactMatch"]["name"] for member in adoption.manifest["spec"]["members"]]
    assert listed == list(NODES[:3])
    assert members(Carried(looks).until_settled())["rack-1"] == NODES[:3]


@pytest.mark.parametrize(
    "odd",
    [
        (Member(type="Node", selector=MemberSelector(regex_match=RegexMatch(pattern="node-(0"))),),
        (Member(type="Node", selector=MemberSelector(label_match=LabelSelector(match_labels={"rack": "9"}))),),
        (*exact("Node", NODES[0]), *exact("HyperNode", "gone")),
    ],
    ids=["no pattern", "no node", "both kinds"],
)
def test_one_whose_members_cannot_be_written_as_names_is_taken_over_and_removed(odd: tuple[Member, ...]) -> None:
    looks = Looks(settings=ControllerSettings(adopt=("odd",)))
    looks.sweep_and_write()
    looks.objects = (*looks.objects, foreign("odd", 1, *odd))
    for _ in range(2):
        outcome = looks.look().outcome
        assert outcome is not None
        *_, looks.objects = states(looks.objects, outcome)
    assert members(looks.write()) == WHOLE
    assert {found.metadata.name for found in looks.objects} == set(WHOLE)


def test_no_other_one_is_touched() -> None:
    looks = site(RACK_1, RACK_2, adopt=("rack-1",))
    outcome = Carried(looks).until_settled()
    assert members(outcome) == {"rack-1": NODES[:3], ROOT: ("rack-1",)}
    assert looks.snapshot().foreign == (RACK_2,)


def test_one_that_a_foreign_parent_lists_is_left_until_the_parent_is_named_too() -> None:
    looks = site(RACK_1, RACK_2, ROW, adopt=("rack-1", "rack-2"))
    assert "name row in adopt as well" in sentences(looks)["rack-1"]
    Carried(looks).until_settled()
    assert {found.metadata.name for found in looks.snapshot().foreign} == {"rack-1", "rack-2", "row"}
    looks.settings = replace(looks.settings, adopt=("rack-1", "rack-2", "row"))
    assert set(members(Carried(looks).until_settled())) == {"rack-1", "rack-2", "row"}


def test_what_a_refused_one_lists_is_refused_in_turn() -> None:
    site_row = foreign("site", 3, *exact("HyperNode", "row"))
    looks = site(RACK_1, ROW, site_row, adopt=("rack-1", "row"))
    assert set(sentences(looks)) == {"rack-1", "row"}
    outcome = looks.look().outcome
    assert outcome is not None
    assert outcome.adoptions == ()


def test_a_name_that_is_missing_or_ours_already_is_told() -> None:
    looks = site(adopt=("ghost", A))
    assert sentences(looks) == {
        A: "the setting adopt names it, and there is none; when there is, it is taken over",
        "ghost": "the setting adopt names it, and there is none; when there is, it is taken over",
    }
    looks.write()
    looks.restart(now=9.0)
    assert "ours already" in sentences(looks)[A]


def test_one_that_is_being_deleted_is_left_alone() -> None:
    going = msgspec.structs.replace(RACK_1.metadata, deletion_timestamp=datetime(2026, 3, 1, tzinfo=UTC))
    looks = site(msgspec.structs.replace(RACK_1, metadata=going), adopt=("rack-1",))
    outcome = looks.look().outcome
    assert outcome is not None
    assert outcome.adoptions == ()
    assert outcome.notices == ()
