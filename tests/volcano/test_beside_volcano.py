"""Gangs of 10, hard, leaf tier: Volcano places them on the HyperNodes that our controller keeps, whatever is recabled.

Expected units are those that the names of the dump's own leaves carry.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from kube.types import HyperNode
from tests.cluster.control_plane import ControlPlane, Settings
from tests.cluster.fixtures import require
from tests.cluster.programs import VOLCANO_CONTROLLERS, VOLCANO_SCHEDULER
from tests.cluster.volcano import Volcano
from tests.volcano.rig import CONTROLLER, SCHEDULER
from tests.volcano.story import ADDED, MOVED, SCENES, SIZE, Told, tell

SETTINGS = Settings(kwok=True)


@pytest.fixture(scope="module")
def told(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    require(*SETTINGS.programs, VOLCANO_SCHEDULER, VOLCANO_CONTROLLERS)
    dump = shared_data / "ib" / "superpod-ndr.txt"
    with ControlPlane(tmp_path_factory.mktemp("volcano"), SETTINGS) as plane:
        story = Told(plane, Volcano(plane))
        try:
            asyncio.run(tell(story, dump))
        except BaseException:
            print(story.volcano.scheduler.last_words())  # noqa: T201 - pytest shows it
            raise
        yield story


@pytest.mark.parametrize("scene", SCENES)
def test_a_gang_gets_the_one_unit_that_has_room(told: Told, scene: str) -> None:
    assert len(told.expected[scene]) == SIZE
    assert told.placed[scene] == told.expected[scene]
    assert any(told.placed[scene] <= nodes for nodes in told.units[scene].values())


def test_a_gang_that_no_unit_holds_gets_nothing_and_is_told_so(told: Told) -> None:
    assert told.placed["nowhere"] == frozenset()
    assert "tasks in gang unschedulable" in told.refusal


def test_units_are_those_of_the_fabric_after_each_change(told: Told) -> None:
    before, added, moved, replaced, forgotten = (told.units[scene] for scene in SCENES)
    assert len(before) == 8
    (new,) = added.keys() - before.keys()
    assert added == {**before, new: frozenset(ADDED)}
    (old_home,) = (name for name, nodes in added.items() if MOVED in nodes)
    (new_home,) = (name for name, nodes in moved.items() if MOVED in nodes)
    assert moved == {
        **added,
        old_home: added[old_home] - {MOVED},
        new_home: added[new_home] | {MOVED},
    }
    assert moved == replaced == forgotten


@pytest.mark.parametrize(
    "complaint",
    [
        "Failed to sync hyperNode",
        "cyclic dependency",
        "Cycle detected",
        "already has a parent",
        "not exists in cache",
        "not found in cache",
        "Conflicting tiers",
        "Unknown member type",
        "Failed to compile",
        "HyperNodesReadyToSchedule: false",
        "hyperNodes are not ready for scheduling",
        "build hyperNode gradient fail",
        "which should not happen",
        "No valid hypernodes found",
        "panic",
    ],
)
def test_volcano_s_scheduler_never_complains_of_a_hyper_node(told: Told, complaint: str) -> None:
    log = told.volcano.scheduler.log.read_text(errors="replace")
    assert "HyperNodesReadyToSchedule: true" in log, "the log says too little to be a witness"
    assert "Successfully built RealNodesSet" in log
    assert [line for line in log.splitlines() if complaint in line] == []


def test_volcano_s_controller_counts_and_our_conditions_stay(told: Told) -> None:
    assert len(told.hyper_nodes) == 8 + 1 + 1
    for found in told.hyper_nodes:
        assert found.status.node_count == len(found.spec.members)
        kinds = {condition.type for condition in found.status.conditions}
        assert {"Ready", "LinksHealthy", "CablingConsistent", "EvidenceFresh"} <= kinds


def test_who_writes_hyper_nodes_is_not_answered_by_the_other_without_end(told: Told) -> None:
    """What nobody recabled is written once: by us, its status by us, and its count by Volcano at most as often."""
    writes = [one for one in told.plane.audit.requests() if one.writes and one.resource == "hypernodes"]
    still = next(found.metadata.name for found in told.hyper_nodes if _holds(found, "02"))
    ours = [one for one in writes if one.name == still and one.user.endswith(CONTROLLER)]
    theirs = [one for one in writes if one.name == still and not one.user.endswith(CONTROLLER)]
    assert sorted(one.subresource for one in ours) == ["", "status"]
    assert len(theirs) <= len(ours)


def test_the_two_schedulers_bind_side_by_side_and_neither_touches_the_other_s_pods(told: Told) -> None:
    theirs, ours = told.side_by_side
    units = told.units[SCENES[-1]].values()
    assert theirs.isdisjoint(ours)
    assert all(any(gang <= nodes for nodes in units) for gang in (theirs, ours))
    writes = [one for one in told.plane.audit.requests() if one.writes and one.resource in ("pods", "podgroups")]
    by_us = {one.name for one in writes if one.user.endswith(SCHEDULER)}
    by_volcano = {one.name for one in writes if one.agent.startswith("vc-") and one.resource == "pods"}
    pods = {f"ours-{rank:02}" for rank in range(SIZE)}
    assert pods <= by_us <= pods | {"ours"}
    assert not {name for name in by_volcano if name.startswith("ours")}


def _holds(found: HyperNode, unit: str) -> bool:
    names = [member.selector.exact_match.name for member in found.spec.members if member.selector.exact_match]
    return all(f"dgx-{unit}-" in name for name in names)
