"""What the demo writes before the story begins and between its scenes: nodes and evidence."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from agent.publishing import ReportObject, Written, node_object, publish, sweep_object, switch_object
from agent.writing import ReportWriter
from cli.demo.hardware import SWEEPER, Evidence
from cli.demo.marks import LABELS, PLAYED, TAINT
from discovery.identity import NodeName
from kube.client import Client
from kube.errors import NotFound
from kube.meta import Body, ObjectMeta
from kube.requests import FieldManager
from kube.resources import Resource

AT_ONCE = 16
"""Requests that run side by side."""
ALLOCATABLE: Mapping[str, str] = {"cpu": "2", "memory": "960Gi", "pods": "110", "nvidia.com/gpu": "4"}

AGENT = FieldManager("hyperscout-agent", force=True)


async def create_all(client: Client, resource: Resource[Any], bodies: Iterable[Body]) -> None:
    """Create all of these, some side by side."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def create(body: Body) -> None:
        async with gate:
            await client.create(resource, body)

    async with asyncio.TaskGroup() as group:
        for body in bodies:
            group.create_task(create(body))


async def delete_all(client: Client, resource: Resource[Any], found: Iterable[ObjectMeta]) -> None:
    """Delete all of these, some side by side; who is gone already is gone."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def delete(metadata: ObjectMeta) -> None:
        async with gate:
            with suppress(NotFound):
                await client.delete(resource, metadata)

    async with asyncio.TaskGroup() as group:
        for metadata in found:
            group.create_task(delete(metadata))


def node(name: str) -> Body:
    """A node that kwok plays: it has no conditions before kwok gives it some."""
    labels = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", **LABELS}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels, "annotations": PLAYED},
        "spec": {"taints": [TAINT]},
        "status": {"allocatable": dict(ALLOCATABLE), "capacity": dict(ALLOCATABLE)},
    }


def ready_node(name: str) -> Body:
    """The same where there is no kwok."""
    body = node(name)
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "played"}
    return {**body, "status": {**body["status"], "conditions": [ready]}}


@dataclass(slots=True)
class Publisher:
    """Agents and sweeper in one: writes the reports that have changed since the last look."""

    client: Client
    written: dict[tuple[str, str], Written] = field(default_factory=dict)

    async def publish(self, evidence: Evidence) -> None:
        """Write what is new in this evidence; the sweep's own report comes last, when its switches are there."""
        first = [node_object(NodeName(name), report) for name, report in evidence.nodes.items()]
        first += [switch_object(SWEEPER, report) for report in evidence.switches]
        gate = asyncio.Semaphore(AT_ONCE)
        async with asyncio.TaskGroup() as group:
            for report in first:
                group.create_task(self._write(report, gate))
        await self._write(sweep_object(SWEEPER, evidence.sweep), gate)

    async def _write(self, plain: ReportObject, gate: asyncio.Semaphore) -> None:
        report = replace(plain, labels={**plain.labels, **LABELS})
        key = (report.kind, report.name)
        async with gate:
            now = asyncio.get_running_loop().time()
            writer = ReportWriter(self.client, AGENT)
            written = await publish(report, self.written.get(key), writer, now=now, draw=0.5)
        if written is not None:
            self.written[key] = written
