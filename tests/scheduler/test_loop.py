"""The scheduler over the embedded API server: gangs come, and stand inside their domain or not at all."""

from __future__ import annotations

import asyncio

from kube.requests import Patch, PatchKind
from kube.types import POD_GROUPS, PODS
from tests.scheduler.lab import Lab

GANG = {"hyperscout.io/gang": "w", "hyperscout.io/gang-size": "4", "hyperscout.io/topology-mode": "hard"}


async def test_a_hard_gang_of_18_stands_inside_one_rack(lab: Lab) -> None:
    await lab.rack("r1", 17)
    await lab.rack("r2", 18)
    await lab.pod_group("train", 18, mode="hard", highestTierAllowed=1)
    async with lab.scheduler():
        await lab.pods("train", range(18))
        await lab.all_bound("train", 18)
        assert lab.racks_of("train") == {"r2": 18}
        assert lab.nodes_of("train") == [f"r2-n{index:02}" for index in range(18)]
        await lab.until(lambda: lab.group("train").status.phase == "Running")
        condition = lab.group("train").condition("Scheduled")
        assert condition is not None
        assert "inside HyperNode r2 of tier 1 (nvlink)" in condition.message
        await lab.until(lambda: len(lab.events("MinMemberBound")) == 1)


async def test_nothing_is_bound_before_all_are_there(lab: Lab) -> None:
    await lab.rack("r1", 4)
    await lab.pod_group("w", 4, mode="hard", highestTierAllowed=1)
    async with lab.scheduler():
        await lab.pods("w", range(3))
        await lab.until(lambda: "TooFewPods" in lab.message_of("w"))
        assert lab.nodes_of("w") == []
        await lab.pods("w", range(3, 4))
        await lab.all_bound("w", 4)


async def test_a_gang_that_fits_nowhere_is_refused_with_an_explanation(lab: Lab) -> None:
    await lab.rack("r1", 4)
    await lab.rack("r2", 4)
    await lab.row("row1", ["r1", "r2"])
    await lab.pod_group("big", 9, mode="hard", highestTierName="leaf")
    async with lab.scheduler():
        await lab.pods("big", range(9))
        await lab.until(lambda: "DoesNotFit" in lab.message_of("big"))
        assert lab.message_of("big").startswith("Unschedulable: Gang big is not placed")
        assert "row1" in lab.message_of("big")
        await lab.until(lambda: lab.group("big").condition("Unschedulable") is not None)
        condition = lab.group("big").condition("Unschedulable")
        assert condition is not None
        assert (condition.status, condition.reason) == ("True", "DoesNotFit")
        assert lab.group("big").status.phase == "Inqueue"
        await lab.until(lambda: any("DoesNotFit: Gang big is not" in text for text in lab.events("Unschedulable")))
        await lab.rack("r3", 9)
        await lab.all_bound("big", 9)
        await lab.until(lambda: lab.group("big").status.phase == "Running")
        await lab.until(lambda: getattr(lab.group("big").condition("Unschedulable"), "status", "") == "False")


async def test_what_is_not_understood_is_refused_by_name(lab: Lab) -> None:
    await lab.rack("r1", 4)
    await lab.pod_group("a", 2, mode="hard", highestTierName="planet")
    await lab.pod_group("b", 2, mode="hard")
    async with lab.scheduler():
        await lab.pods("a", range(2))
        await lab.pods("b", range(2))
        await lab.pods("c", range(1), annotations={}, spec={"resourceClaims": [{"name": "gpu"}]})
        await lab.until(lambda: "'planet'" in lab.message_of("a"))
        await lab.until(lambda: "TierMissing" in lab.message_of("b"))
        await lab.until(lambda: "resource claim 'gpu'" in lab.message_of("c"))
        assert [*lab.nodes_of("a"), *lab.nodes_of("b"), *lab.nodes_of("c")] == []


async def test_a_soft_gang_widens(lab: Lab) -> None:
    await lab.rack("r1", 4)
    await lab.rack("r2", 4)
    await lab.rack("r3", 2)
    await lab.row("row1", ["r1", "r2"])
    await lab.row("row2", ["r3"])
    await lab.pod_group("w", 6, mode="soft")
    async with lab.scheduler():
        await lab.pods("w", range(6))
        await lab.all_bound("w", 6)
        assert set(lab.racks_of("w")) == {"r1", "r2"}


async def test_pods_wait_for_a_pod_group_that_is_missing(lab: Lab) -> None:
    await lab.rack("r1", 4)
    async with lab.scheduler():
        await lab.pods("w", range(2))
        await lab.until(lambda: lab.message_of("w").startswith("PodGroupMissing: PodGroup default/w does not exist"))
        await lab.pod_group("w", 2, mode="hard", highestTierAllowed=1)
        await lab.all_bound("w", 2)


