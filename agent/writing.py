"""Carries reports to the API server: each whole, by server-side apply, as their only writer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agent.publishing import ReportObject
from kube.client import Client
from kube.requests import FieldManager
from kube.resources import NODE_REPORTS, SWEEP_REPORTS, SWITCH_REPORTS, Resource

RESOURCES: Mapping[str, Resource[Any]] = {
    resource.kind: resource for resource in (NODE_REPORTS, SWITCH_REPORTS, SWEEP_REPORTS)
}


@dataclass(frozen=True, slots=True)
class ReportWriter:
    """An `agent.publishing.Applier`."""

    client: Client
    manager: FieldManager

    async def apply(self, report: ReportObject) -> None:
        """Raises ApiError."""
        await self.client.apply_whole(RESOURCES[report.kind], report.document(), self.manager)
