"""The section `nodes`: what may be asked for on Nodes, and what is refused."""

from __future__ import annotations

import pytest

from cli.ending import CommandError
from cli.processes.loading import load, read_assignments
from cli.processes.settings import ControllerOptions
from controller.settings import NodeMarks

TOPOGRAPH = {
    "network.topology.nvidia.com/accelerator": "nvlink",
    "network.topology.nvidia.com/leaf": "leaf",
    "network.topology.nvidia.com/spine": "spine",
    "network.topology.nvidia.com/core": "core",
}


def marks(*assignments: str) -> NodeMarks:
    return load(ControllerOptions, None, {}, read_assignments(assignments)).settings().nodes


def test_nothing_is_asked_for_by_itself() -> None:
    assert marks() == NodeMarks()
    assert not marks().edits_nodes
    assert not marks("nodes.labels=", "nodes.taint=off", "nodes.taintedOfDomain=0.2").edits_nodes


def test_labels_are_ours_those_of_topograph_or_any_key_of_a_tier() -> None:
    assert marks("nodes.labels=hyperscout") == NodeMarks(labels=True)
    assert marks("nodes.labels=topograph") == NodeMarks(other_labels=TOPOGRAPH)
    found = marks("nodes.labels=hyperscout, leaf=fabric.topograph.run/tier-0, core2=pod")
    assert found == NodeMarks(labels=True, other_labels={"fabric.topograph.run/tier-0": "leaf", "pod": "core2"})
    assert found.edits_nodes


def test_the_taint_has_an_effect_and_limits() -> None:
    found = marks("nodes.taint=PreferNoSchedule", "nodes.taintedOfDomain=0.5", "nodes.taintedOfCluster=0")
    assert found == NodeMarks(taint="PreferNoSchedule", tainted_of_domain=0.5, tainted_of_cluster=0.0)
    assert found.edits_nodes


@pytest.mark.parametrize(
    ("assignment", "reason"),
    [
        ("nodes.taint=NoExecute", "nodes.taint"),
        ("nodes.taintedOfCluster=1.5", "nodes.taintedOfCluster"),
        ("nodes.labels=hyprscout", "none of hyperscout, topograph and TIER=KEY"),
        ("nodes.labels=rack=rack", "names no tier"),
        ("nodes.labels=leaf=a/b/c", "no label key"),
        ("nodes.labels=leaf=" + "x" * 64, "no label key"),
        ("nodes.labels=leaf=kubernetes.io/hostname", "not free"),
        ("nodes.labels=leaf=topology.kubernetes.io/zone", "not free"),
        ("nodes.labels=leaf=hyperscout.io/leaf", "not free"),
        ("nodes.labels=leaf=rack,spine=rack", "two tiers, leaf and spine"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(assignment: str, reason: str) -> None:
    with pytest.raises(CommandError) as caught:
        marks(assignment)
    assert reason in caught.value.sentence