async def test_two_gangs_that_race_for_one_rack_do_not_share_it(lab: Lab) -> None:
    await lab.rack("r1", 6)
    for name in ("a", "b"):
        await lab.pod_group(name, 4, mode="hard", highestTierAllowed=1)
    async with lab.scheduler():
        await asyncio.gather(lab.pods("a", range(4)), lab.pods("b", range(4)))
        await lab.until(lambda: {len(lab.nodes_of("a")), len(lab.nodes_of("b"))} == {0, 4})
        loser = "a" if not lab.nodes_of("a") else "b"
        await lab.until(lambda: "DoesNotFit" in lab.message_of(loser))
        assert lab.nodes_of(loser) == []


async def test_plain_pods_with_our_annotations_are_a_gang(lab: Lab) -> None:
    await lab.rack("r1", 3)
    await lab.rack("r2", 4)
    async with lab.scheduler():
        await lab.pods("w", range(4), annotations={**GANG, "hyperscout.io/topology-highest-tier": "nvlink"})
        await lab.all_bound("w", 4)
        assert lab.racks_of("w") == {"r2": 4}


async def test_a_single_pod_needs_no_gang(lab: Lab) -> None:
    await lab.node("n1")
    async with lab.scheduler():
        await lab.pods("w", range(1), annotations={})
        await lab.all_bound("w", 1)


async def test_pods_of_other_schedulers_are_left_alone_and_counted(lab: Lab) -> None:
    await lab.rack("r1", 2)
    await lab.pods("foreign", range(1), annotations={}, spec={"schedulerName": "other"})
    await lab.pods("there", range(1), annotations={}, spec={"schedulerName": "other", "nodeName": "r1-n00"})
    await lab.pod_group("w", 2, mode="hard", highestTierAllowed=1)
    async with lab.scheduler():
        await lab.pods("w", range(2))
        await lab.until(lambda: "DoesNotFit" in lab.message_of("w"))
        await lab.delete_pod("there-0")
        await lab.all_bound("w", 2)
        assert lab.nodes_of("foreign") == []


async def test_a_pod_that_failed_makes_room_for_its_replacement_in_the_domain(lab: Lab) -> None:
    await lab.rack("r1", 3)
    await lab.rack("r2", 9)
    await lab.pod_group("w", 3, mode="hard", highestTierAllowed=1)
    async with lab.scheduler():
        await lab.pods("w", range(3))
        await lab.all_bound("w", 3)
        failed = Patch({"status": {"phase": "Failed", "reason": "OutOfcpu"}}, PatchKind.MERGE, "", "status")
        await lab.client.patch(PODS, "w-1", failed, "default")
        await lab.pods("w", range(3, 4))
        await lab.all_bound("w", 4)
        assert lab.racks_of("w") == {"r1": 4}


async def test_a_higher_priority_goes_first(lab: Lab) -> None:
    await lab.rack("r1", 2)
    for name in ("low", "high"):
        await lab.pod_group(name, 2, mode="hard", highestTierAllowed=1)
    await lab.pods("low", range(2), spec={"priority": 1})
    await lab.pods("high", range(2), spec={"priority": 2})
    async with lab.scheduler():
        await lab.all_bound("high", 2)
        await lab.until(lambda: "DoesNotFit" in lab.message_of("low"))


async def test_a_domain_with_sick_links_comes_last(lab: Lab) -> None:
    await lab.rack("a1", 2, links="3/16")
    await lab.rack("b1", 2, links="0/16")
    await lab.pod_group("w", 2, mode="hard", highestTierAllowed=1)
    async with lab.scheduler():
        await lab.pods("w", range(2))
        await lab.all_bound("w", 2)
        assert lab.racks_of("w") == {"b1": 2}


async def test_a_node_with_a_sick_fabric_comes_last(lab: Lab) -> None:
    await lab.node("a", FabricHealthy="False")
    await lab.node("b", FabricHealthy="True")
    async with lab.scheduler():
        await lab.pods("w", range(1), annotations={})
        await lab.all_bound("w", 1)
        await lab.pods("w", range(1, 2), annotations={})
        await lab.all_bound("w", 2)
    assert lab.nodes_of("w") == ["b", "a"]


async def test_gated_pods_wait_and_are_counted_when_the_gate_goes(lab: Lab) -> None:
    await lab.rack("r1", 2)
    await lab.pod_group("w", 2, mode="hard", highestTierAllowed=1)
    async with lab.scheduler():
        await lab.pods("w", range(1))
        await lab.pods("w", range(1, 2), spec={"schedulingGates": [{"name": "quota"}]})
        await lab.until(lambda: "held back by scheduling gates" in lab.message_of("w"))
        await lab.client.patch(PODS, "w-1", Patch({"spec": {"schedulingGates": None}}), "default")
        await lab.all_bound("w", 2)


async def test_a_pod_group_without_pods_is_told_to_make_them(lab: Lab) -> None:
    await lab.rack("r1", 2)
    body = {
        "metadata": {"name": "j", "namespace": "default", "annotations": {"hyperscout.io/scheduler": "hyperscout"}},
        "spec": {"minMember": 2, "minResources": {"nvidia.com/gpu": "8"}},
        "status": {"phase": "Pending"},
    }
    async with lab.scheduler():
        await lab.client.create(POD_GROUPS, body)
        await lab.until(lambda: lab.group("j").status.phase == "Inqueue")
