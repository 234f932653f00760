"""Nodes that are renamed, made anew or unknown, and clocks that are wrong: what moves, and what is told."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import msgspec
import pytest

from controller.decide import Outcome, decide
from controller.snapshot import Snapshot
from discovery.reports import Condition, NodeReportStatus
from kube.types import NodeReportObject, ObjectMeta
from tests.controller.looking import Looks, as_objects, members
from tests.controller.site import meta

A = "ib-leaf-cf-leaf-001"
OLD, NEW = "node-00000", "renamed"
OTHERS = ("node-00001", "node-00002")


@pytest.fixture
def looks() -> Looks:
    """After one whole sweep, everything written."""
    looks = Looks()
    looks.sweep_and_write()
    return looks


def report_of(snapshot: Snapshot, name: str) -> NodeReportObject:
    return next(found for found in snapshot.node_reports if found.metadata.name == name)


def renamed(snapshot: Snapshot, *, collected: bool) -> Snapshot:
    """The Node and its agent go by another name; `collected`: the report of the old name went with its Node."""
    nodes = [node for node in snapshot.nodes if node.metadata.name != OLD]
    nodes.append(msgspec.structs.replace(snapshot.nodes[0], metadata=meta(NEW)))
    reports = [found for found in snapshot.node_reports if not collected or found.metadata.name != OLD]
    reports.append(msgspec.structs.replace(report_of(snapshot, OLD), metadata=meta(NEW)))
    return replace(snapshot, nodes=tuple(nodes), node_reports=tuple(reports))


def write(looks: Looks, snapshot: Snapshot, now: float) -> Outcome:
    decision = decide(looks.memory, snapshot, now, looks.settings)
    assert decision.outcome is not None
    looks.memory, looks.objects = decision.memory, as_objects(decision.outcome.desired)
    return decision.outcome


@pytest.mark.parametrize("collected", [True, False])
def test_a_renamed_node_is_where_its_ports_are_and_the_old_name_stays_for_its_hold(
    looks: Looks, *, collected: bool
) -> None:
    outcome = write(looks, renamed(looks.snapshot(), collected=collected), 10.0)
    assert members(outcome)[A] == (OLD, *OTHERS, NEW)
    assert outcome.placements[NEW].hyper_node == A
    assert outcome.news == frozenset()
    assert members(write(looks, renamed(looks.snapshot(), collected=collected), 609.0))[A] == (OLD, *OTHERS, NEW)
    assert members(write(looks, renamed(looks.snapshot(), collected=collected), 610.0))[A] == (*OTHERS, NEW)


def test_a_node_made_anew_within_its_hold_never_left_and_owns_its_report_again(looks: Looks) -> None:
    whole = looks.snapshot()
    gone = replace(whole, nodes=whole.nodes[1:], node_reports=whole.node_reports[1:])
    assert members(write(looks, gone, 10.0))[A] == (OLD, *OTHERS)
    anew = msgspec.structs.replace(whole.nodes[0], metadata=ObjectMeta(name=OLD, uid="another"))
    without_report = replace(gone, nodes=(anew, *gone.nodes))
    assert members(write(looks, without_report, 300.0))[A] == (OLD, *OTHERS)
    outcome = write(looks, replace(without_report, node_reports=whole.node_reports), 5000.0)
    assert members(outcome)[A] == (OLD, *OTHERS)
    assert [claim.node.metadata.uid for claim in outcome.nodes.claims if claim.report.metadata.name == OLD] == [
        "another"
    ]


def test_the_report_of_an_unknown_node_moves_nothing_and_says_so(looks: Looks) -> None:
    whole = looks.snapshot()
    stranger = msgspec.structs.replace(report_of(whole, OLD), metadata=meta("stranger"))
    outcome = write(looks, replace(whole, node_reports=(stranger, *whole.node_reports)), 10.0)
    assert members(outcome)[A] == (OLD, *OTHERS)
    placed = outcome.placements["stranger"]
    assert (placed.hyper_node, placed.reason) == (None, "UnknownNode")
    assert "stranger" not in {claim.report.metadata.name for claim in outcome.nodes.claims}
    assert outcome.news == frozenset()


@pytest.mark.parametrize("hours", [-5000, -7, 7, 5000])
def test_the_clocks_of_agents_and_of_other_writers_count_for_nothing(looks: Looks, hours: int) -> None:
    """Ages are judged by our own clock, since a heartbeat was seen to change."""

    def skewed(beats: int) -> Snapshot:
        snapshot = looks.snapshot()
        reports = []
        for found in snapshot.node_reports:
            at = looks.site.heartbeat() + timedelta(hours=hours, seconds=beats)
            placed = Condition(type="Placed", status="True", reason="InHyperNode", lastTransitionTime=at)
            status = NodeReportStatus(conditions=(placed,), hyperNode=A)
            reports.append(msgspec.structs.replace(found, spec=replace(found.spec, heartbeat=at), status=status))
        return replace(snapshot, node_reports=tuple(reports))

    def fresh(outcome: Outcome) -> str:
        return next(found.status for found in outcome.health.hyper_nodes[A].conditions if found.type == "EvidenceFresh")

    for beats in range(5):
        looks.site.sweep()
        outcome = write(looks, skewed(beats), 10.0 + 300 * beats)
    assert (fresh(outcome), members(outcome)[A]) == ("True", (OLD, *OTHERS))
    for minutes in (15, 16):
        outcome = write(looks, skewed(4), 10.0 + 300 * 4 + 60 * minutes)
        assert fresh(outcome) == ("True" if minutes == 15 else "False")
        assert members(outcome)[A] == (OLD, *OTHERS)
