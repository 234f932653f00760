"""Who takes away what is ours on Nodes and NodeReports starts a look; what others write of their own does not."""

from __future__ import annotations

import pytest

from controller.trigger import node_matters, report_matters
from kube.cache import Changed
from kube.types import Node, NodeReportObject, NodeSpec, ObjectMeta, OwnerReference, Taint

OURS = Taint(key="hyperscout.io/fabric-unhealthy", effect="NoSchedule")
THEIRS = Taint(key="theirs", effect="NoExecute")
OWNER = OwnerReference(api_version="v1", kind="Node", name="a", uid="u1")


def node(*taints: Taint, **annotations: str) -> Node:
    named = {key.replace("_", "/"): value for key, value in annotations.items()}
    return Node(metadata=ObjectMeta(name="a", uid="u1", annotations=named), spec=NodeSpec(taints=taints))


@pytest.mark.parametrize(
    ("new", "starts"),
    [
        (node(OURS, THEIRS), False),
        (node(OURS, other="1"), False),
        (node(), True),
        (node(Taint(key=OURS.key, effect="PreferNoSchedule")), True),
    ],
)
def test_our_taint_counts_and_those_of_others_and_annotations_do_not(new: Node, *, starts: bool) -> None:
    assert node_matters(Changed(node(OURS), new)) is starts


def test_the_annotation_that_says_which_labels_are_ours_counts() -> None:
    written = Node(metadata=ObjectMeta(name="a", uid="u1", annotations={"hyperscout.io/written-labels": "rack=l1"}))
    assert node_matters(Changed(written, node()))


def test_the_owners_of_a_report_count() -> None:
    owned = NodeReportObject(metadata=ObjectMeta(name="a", owner_references=(OWNER,)))
    assert report_matters(Changed(owned, NodeReportObject(metadata=ObjectMeta(name="a"))))
    assert not report_matters(Changed(owned, owned))
