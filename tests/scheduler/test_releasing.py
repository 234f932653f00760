"""Gangs that stay partly bound: released where no pod loses by it, else kept, whatever the server answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
from aiohttp import web

from tests.scheduler.border import is_binding, is_eviction, refusal
from tests.scheduler.lab import QUICK, Lab

SOON = replace(QUICK, gang_bind_deadline=0.3, avoid_node=0.3)
LATER = replace(QUICK, gang_bind_deadline=60.0)
OWNER = "test/owner"
"""Pod annotation `<apiVersion> <kind>`: the owner reference that the scheduler sees (the server keeps none)."""
IGNORING = {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]}


def with_owners(line: bytes) -> bytes:
    """A list of pods or a watch event with owner references in it."""
    document: Any = msgspec.json.decode(line)
    for pod in document.get("items") or [document.get("object", document)]:
        text = pod.get("metadata", {}).get("annotations", {}).get(OWNER)
        if text:
            version, kind = text.split()
            owner = {"apiVersion": version, "kind": kind, "name": "train", "uid": "uid-train", "controller": True}
            pod["metadata"]["ownerReferences"] = [owner]
    return msgspec.json.encode(document)


class Server:
    """What the border answers by itself, and the evictions that it saw."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.evictions: list[tuple[str, str]] = []
        """Pod and UID."""
        self.allowed = 1000
        """So many evictions pass, the others are answered with 429."""
        self.job: web.Response | None = None
        lab.border.fault = self.answer
        lab.border.rewrite = with_owners

    async def answer(self, request: web.Request) -> web.StreamResponse | None:
        if is_binding(request) and "/w-3/" in request.path:
            node = (await request.json())["target"]["name"]
            if node.startswith("r1-"):
                await self.lab.occupy(node)
                return refusal(409, "Conflict", "somebody was faster")
        if is_eviction(request):
            body = await request.json()
            self.evictions.append((body["metadata"]["name"], body["deleteOptions"]["preconditions"]["uid"]))
            if self.allowed <= 0:
                return refusal(429, "TooManyRequests", "it would violate the pod's disruption budget")
            self.allowed -= 1
        if "/batch/v1/" in request.path and "/jobs/" in request.path:
            return self.job
        return None

    def evicted(self) -> list[str]:
        return [name for name, _ in self.evictions]


async def torn(lab: Lab, owner: str = "apps/v1 ReplicaSet", bare: int | None = None) -> Server:
    """A gang of four, three of them in rack r1, where a stranger took the last place; r2 could take all of them."""
    server = Server(lab)
    await lab.rack("r1", 4)
    await lab.rack("r2", 5)
    await lab.pod_group("w", 4, mode="hard", highestTierAllowed=1)
    for index in range(4):
        await make(lab, range(index, index + 1), "" if index == bare else owner)
    return server


async def make(lab: Lab, which: range, owner: str) -> None:
    annotations = {"scheduling.k8s.io/group-name": "w"} | ({OWNER: owner} if owner else {})
    await lab.pods("w", which, annotations=annotations)


def reason_of(lab: Lab) -> str:
    return getattr(lab.group("w").condition("Unschedulable"), "reason", "")


async def test_a_gang_that_stays_partly_bound_is_released_and_placed_afresh(lab: Lab) -> None:
    server = await torn(lab)
    async with lab.scheduler(SOON):
        await lab.all_bound("w", 3)
        uids = {pod.metadata.name: pod.metadata.uid for pod in lab.of("w")}
        await lab.until(lambda: [pod.metadata.name for pod in lab.of("w")] == ["w-3"])
        await make(lab, range(3), "apps/v1 ReplicaSet")
        await lab.all_bound("w", 4)
        assert lab.racks_of("w") == {"r2": 4}
        await lab.until(lambda: lab.group("w").status.phase == "Running")
        await lab.until(lambda: len(lab.events("Released")) == 1)
    assert sorted(server.evictions) == [(name, uids[name]) for name in ("w-0", "w-1", "w-2")]
    (told,) = lab.events("Released")
    assert told.startswith("3 of 3 bound pods were evicted")


