"""What goes wrong between a plan and its bindings, and gangs that ask for nonsense: a right placement or a sentence."""

from __future__ import annotations

import pytest
from aiohttp import web

from kube.requests import Patch
from kube.resources import Resource
from kube.types import NODES, POD_GROUPS, PODS, Node, ObjectMeta, Pod
from tests.scheduler.border import is_binding, refusal
from tests.scheduler.lab import Lab

NAMESPACES = Resource("", "v1", "namespaces", "Namespace", False, Node)
OURS = "hyperscout.io/"
GANG = {OURS + "gang": "w", OURS + "gang-size": "4"}
HARD = {**GANG, OURS + "topology-mode": "hard", OURS + "topology-highest-tier": "1"}


async def prepared(lab: Lab) -> None:
    """A rack of six nodes, a larger one, and a PodGroup of four that must stand inside one."""
    await lab.rack("r1", 6)
    await lab.rack("r2", 8)
    await lab.pod_group("w", 4, mode="hard", highestTierAllowed=1)


def reads_group(request: web.Request) -> bool:
    """The look at the PodGroup just before the first binding."""
    return request.method == "GET" and request.path.endswith("/podgroups/w")


async def test_a_pod_that_was_made_again_under_its_name_is_bound_as_the_new_one(lab: Lab) -> None:
    old: list[str] = []

    async def replace_pod(request: web.Request) -> web.StreamResponse | None:
        if is_binding(request) and "/w-2/" in request.path and not old:
            old.append((await lab.client.get(PODS, "w-2", "default")).metadata.uid)
            await lab.delete_pod("w-2")
            await lab.pods("w", range(2, 3))
        return None

    lab.border.fault = replace_pod
    await prepared(lab)
    async with lab.scheduler():
        await lab.pods("w", range(4))
        await lab.all_bound("w", 4)
    assert lab.racks_of("w") == {"r1": 4}
    assert len(set(lab.nodes_of("w"))) == 4
    assert old[0] not in {pod.metadata.uid for pod in lab.of("w")}


async def test_a_node_that_goes_between_plan_and_binding_is_planned_around(lab: Lab) -> None:
    """Where the binding is under way already the API server takes it; the pod then goes with its node."""
    gone: list[str] = []

    async def remove_node(request: web.Request) -> web.StreamResponse | None:
        if reads_group(request) and not gone:
            gone.append("r1-n01")
            await lab.client.delete(NODES, ObjectMeta(name="r1-n01"))
        return None

    lab.border.fault = remove_node
    await prepared(lab)
    async with lab.scheduler():
        await lab.pods("w", range(4))
        await lab.all_bound("w", 4)
        for pod in lab.of("w"):
            if pod.spec.node_name in gone:
                await lab.delete_pod(pod.metadata.name)
                await lab.pods("w", range(int(pod.metadata.name[-1]), int(pod.metadata.name[-1]) + 1))
        await lab.until(lambda: len(lab.nodes_of("w")) == 4 and "r1-n01" not in lab.nodes_of("w"))
    assert lab.racks_of("w") == {"r1": 4}


async def test_a_pod_group_that_goes_between_plan_and_binding_leaves_its_pods_waiting(lab: Lab) -> None:
    async def remove_group(request: web.Request) -> web.StreamResponse | None:
        if reads_group(request) and lab.border.fault is not None:
            lab.border.fault = None
            await lab.client.delete(POD_GROUPS, ObjectMeta(name="w", namespace="default"))
        return None

    lab.border.fault = remove_group
    await prepared(lab)
    async with lab.scheduler():
        await lab.pods("w", range(4))
        await lab.until(lambda: lab.message_of("w").startswith("PodGroupMissing"))
        assert lab.nodes_of("w") == []
        await lab.pod_group("w", 4, mode="hard", highestTierAllowed=1)
        await lab.all_bound("w", 4)


