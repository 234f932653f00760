"""Writes what a sweep changed: switches first, side by side, the SweepReport last; takes up where an earlier one left.

A switch that another sweeper reports is left to it, and told. The objects are this sweeper's only by their label.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from agent.publishing import ReportObject, sweep_object, switch_object
from agent.sweeper.judging import MAX_REASON, Judgement, Known
from agent.sweeper.reading import Sweep
from agent.writing import ReportWriter
from discovery.identity import Guid
from discovery.reports import (
    COMPLETE,
    MAX_REASONS,
    PARTIAL,
    SWEEPER_LABEL,
    SweepReport,
    SwitchReport,
    switch_identity,
    switch_report_name,
)
from kube.client import Client
from kube.errors import ApiError, Conflict, NotFound
from kube.requests import FieldManager, Preconditions
from kube.resources import SWEEP_REPORTS, SWITCH_REPORTS

AT_ONCE = 16
MANAGER = FieldManager("hyperscout-sweeper", force=True)


@dataclass(frozen=True, slots=True)
class Standing:
    """The SwitchReports as they stand in the API, by object name. Read before every sweep is written: what somebody
    deleted or changed meanwhile is written again, and what another sweeper gave up is taken."""

    own: Mapping[str, SwitchReport]
    foreign: Mapping[str, str]
    """Those of other sweepers, and whose."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the writes of one sweep."""

    failures: tuple[str, ...] = ()
    clashes: tuple[str, ...] = ()
    """One sentence for each other sweeper."""


@dataclass(frozen=True, slots=True)
class Span:
    """When a sweep began and ended."""

    start: datetime
    end: datetime


def report_of(judgement: Judgement, sweep: Sweep, span: Span, outcome: Outcome) -> SweepReport:
    """A sweep whose switches are not all written proves nothing missing; one that met another's proves the rest."""
    whole = judgement.outcome != COMPLETE or not outcome.failures
    told = (*judgement.reasons, *outcome.clashes, *outcome.failures)
    return SweepReport(
        sequence=judgement.known.sequence,
        start=span.start,
        end=span.end,
        outcome=judgement.outcome if whole else PARTIAL,
        reasons=tuple(reason[:MAX_REASON] for reason in told[:MAX_REASONS]),
        switches=len(sweep.view.switches),
        hosts=sweep.view.hosts,
        toolVersion=sweep.tool_version,
        missing=judgement.missing,
    )


@dataclass(frozen=True, slots=True)
class SweepWriter:
    """Writes the objects of one sweeper."""

    client: Client
    sweeper: str

    async def standing(self) -> Standing:
        """What there is. Raises ApiError."""
        own, foreign = dict[str, SwitchReport](), dict[str, str]()
        for found in (await self.client.list(SWITCH_REPORTS)).items:
            holder = found.metadata.labels.get(SWEEPER_LABEL, "")
            if holder == self.sweeper:
                own[found.metadata.name] = found.spec
            else:
                foreign[found.metadata.name] = holder
        return Standing(own, foreign)

    async def recover(self, own: Mapping[str, SwitchReport]) -> Known:
        """What this sweeper, or one before it, knew: from its own reports, which stand. Raises ApiError."""
        switches = frozenset(identity for report in own.values() if (identity := switch_identity(report)))
        try:
            last = (await self.client.get(SWEEP_REPORTS, self.sweeper)).spec
        except NotFound:
            return Known(switches=switches)
        missing = {one.guid: one.sinceSequence for one in last.missing if one.guid in switches}
        return Known(last.sequence, switches, last.hosts, missing)

    async def write(self, reports: Mapping[str, SwitchReport], standing: Standing) -> Outcome:
        """Write those that stand otherwise or not at all."""
        gate = asyncio.Semaphore(AT_ONCE)
        due = [
            self._object(name, report)
            for name, report in reports.items()
            if name not in standing.foreign and standing.own.get(name) != report
        ]
        failures = await asyncio.gather(*(self._write(one, gate) for one in due))
        clashes = Counter(standing.foreign[name] for name in reports.keys() & standing.foreign.keys())
        return Outcome(
            tuple(failure for failure in failures if failure),
            tuple(_clash(other, count) for other, count in sorted(clashes.items())),
        )

    async def write_sweep(self, report: SweepReport) -> None:
        """The sweep itself. Raises ApiError."""
        await ReportWriter(self.client, MANAGER).apply(sweep_object(self.sweeper, report))

    async def remove(self, left: frozenset[Guid]) -> None:
        """Delete the reports of switches that have left; one that is another's by now stays. Raises ApiError."""
        for found in (await self.client.list(SWITCH_REPORTS)).items:
            metadata = found.metadata
            if switch_identity(found.spec) in left and metadata.labels.get(SWEEPER_LABEL) == self.sweeper:
                with suppress(NotFound, Conflict):
                    await self.client.delete(SWITCH_REPORTS, metadata, Preconditions(metadata.uid))

    async def _write(self, report: ReportObject, gate: asyncio.Semaphore) -> str:
        """What went wrong, or nothing."""
        async with gate:
            try:
                await ReportWriter(self.client, MANAGER).apply(report)
            except ApiError as error:
                return str(error)
        return ""

    def _object(self, name: str, report: SwitchReport) -> ReportObject:
        return switch_object(self.sweeper, report, shares_box=name != switch_report_name(report))


def _clash(other: str, count: int) -> str:
    switches = "1 switch is" if count == 1 else f"{count} switches are"
    remedy = f"kubectl delete switchreports -l {SWEEPER_LABEL}={other}"
    return f"{switches} reported by the sweeper {other or '?'} and left to it; where that one is gone: {remedy}"
