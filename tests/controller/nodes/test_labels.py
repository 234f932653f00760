"""Labels of Nodes: what a node should have, and what is written where others write labels, too."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from controller.nodes.labels import LabelChange, Labels, change_labels, stand, value_of, wanted_labels
from controller.nodes.marks import our_labels
from controller.settings import NodeMarks
from topology.hierarchy import Hierarchy, HyperNode

LEAF, SPINE = "network.topology.nvidia.com/leaf", "network.topology.nvidia.com/spine"
WRITTEN = "hyperscout.io/written-labels"
WANTED = Labels({"hyperscout.io/leaf": "l1"}, {LEAF: "l1"})


def hyper_node(name: str, tier: str, parent: str | None, *nodes: str, children: tuple[str, ...] = ()) -> HyperNode:
    return HyperNode(name, "ib", 1, tier, parent, children, nodes, (), ())


TREE = Hierarchy(
    (
        hyper_node("n1", "nvlink", "l1", "a", "b"),
        hyper_node("l2", "leaf", "s", "c"),
        hyper_node("l1", "leaf", "s", "a", "b", children=("n1",)),
        hyper_node("s", "spine", None, "a", "b", "c", children=("l1", "l2")),
    )
)


def test_a_node_gets_the_name_of_its_hyper_node_of_every_tier() -> None:
    wanted = wanted_labels(TREE, NodeMarks(labels=True, other_labels={SPINE: "spine", "rack": "nvlink"}))
    assert dict(wanted["b"].own) == {
        "hyperscout.io/nvlink": "n1",
        "hyperscout.io/leaf": "l1",
        "hyperscout.io/spine": "s",
    }
    assert dict(wanted["b"].others) == {SPINE: "s", "rack": "n1"}
    assert dict(wanted["c"].own) == {"hyperscout.io/leaf": "l2", "hyperscout.io/spine": "s"}
    assert dict(wanted["c"].others) == {SPINE: "s"}


def test_without_the_setting_no_node_should_have_any() -> None:
    assert wanted_labels(TREE, NodeMarks()) == {}


@pytest.mark.parametrize("length", [1, 63])
def test_a_name_that_fits_is_the_value(length: int) -> None:
    assert value_of("x" * length) == "x" * length


def test_longer_names_are_cut_and_stay_distinct_and_legal() -> None:
    one, other = value_of("leaf." * 12 + "a-hyperscout"), value_of("leaf." * 12 + "b-hyperscout")
    assert one != other
    assert one == value_of("leaf." * 12 + "a-hyperscout")
    for value in (one, other):
        assert len(value) <= 63
        assert value[0].isalnum()
        assert value[-1].isalnum()
        assert ".-" not in value


def applied(
    labels: Mapping[str, str], annotations: Mapping[str, str], change: LabelChange
) -> tuple[dict[str, str], ...]:
    """As the server merges what is written."""
    found = (
        {**labels, **change.labels},
        {**annotations, **({} if change.written is None else {WRITTEN: change.written})},
    )
    return tuple({key: value for key, value in one.items() if value} for one in found)


def test_what_is_written_stands_and_nothing_of_others_is_touched() -> None:
    before = {"team": "ml", "kubernetes.io/hostname": "n"}
    change = change_labels(before, {}, WANTED)
    labels, annotations = applied(before, {}, change)
    assert labels == {**before, "hyperscout.io/leaf": "l1", LEAF: "l1"}
    assert stand(labels, annotations, WANTED)
    assert not change_labels(labels, annotations, WANTED).changes
    assert not set(change.labels) & set(before)


def test_a_node_that_moved_gets_the_new_names_under_all_keys() -> None:
    labels, annotations = applied({}, {}, change_labels({}, {}, WANTED))
    moved = Labels({"hyperscout.io/leaf": "l2"}, {LEAF: "l2"})
    change = change_labels(labels, annotations, moved)
    assert applied(labels, annotations, change)[0] == {"hyperscout.io/leaf": "l2", LEAF: "l2"}
    assert change.taken == {}


def test_a_key_that_others_set_first_is_left_and_told() -> None:
    change = change_labels({LEAF: "theirs"}, {}, WANTED)
    assert (change.labels, change.written) == ({"hyperscout.io/leaf": "l1"}, None)
    assert change.taken == {LEAF: "theirs"}


def test_a_key_that_others_took_over_is_left_and_told_and_forgotten() -> None:
    labels, annotations = applied({}, {}, change_labels({}, {}, WANTED))
    labels[LEAF] = "theirs"
    assert not stand(labels, annotations, WANTED)
    change = change_labels(labels, annotations, WANTED)
    assert (change.labels, change.written, change.taken) == ({}, "", {LEAF: "theirs"})


def test_a_label_of_others_that_says_the_same_is_neither_told_nor_ever_removed() -> None:
    labels = {LEAF: "l1", "hyperscout.io/leaf": "l1"}
    change = change_labels(labels, {}, WANTED)
    assert (change.changes, change.taken) == (False, {})
    assert change_labels(labels, {}, Labels()).labels == {"hyperscout.io/leaf": None}


def test_labels_of_a_tier_that_went_are_removed_and_only_ours() -> None:
    before = {"hyperscout.io/core2": "c", "hyperscout.io/sweeper": "yes", LEAF: "l1", SPINE: "theirs"}
    annotations = {WRITTEN: f"{LEAF}=l1,{SPINE}=ours"}
    change = change_labels(before, annotations, Labels())
    assert change.labels == {"hyperscout.io/core2": None, LEAF: None}
    assert change.written == ""
    assert our_labels(before, annotations) == {"hyperscout.io/core2", LEAF}


def test_an_annotation_that_nobody_can_read_makes_nothing_ours() -> None:
    assert our_labels({"a": "b"}, {WRITTEN: "a,=,b==,"}) == frozenset()


@pytest.mark.parametrize("spoilt", ["garbage", f"{LEAF}=l1 ", f"{LEAF}=,{LEAF}=l1", f"{LEAF}", ","])
def test_after_somebody_spoilt_the_annotation_labels_as_they_should_be_are_ours_again(spoilt: str) -> None:
    wanted = Labels({}, {LEAF: "l1", SPINE: "s"})
    change = change_labels({LEAF: "l1", SPINE: "theirs"}, {WRITTEN: spoilt}, wanted)
    assert (change.labels, change.written, change.taken) == ({}, f"{LEAF}=l1", {SPINE: "theirs"})
    labels, annotations = applied({LEAF: "l1", SPINE: "theirs"}, {WRITTEN: spoilt}, change)
    assert change_labels(labels, annotations, Labels()).labels == {LEAF: None}