async def test_a_pod_group_that_cannot_be_read_is_said_and_not_asked_without_pause(lab: Lab) -> None:
    asked = 0

    async def forbid(request: web.Request) -> web.StreamResponse | None:
        nonlocal asked
        if not reads_group(request):
            return None
        asked += 1
        return refusal(403, "Forbidden", "podgroups are not yours")

    lab.border.fault = forbid
    await prepared(lab)
    async with lab.scheduler():
        await lab.pods("w", range(4))
        await lab.until(lambda: "podgroups are not yours" in lab.message_of("w"))
        assert lab.nodes_of("w") == []
        assert asked < 10
        lab.border.fault = None
        await lab.all_bound("w", 4)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({OURS + "gang-size": "many"}, "gang-size 'many' (a whole number of at least 1)"),
        ({OURS + "gang-size": "-4"}, "gang-size '-4'"),
        ({OURS + "gang-size": "4.0"}, "gang-size '4.0'"),
        ({OURS + "gang-size": "9" * 5000}, "(a whole number of at least 1)"),
        ({OURS + "gang-size": "5"}, "TooFewPods"),
        ({OURS + "topology-highest-tier": "-1"}, "no HyperNode has the tier name '-1'"),
        ({OURS + "topology-highest-tier": "galaxy"}, "no HyperNode has the tier name 'galaxy'; known names: nvlink"),
        ({OURS + "topology-highest-tier": ""}, "no HyperNode has the tier name ''"),
        ({OURS + "topology-highest-tier": "0"}, "TierBelowAll"),
        ({OURS + "topology-mode": "tight"}, "topology mode 'tight' (hard or soft)"),
        (
            {"volcano.sh/network-topology-highest-tier": "2"},
            "disagree on hyperscout.io/topology-highest-tier: '1', '2'",
        ),
    ],
)
async def test_nonsense_in_annotations_is_named_and_binds_nobody(lab: Lab, changed: dict[str, str], said: str) -> None:
    await lab.rack("r1", 6)
    async with lab.scheduler():
        await lab.pods("w", range(4), annotations={**HARD, **changed})
        await lab.until(lambda: said in lab.message_of("w"))
        assert lab.nodes_of("w") == []


@pytest.mark.parametrize(
    ("topology", "reason"),
    [
        ({"mode": "hard", "highestTierAllowed": 1, "highestTierName": "nvlink"}, "TierGivenTwice"),
        ({"mode": "hard", "highestTierName": "galaxy"}, "TierNameUnknown"),
        ({"mode": "hard"}, "TierMissing"),
    ],
)
async def test_a_pod_group_that_contradicts_itself_says_so(lab: Lab, topology: dict[str, object], reason: str) -> None:
    await lab.rack("r1", 6)
    await lab.pod_group("w", 2, **topology)
    async with lab.scheduler():
        await lab.pods("w", range(2))
        await lab.until(lambda: getattr(lab.group("w").condition("Unschedulable"), "reason", "") == reason)
        assert lab.nodes_of("w") == []


async def test_a_gang_that_wants_more_pods_than_there_are_waits_for_them(lab: Lab) -> None:
    await lab.rack("r1", 6)
    await lab.pod_group("w", 2_000_000_000, mode="hard", highestTierAllowed=1)
    async with lab.scheduler():
        await lab.pods("w", range(3))
        await lab.until(lambda: "needs at least 2000000000 pods, 3 are here" in lab.message_of("w"))
        assert lab.nodes_of("w") == []


async def test_pods_that_disagree_wait_until_they_agree(lab: Lab) -> None:
    await lab.rack("r1", 6)
    async with lab.scheduler():
        await lab.pods("w", range(3), annotations=HARD)
        await lab.pods("w", range(3, 4), annotations={**HARD, OURS + "gang-size": "8"})
        await lab.until(lambda: "annotations that disagree on hyperscout.io/gang-size: '4', '8'" in lab.message_of("w"))
        assert lab.nodes_of("w") == []
        await lab.client.patch(PODS, "w-3", Patch({"metadata": {"annotations": HARD}}), "default")
        await lab.all_bound("w", 4)


async def test_pods_of_two_namespaces_are_two_gangs(lab: Lab) -> None:
    await lab.rack("r1", 6)
    await lab.pod_group("g", 2)
    await lab.client.create(NAMESPACES, {"metadata": {"name": "other"}})
    async with lab.scheduler():
        await lab.pods("w", range(2), annotations=HARD)
        await lab.pods("w", range(2, 4), annotations=HARD, namespace="other")
        await lab.pods("g", range(2, 4), annotations={"scheduling.k8s.io/group-name": "g"}, namespace="other")
        await lab.until(lambda: "needs at least 4 pods, 2 are here" in lab.message_of("w"))
        await lab.until(lambda: "PodGroup other/g does not exist" in lab.message_of("g"))
        assert lab.nodes_of("w") + lab.nodes_of("g") == []


