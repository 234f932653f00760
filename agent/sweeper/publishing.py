"""Writes what a sweep changed: switches first, side by side, the SweepReport last; takes up where an earlier one left.

A switch that another sweeper reports is left to it, and told. The objects are this sweeper's only by their label.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from agent.publishing import ReportObject, Written, publish, sweep_object, switch_object
from agent.sweeper.judging import Known
from agent.writing import ReportWriter
from discovery.identity import Guid
from discovery.reports import SWEEPER_LABEL, SweepReport, SwitchReport, switch_report_name
from kube.client import Client
from kube.errors import ApiError, Conflict, NotFound
from kube.requests import FieldManager, Preconditions
from kube.resources import SWEEP_REPORTS, SWITCH_REPORTS

AT_ONCE = 16
MANAGER = FieldManager("hyperscout-sweeper", force=True)


@dataclass(slots=True)
class SweepWriter:
    """The objects of one sweeper, as they stand in the API as far as it knows."""

    client: Client
    sweeper: str
    written: dict[str, Written] = field(default_factory=dict)
    foreign: dict[str, str] = field(default_factory=dict)
    """Those of others, by name their sweeper."""

    async def recover(self) -> Known:
        """What this sweeper, or one before it, knew: from its own reports. Raises ApiError."""
        listing = await self.client.list(SWITCH_REPORTS)
        self.foreign, self.written = {}, {}
        switches = set()
        for found in listing.items:
            name, holder = found.metadata.name, found.metadata.labels.get(SWEEPER_LABEL, "")
            if holder != self.sweeper:
                self.foreign[name] = holder
                continue
            self.written[name] = Written(self._object(name, found.spec).content_hash(), 0.0)
            if found.spec.guid is not None:
                switches.add(found.spec.guid)
        try:
            last = (await self.client.get(SWEEP_REPORTS, self.sweeper)).spec
        except NotFound:
            return Known(switches=frozenset(switches))
        missing = {one.guid: one.sinceSequence for one in last.missing if one.guid in switches}
        return Known(last.sequence, frozenset(switches), last.hosts, missing)

    async def write(self, reports: Mapping[str, SwitchReport]) -> list[str]:
        """Write those that changed; what could not be written, in sentences."""
        gate = asyncio.Semaphore(AT_ONCE)
        clashes = sorted(reports.keys() & self.foreign.keys())
        told = [f"{name} is reported by the sweeper {self.foreign[name] or '?'} and left to it" for name in clashes]
        ours = {name: report for name, report in reports.items() if name not in self.foreign}
        failures = await asyncio.gather(*(self._write(name, report, gate) for name, report in ours.items()))
        return told + [failure for failure in failures if failure]

    async def write_sweep(self, report: SweepReport) -> None:
        """The sweep itself. Raises ApiError."""
        await ReportWriter(self.client, MANAGER).apply(sweep_object(self.sweeper, report))

    async def remove(self, left: frozenset[Guid]) -> None:
        """Delete the reports of switches that have left; one that is another's by now stays. Raises ApiError."""
        for found in (await self.client.list(SWITCH_REPORTS)).items:
            metadata = found.metadata
            if found.spec.guid in left and metadata.labels.get(SWEEPER_LABEL) == self.sweeper:
                self.written.pop(metadata.name, None)
                with suppress(NotFound, Conflict):
                    await self.client.delete(SWITCH_REPORTS, metadata, Preconditions(metadata.uid))

    async def _write(self, name: str, report: SwitchReport, gate: asyncio.Semaphore) -> str:
        wanted, clock = self._object(name, report), asyncio.get_running_loop().time
        async with gate:
            try:
                last = self.written.get(name)
                done = await publish(wanted, last, ReportWriter(self.client, MANAGER), now=clock(), draw=0.5)
            except ApiError as error:
                return str(error)
        if done is not None:
            self.written[name] = done
        return ""

    def _object(self, name: str, report: SwitchReport) -> ReportObject:
        return switch_object(self.sweeper, report, shares_box=name != switch_report_name(report))
