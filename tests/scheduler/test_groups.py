"""What belongs together and what it asks for: PodGroups and annotations, also those that contradict themselves."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler.gangs import Candidate, candidate, members_of
from scheduler.groups import GroupKey, GroupKind, Wishes, group_of, wishes_of_pod_group, wishes_of_pods
from scheduler.planning import by_priority
from scheduler.pods import read_shape
from tests.scheduler.objects import a_pod, a_pod_group, asking

KEY = GroupKey(GroupKind.GANG, "ml", "w")
OURS = "hyperscout.io/"


def pods_saying(*annotations: dict[str, str]) -> list[Any]:
    return [a_pod(f"w-{index}", annotations=one) for index, one in enumerate(annotations)]


def test_a_pod_group_comes_before_our_annotation_and_that_before_the_pod_itself() -> None:
    named, ours = {"scheduling.k8s.io/group-name": "g"}, {"hyperscout.io/gang": "w"}
    assert group_of(a_pod(annotations=named | ours)) == (GroupKind.POD_GROUP, "ml", "g")
    assert group_of(a_pod(annotations=ours)) == (GroupKind.GANG, "ml", "w")
    assert group_of(a_pod("alone")) == (GroupKind.POD, "ml", "alone")


@pytest.mark.parametrize(
    ("topology", "wishes"),
    [
        (None, Wishes(min_member=4)),
        ({}, Wishes("hard", min_member=4)),
        ({"highestTierAllowed": 2}, Wishes("hard", 2, min_member=4)),
        ({"mode": "hard", "highestTierName": "leaf"}, Wishes("hard", None, "leaf", min_member=4)),
        ({"highestTierName": "leaf", "highestTierAllowed": 0}, Wishes("hard", 0, "leaf", min_member=4)),
        ({"mode": "soft", "highestTierAllowed": 1}, Wishes("soft", min_member=4)),
        ({"mode": "firm"}, Wishes("hard", min_member=4, unsupported=("network topology mode 'firm'",))),
    ],
)
def test_a_pod_group_says_how_tight_it_wants_to_be(topology: dict[str, Any] | None, wishes: Wishes) -> None:
    spec = {"minMember": 4} | ({"networkTopology": topology} if topology is not None else {})
    assert wishes_of_pod_group(a_pod_group(spec=spec)) == wishes


def test_sub_groups_are_refused_by_name() -> None:
    assert wishes_of_pod_group(a_pod_group(spec={"subGroupPolicy": [{"name": "p"}]})).unsupported == ("subGroupPolicy",)


@pytest.mark.parametrize(
    ("annotations", "wishes"),
    [
        ({"gang-size": "4"}, Wishes(min_member=4)),
        ({"gang-size": "4", "topology-mode": "soft"}, Wishes("soft", min_member=4)),
        ({"gang-size": "4", "topology-highest-tier": "2"}, Wishes("hard", 2, min_member=4)),
        ({"gang-size": "4", "topology-highest-tier": "leaf"}, Wishes("hard", None, "leaf", min_member=4)),
        ({"gang-size": "4", "topology-mode": "hard"}, Wishes("hard", min_member=4)),
        ({}, Wishes(unsupported=("a gang without hyperscout.io/gang-size",))),
        ({"gang-size": "0"}, Wishes(unsupported=("hyperscout.io/gang-size '0' (a whole number of at least 1)",))),
        (
            {"gang-size": "4", "topology-mode": "tight"},
            Wishes("hard", min_member=4, unsupported=("topology mode 'tight' (hard or soft)",)),
        ),
    ],
)
def test_annotations_say_the_same(annotations: dict[str, str], wishes: Wishes) -> None:
    said = {OURS + key: text for key, text in annotations.items()}
    assert wishes_of_pods(pods_saying(said, said), single=False) == wishes


def test_volcanos_annotations_are_understood() -> None:
    said = {"volcano.sh/network-topology-mode": "hard", "volcano.sh/network-topology-highest-tier": "1"}
    assert wishes_of_pods(pods_saying(said), single=True) == Wishes("hard", 1, min_member=1)


def test_pods_that_disagree_are_refused() -> None:
    pods = pods_saying({OURS + "gang-size": "4"}, {OURS + "gang-size": "8"})
    assert wishes_of_pods(pods, single=False).unsupported == (
        "annotations that disagree on hyperscout.io/gang-size: '4', '8'",
    )


def test_an_annotation_of_ours_and_volcanos_that_say_different_things_are_refused() -> None:
    """Neither is taken for the other: the wider one would fail open."""
    said = {OURS + "topology-mode": "hard", OURS + "topology-highest-tier": "1"}
    said |= {"volcano.sh/network-topology-mode": "hard", "volcano.sh/network-topology-highest-tier": "2"}
    assert wishes_of_pods(pods_saying(said), single=True).unsupported == (
        "annotations that disagree on hyperscout.io/topology-highest-tier: '1', '2'",
    )


def test_only_live_pods_are_members() -> None:
    pods = [
        a_pod("w-10"),
        a_pod("w-2"),
        a_pod("failed", status={"phase": "Failed"}),
        a_pod("done", spec={"nodeName": "n1"}, status={"phase": "Succeeded"}),
        a_pod("runs", spec={"nodeName": "n1"}, status={"phase": "Running"}),
        a_pod("assumed"),
        a_pod("gated", spec={"schedulingGates": [{"name": "g"}]}),
    ]
    members = members_of(pods, {"uid-assumed": "n2"})
    assert [pod.metadata.name for pod in members.waiting] == ["w-2", "w-10"]
    assert [(pod.metadata.name, node) for pod, node in members.bound] == [("runs", "n1"), ("assumed", "n2")]
    assert [pod.metadata.name for pod in members.gated] == ["gated"]


def test_a_completion_index_is_the_rank() -> None:
    index = "batch.kubernetes.io/job-completion-index"
    pods = [a_pod("a", labels={index: "1"}), a_pod("b", labels={index: "0"})]
    assert [pod.metadata.name for pod in members_of(pods, {}).waiting] == ["b", "a"]


def test_pods_alike_are_one_class_with_their_ranks() -> None:
    pods = [a_pod("w-0", spec=asking(cpu="1")), a_pod("w-1", spec=asking(cpu="2")), a_pod("w-2", spec=asking(cpu="1"))]
    members = members_of(pods, {})
    made = candidate(KEY, Wishes("hard", 1, min_member=3), members, [read_shape(pod) for pod in members.waiting])
    assert [(one.count, one.ranks, dict(one.requests)) for one in made.gang.classes] == [
        (2, (0, 2), {"cpu": 1000}),
        (1, (1,), {"cpu": 2000}),
    ]
    assert [[pod.metadata.name for pod in some] for some in made.pods] == [["w-0", "w-2"], ["w-1"]]


def test_tasks_have_their_own_minimum() -> None:
    spec = {"minMember": 3, "minTaskMember": {"master": 1, "worker": 2}}
    pods = [
        a_pod("m", annotations={"volcano.sh/task-spec": "master"}, spec={"nodeName": "n1"}),
        a_pod("w-0", annotations={"volcano.sh/task-spec": "worker"}),
        a_pod("x", annotations={"volcano.sh/task-spec": "extra"}),
    ]
    members = members_of(pods, {})
    shapes = [read_shape(pod) for pod in members.waiting]
    made = candidate(KEY, wishes_of_pod_group(a_pod_group(spec=spec)), members, shapes)
    assert {one.name: (one.count, one.minimum) for one in made.gang.classes} == {"worker": (1, 2), "extra": (1, 0)}


def test_a_task_without_pods_is_missed() -> None:
    spec = {"minMember": 2, "minTaskMember": {"master": 1, "worker": 1}}
    members = members_of([a_pod("w-0", annotations={"volcano.sh/task-spec": "worker"})], {})
    shapes = [read_shape(pod) for pod in members.waiting]
    made = candidate(KEY, wishes_of_pod_group(a_pod_group(spec=spec)), members, shapes)
    assert [(one.name, one.count, one.minimum) for one in made.gang.classes] == [("worker", 1, 1), ("master", 0, 1)]
    assert made.pods[1] == ()


def test_priority_goes_before_age_and_age_before_the_name() -> None:
    def waiting(name: str, day: int, priority: int) -> Candidate:
        created = f"2026-01-{day:02}T00:00:00Z"
        members = members_of([a_pod(name, spec={"priority": priority}, creationTimestamp=created)], {})
        key = GroupKey(GroupKind.POD, "ml", name)
        return candidate(key, Wishes(min_member=1), members, [read_shape(pod) for pod in members.waiting])

    several = [
        waiting("b", 1, 0),
        waiting("a", 1, 0),
        waiting("old", 1, 5),
        waiting("young", 2, 9),
        waiting("new", 3, 0),
    ]
    assert [one.key.name for one in by_priority(several)] == ["young", "old", "a", "b", "new"]