async def test_before_the_deadline_nothing_is_evicted(lab: Lab) -> None:
    server = await torn(lab)
    async with lab.scheduler(LATER):
        await lab.until(lambda: "3 pods are bound, and fewer than min_member" in lab.message_of("w"))
    assert server.evictions == []


async def test_a_bare_pod_is_never_deleted(lab: Lab) -> None:
    server = await torn(lab, "")
    async with lab.scheduler(SOON):
        await lab.until(lambda: reason_of(lab) == "PartiallyBound")
        await lab.until(lambda: "has no controller that makes it again" in lab.message_of("w"))
        assert len(lab.nodes_of("w")) == 3
        await lab.delete_pod("stranger-0")
        lab.border.fault = None
        await lab.all_bound("w", 4)  # it kept trying
        assert lab.racks_of("w") == {"r1": 4}
    assert server.evictions == []


async def test_one_bare_pod_keeps_the_whole_gang(lab: Lab) -> None:
    server = await torn(lab, "apps/v1 ReplicaSet", bare=2)
    async with lab.scheduler(SOON):
        await lab.until(lambda: "pod default/w-2 has no controller" in lab.message_of("w"))
        assert len(lab.nodes_of("w")) == 3
    assert server.evictions == []


async def test_a_job_is_read_before_its_pods_are_touched(lab: Lab) -> None:
    server = await torn(lab, "batch/v1 Job")
    server.job = refusal(403, "Forbidden", "jobs are not yours to read")
    metadata = {"name": "train", "namespace": "default", "uid": "uid-train"}
    async with lab.scheduler(SOON):
        await lab.until(lambda: "jobs are not yours to read" in lab.message_of("w"))
        server.job = web.json_response({"metadata": metadata, "spec": {}})
        await lab.until(lambda: "has no podFailurePolicy" in lab.message_of("w"))
        assert server.evictions == []
        server.job = web.json_response({"metadata": metadata, "spec": {"podFailurePolicy": IGNORING}})
        await lab.until(lambda: len(lab.of("w")) == 1)
    assert server.evicted() == ["w-0", "w-1", "w-2"]


async def test_a_budget_that_forbids_an_eviction_is_asked_again_later(lab: Lab) -> None:
    server = await torn(lab)
    server.allowed = 0
    async with lab.scheduler(SOON):
        await lab.until(lambda: "disruption budget" in lab.message_of("w"))
        assert set(server.evicted()) == {"w-0"}  # the first refusal ended every attempt
        assert len(lab.nodes_of("w")) == 3
        server.allowed = 1000
        await lab.until(lambda: len(lab.of("w")) == 1)
        await lab.until(lambda: len(lab.events("Released")) == 1)


async def test_a_restart_in_the_middle_of_a_release_finishes_it(lab: Lab) -> None:
    server = await torn(lab)
    server.allowed = 1
    async with lab.scheduler(SOON):
        await lab.until(lambda: len(lab.of("w")) == 3)
        await lab.until(lambda: len(server.evictions) >= 2)
    server.allowed = 1000
    await make(lab, range(1), "apps/v1 ReplicaSet")
    await lab.occupy("r1-n00")  # its old place is taken, too
    async with lab.scheduler(SOON):
        await lab.until(lambda: len(lab.of("w")) == 2)
        await make(lab, range(1, 3), "apps/v1 ReplicaSet")
        await lab.all_bound("w", 4)
        assert lab.racks_of("w") == {"r2": 4}


async def test_bindings_that_are_always_refused_do_not_hold_the_others_for_ever(lab: Lab) -> None:
    server = await torn(lab)

    async def refuse(request: web.Request) -> web.StreamResponse | None:
        if is_binding(request) and "/w-3/" in request.path:
            return refusal(403, "Forbidden", "the quota says no")
        return await server.answer(request)

    lab.border.fault = refuse
    async with lab.scheduler(SOON):
        await lab.until(lambda: len(lab.of("w")) == 1)
    assert server.evicted() == ["w-0", "w-1", "w-2"]
