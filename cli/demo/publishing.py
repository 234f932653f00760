"""What the demo writes before the story begins and between its scenes: definitions, nodes, evidence."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.publishing import ReportObject, Written, node_object, publish, sweep_object, switch_object
from cli.demo.definitions import define
from cli.demo.hardware import SWEEPER, Evidence
from discovery.identity import NodeName
from kube.client import Client
from kube.crds import crds
from kube.meta import Body
from kube.requests import FieldManager
from kube.resources import NODE_REPORTS, NODES, SWEEP_REPORTS, SWITCH_REPORTS, Resource

AT_ONCE = 16
"""Requests that run side by side."""
ALLOCATABLE: Mapping[str, str] = {"cpu": "2", "memory": "960Gi", "pods": "110", "nvidia.com/gpu": "4"}

AGENT = FieldManager("hyperscout-agent", force=True)

_RESOURCES: Mapping[str, Resource[Any]] = {
    "NodeReport": NODE_REPORTS,
    "SwitchReport": SWITCH_REPORTS,
    "SweepReport": SWEEP_REPORTS,
}


async def set_up(client: Client, nodes: Sequence[str]) -> None:
    """The definitions and the nodes of the cluster; no topology yet."""
    await define(client, crds(cel=False))
    await create_all(client, NODES, [_node(name) for name in nodes])


async def create_all(client: Client, resource: Resource[Any], bodies: Iterable[Body]) -> None:
    """Create all of these, some side by side."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def create(body: Body) -> None:
        async with gate:
            await client.create(resource, body)

    async with asyncio.TaskGroup() as group:
        for body in bodies:
            group.create_task(create(body))


def _node(name: str) -> Body:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}},
        "status": {
            "allocatable": dict(ALLOCATABLE),
            "capacity": dict(ALLOCATABLE),
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "played"}],
        },
    }


@dataclass(slots=True)
class Publisher:
    """Agents and sweeper in one: writes the reports that have changed since the last look."""

    client: Client
    written: dict[tuple[str, str], Written] = field(default_factory=dict)

    async def apply(self, report: ReportObject) -> None:
        """Server-side apply of a whole report, as its only writer."""
        await self.client.apply(_RESOURCES[report.kind], report.document(), AGENT)

    async def publish(self, evidence: Evidence) -> None:
        """Write what is new in this evidence; the sweep's own report comes last, when its switches are there."""
        first = [node_object(NodeName(name), report) for name, report in evidence.nodes.items()]
        first += [switch_object(SWEEPER, report) for report in evidence.switches]
        gate = asyncio.Semaphore(AT_ONCE)
        async with asyncio.TaskGroup() as group:
            for report in first:
                group.create_task(self._write(report, gate))
        await self._write(sweep_object(SWEEPER, evidence.sweep), gate)

    async def _write(self, report: ReportObject, gate: asyncio.Semaphore) -> None:
        key = (report.kind, report.name)
        async with gate:
            now = asyncio.get_running_loop().time()
            written = await publish(report, self.written.get(key), self, now=now, draw=0.5)
        if written is not None:
            self.written[key] = written