def is_told(pod: Pod, word: str) -> bool:
    condition = pod.condition("PodScheduled")
    return condition is not None and word in condition.message


async def test_many_gangs_without_hyper_nodes_wait_with_a_reason_each_and_go_when_there_is_room(lab: Lab) -> None:
    await lab.node("lone")
    for number in range(100):
        said = {**HARD, OURS + "gang-size": "1", OURS + "gang": f"g{number}"}
        await lab.pods(f"g{number}", range(1), annotations=said)
    async with lab.scheduler():
        await lab.until(lambda: sum(is_told(pod, "NoHyperNodes") for pod in lab.everybody()) == 100)
        await lab.rack("r1", 3)
        await lab.until(lambda: sum(bool(pod.spec.node_name) for pod in lab.everybody()) == 3)
        assert {pod.spec.node_name for pod in lab.everybody()} == {"", "r1-n00", "r1-n01", "r1-n02"}


async def test_who_is_partly_bound_after_a_restart_is_completed_before_others_of_its_priority(lab: Lab) -> None:
    """The rack has room for one of the two gangs, and the older one would take it."""
    await lab.rack("r1", 4)
    for gang in ("older", "torn"):
        await lab.pod_group(gang, 3, mode="hard", highestTierAllowed=1)
    await lab.pods("older", range(3))
    await lab.pods("torn", range(1), spec={"nodeName": "r1-n00"})
    await lab.pods("torn", range(1, 3))
    async with lab.scheduler():
        await lab.all_bound("torn", 3)
        await lab.until(lambda: "fit" in lab.message_of("older"))
        assert lab.nodes_of("older") == []


async def test_a_gang_that_lost_ended_pods_and_stands_is_not_put_before_older_ones(lab: Lab) -> None:
    """A Job of two at a time goes on to its third pod; who comes first by age and name gets the node."""
    await lab.rack("r1", 2)
    await lab.pod_group("aged", 1)
    await lab.pods("aged", range(1), gpus=4)
    await lab.pod_group("job", 2)
    await lab.pods("job", range(1), spec={"nodeName": "r1-n00"})
    await lab.end_pod("job-0")
    await lab.pods("job", range(1, 2), spec={"nodeName": "r1-n00"})
    await lab.pods("job", range(2, 3))
    async with lab.scheduler():
        await lab.all_bound("aged", 1)


async def test_of_a_partly_bound_gang_only_what_it_lacks_goes_before_others(lab: Lab) -> None:
    await lab.rack("r1", 4)
    for gang in ("aged", "job"):
        await lab.pod_group(gang, 2, mode="hard", highestTierAllowed=1)
    await lab.pods("aged", range(2))
    await lab.pods("job", range(1), spec={"nodeName": "r1-n00"})
    await lab.pods("job", range(1, 4))
    async with lab.scheduler():
        await lab.all_bound("job", 2)
        await lab.all_bound("aged", 2)
    assert len(lab.nodes_of("job")) == 2


async def test_a_node_for_which_the_server_always_breaks_is_left_for_another(lab: Lab) -> None:
    """A webhook that stumbles over one node, say."""

    async def stumble(request: web.Request) -> web.StreamResponse | None:
        if is_binding(request) and b"r1-n01" in await request.read():
            return refusal(500, "InternalError", "the webhook broke")
        return None

    lab.border.fault = stumble
    await lab.rack("r1", 5)
    await lab.pod_group("w", 3, mode="hard", highestTierAllowed=1)
    async with lab.scheduler():
        await lab.pods("w", range(3))
        await lab.all_bound("w", 3)
    assert "r1-n01" not in lab.nodes_of("w")


async def test_a_server_that_breaks_once_or_twice_blames_no_node(lab: Lab) -> None:
    """Where the gang has no other node to go to."""
    broken: list[str] = []

    async def break_twice(request: web.Request) -> web.StreamResponse | None:
        if is_binding(request) and "/w-1/" in request.path and len(broken) < 2:
            broken.append(request.path)
            return refusal(500, "InternalError", "etcd is away")
        return None

    lab.border.fault = break_twice
    await lab.rack("r1", 3)
    await lab.pod_group("w", 3, mode="hard", highestTierAllowed=1)
    async with lab.scheduler():
        await lab.pods("w", range(3))
        await lab.all_bound("w", 3)
    assert len(broken) == 2
