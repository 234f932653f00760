"""Bindings that fail, get lost or are cut short: no gang is torn apart, no pod bound twice, nothing ever deleted."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from aiohttp import web

from kube.types import PODS
from tests.scheduler.border import is_binding, refusal
from tests.scheduler.lab import QUICK, Lab


async def prepared(lab: Lab) -> None:
    """A rack that fits the gang of 4 exactly once and a half, and one that fits it twice."""
    await lab.rack("r1", 6)
    await lab.rack("r2", 8)
    await lab.pod_group("w", 4, mode="hard", highestTierAllowed=1)


async def test_a_refused_binding_moves_to_another_node_of_the_domain(lab: Lab) -> None:
    refused: list[str] = []

    async def full(request: web.Request) -> web.StreamResponse | None:
        if not is_binding(request):
            return None
        node = (await request.json())["target"]["name"]
        if node != "r1-n01":
            return None
        refused.append(node)
        return refusal(422, "Invalid", "node r1-n01 takes nobody")

    lab.border.fault = full
    await prepared(lab)
    async with lab.scheduler():
        await lab.pods("w", range(4))
        await lab.all_bound("w", 4)
        assert refused
        assert lab.racks_of("w") == {"r1": 4}
        assert "r1-n01" not in lab.nodes_of("w")


async def test_a_pod_deleted_while_its_gang_is_bound_is_waited_for(lab: Lab) -> None:
    async def vanish(request: web.Request) -> web.StreamResponse | None:
        if is_binding(request) and "/w-2/" in request.path and lab.border.fault is not None:
            lab.border.fault = None
            await lab.delete_pod("w-2")
        return None

    lab.border.fault = vanish
    await prepared(lab)
    async with lab.scheduler():
        await lab.pods("w", range(4))
        await lab.all_bound("w", 3)
        await lab.until(lambda: len(lab.of("w")) == 3)
        await lab.pods("w", range(2, 3))
        await lab.all_bound("w", 4)
        assert lab.racks_of("w") == {"r1": 4}


async def test_a_binding_whose_answer_got_lost_is_looked_at_before_anything_else(lab: Lab) -> None:
    asked: list[str] = []

    async def lose(request: web.Request) -> web.StreamResponse | None:
        if is_binding(request):
            asked.append(request.path)
            if "/w-1/" in request.path:
                pod = next(pod for pod in lab.of("w") if pod.metadata.name == "w-1")
                await lab.client.bind(pod, (await request.json())["target"]["name"])
                assert request.transport is not None
                request.transport.abort()
        return None

    lab.border.fault = lose
    await prepared(lab)
    async with lab.scheduler():
        await lab.pods("w", range(4))
        await lab.all_bound("w", 4)
        await lab.until(lambda: lab.group("w").status.phase == "Running")
    assert len(asked) == 4


async def test_every_binding_carries_the_uid(lab: Lab) -> None:
    seen: dict[str, str] = {}

    async def note(request: web.Request) -> web.StreamResponse | None:
        if is_binding(request):
            metadata = (await request.json())["metadata"]
            seen[metadata["name"]] = metadata["uid"]
        return None

    lab.border.fault = note
    await prepared(lab)
    async with lab.scheduler():
        await lab.pods("w", range(4))
        await lab.all_bound("w", 4)
    assert seen == {pod.metadata.name: pod.metadata.uid for pod in lab.of("w")}


async def test_a_restart_in_the_middle_of_a_gang_finishes_it_in_its_domain(lab: Lab) -> None:
    two_bound = asyncio.Event()
    passed = 0

    async def stall(request: web.Request) -> web.StreamResponse | None:
        nonlocal passed
        if is_binding(request):
            passed += 1
            if passed > 2:
                two_bound.set()
                return refusal(500, "InternalError", "the API server is going down")
        return None

    lab.border.fault = stall
    await lab.rack("r1", 8)
    await lab.pod_group("w", 4, mode="hard", highestTierAllowed=1)
    async with lab.scheduler():
        await lab.pods("w", range(4))
        await two_bound.wait()
        await lab.all_bound("w", 2)
    lab.border.fault = None
    await lab.rack("r0", 4)  # tighter: a gang placed afresh would go there
    async with lab.scheduler():
        await lab.all_bound("w", 4)
    assert lab.racks_of("w") == {"r1": 4}


async def test_a_gang_that_stays_partly_bound_says_so_and_loses_no_pod(lab: Lab) -> None:
    async def refuse(request: web.Request) -> web.StreamResponse | None:
        if is_binding(request) and "/w-3/" in request.path:
            await lab.delete_pod("w-3")
        return None

    lab.border.fault = refuse
    await prepared(lab)
    async with lab.scheduler(replace(QUICK, gang_bind_deadline=0.2)):
        await lab.pods("w", range(4))
        await lab.all_bound("w", 3)
        lab.border.fault = None
        await lab.pods("w", range(3, 4), gpus=5)
        await lab.until(lambda: getattr(lab.group("w").condition("Unschedulable"), "reason", "") == "PartiallyBound")
        assert lab.group("w").status.phase == "Unknown"
        assert len(lab.of("w")) == 4


async def test_a_pod_group_that_changed_before_the_first_binding_is_decided_afresh(lab: Lab) -> None:
    reads = 0

    async def change(request: web.Request) -> web.StreamResponse | None:
        nonlocal reads
        if request.method == "GET" and request.path.endswith("/podgroups/w"):
            reads += 1
            if reads == 1:
                body = {"metadata": {"name": "w", "namespace": "default", "uid": "other"}, "spec": {"minMember": 9}}
                return web.json_response(body)
        return None

    lab.border.fault = change
    await prepared(lab)
    async with lab.scheduler():
        await lab.pods("w", range(4))
        await lab.all_bound("w", 4)
        assert reads >= 2


@pytest.mark.parametrize("code", [404, 409])
async def test_a_binding_that_the_server_says_is_too_late_is_not_the_end(lab: Lab, code: int) -> None:
    told = 0

    async def late(request: web.Request) -> web.StreamResponse | None:
        nonlocal told
        if is_binding(request) and told < 2:
            told += 1
            return refusal(code, "Conflict" if code == 409 else "NotFound", "not now")
        return None

    lab.border.fault = late
    await prepared(lab)
    async with lab.scheduler():
        await lab.pods("w", range(4))
        await lab.all_bound("w", 4)
        assert lab.racks_of("w") == {"r1": 4}
        assert {pod.metadata.name for pod in (await lab.client.list(PODS)).items} == {f"w-{i}" for i in range(4)}
