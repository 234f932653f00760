"""Whose a NodeReport is: its Node's as it is now, and whoever else's it was."""

from __future__ import annotations

from datetime import UTC, datetime

from controller.nodes.ownership import find_claims, owners_of
from controller.snapshot import Snapshot
from kube.types import Node, NodeReportObject, ObjectMeta, OwnerReference

OURS = OwnerReference(api_version="v1", kind="Node", name="a", uid="u2", controller=False, block_owner_deletion=False)
OLD = OwnerReference(api_version="v1", kind="Node", name="a", uid="u1", block_owner_deletion=False)
THEIRS = OwnerReference(api_version="v1", kind="ConfigMap", name="a", uid="u9", controller=True)
NODE = Node(metadata=ObjectMeta(name="a", uid="u2"))


def report(name: str, *owners: OwnerReference, deleted: datetime | None = None) -> NodeReportObject:
    return NodeReportObject(metadata=ObjectMeta(name=name, owner_references=owners, deletion_timestamp=deleted))


def owners(*reports: NodeReportObject) -> list[tuple[tuple[OwnerReference, ...], bool]]:
    claims = find_claims(Snapshot(nodes=(NODE,), node_reports=reports))
    return [(owners_of(claim.report, claim.node), claim.renewed) for claim in claims]


def test_a_report_gets_its_node_as_owner_beside_those_of_others() -> None:
    assert owners(report("a")) == [((OURS,), False)]
    assert owners(report("a", THEIRS)) == [((THEIRS, OURS), False)]


def test_one_that_names_its_node_is_left_alone() -> None:
    assert owners(report("a", OURS)) == owners(report("a", THEIRS, OURS)) == []


def test_a_node_that_came_back_takes_the_place_of_the_one_that_went() -> None:
    assert owners(report("a", OLD)) == [((OURS,), True)]
    assert owners(report("a", OLD, THEIRS)) == [((THEIRS, OURS), True)]


def test_the_report_of_a_node_that_there_is_not_gets_no_owner_and_keeps_those_it_has() -> None:
    assert owners(report("b"), report("c", OLD)) == []


def test_a_report_that_is_being_deleted_is_left_alone() -> None:
    assert owners(report("a", deleted=datetime(2026, 1, 1, tzinfo=UTC))) == []


def test_reports_that_are_about_to_be_deleted_come_first() -> None:
    nodes = tuple(Node(metadata=ObjectMeta(name=name, uid="u2")) for name in "ab")
    reports = (report("a"), report("b", OwnerReference(api_version="v1", kind="Node", name="b", uid="u1")))
    claims = find_claims(Snapshot(nodes=nodes, node_reports=reports))
    assert [claim.report.metadata.name for claim in claims] == ["b", "a"]
