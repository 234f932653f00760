"""Sweeps InfiniBand: all subnets, then the counters of all switch ports that were reached; one Sweep of both."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Protocol

import structlog

from agent.sweeper.infiniband.counting import Asked, Count, Counted, CounterReader
from agent.sweeper.infiniband.histories import Look, PortHistories
from agent.sweeper.infiniband.merging import Merged, merge
from agent.sweeper.infiniband.naming import NodeNames
from agent.sweeper.infiniband.reading import Subnet
from agent.sweeper.infiniband.subnets import Runs, SubnetSweep, Tool
from agent.sweeper.reading import Sweep
from discovery.health import Thresholds
from discovery.identity import Guid
from discovery.reports import SwitchReport
from discovery.source import Source

log = structlog.get_logger(__name__)


class Figures(Protocol):
    """Told what came of each sweep, in its event loop, at once."""

    def swept_subnets(self, subnets: Sequence[Subnet]) -> None:
        """The runs of the discovery tool are over."""
        ...

    def counted(self, counted: Counted) -> None:
        """Counters were read."""
        ...

    def judged(self, verdicts: Mapping[str, int]) -> None:
        """So many switch ports have each verdict."""
        ...


@dataclass(frozen=True, slots=True)
class InfiniBand:
    """What an operator decides of it."""

    tool: Tool = field(default_factory=Tool)
    count: Count = field(default_factory=Count)
    thresholds: Thresholds = field(default_factory=Thresholds)
    node_names: str = ""
    """A file; none: what the nodes call themselves."""


class InfiniBandReader:
    """An `agent.sweeper.running.Reader`."""

    def __init__(
        self,
        settings: InfiniBand,
        sysfs: Source,
        figures: Figures,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._subnets = SubnetSweep(settings.tool, sysfs)
        self._counters = CounterReader(settings.count)
        self._histories = PortHistories(settings.thresholds)
        self._names = NodeNames(settings.node_names)
        self._figures, self._now = figures, now
        self._said: tuple[str, ...] = ()

    async def read(self, own: Mapping[str, SwitchReport]) -> Sweep:
        """As `Reader.read`."""
        runs = await self._subnets.sweep()
        self._figures.swept_subnets(runs.subnets)
        merged = await asyncio.to_thread(self._merge, runs, own)
        counted = await self._counters.read(asked_of(runs.subnets, merged))
        if counted is not None:
            self._figures.counted(counted)
            self._say(counted)
        clock = asyncio.get_running_loop().time()
        look = Look(self._now(), merged.unsure, counted.counters if counted is not None else {}, clock=clock)
        reports = await asyncio.to_thread(self._histories.judge, merged.sweep.reports, own, look)
        self._figures.judged(self._histories.counts())
        return replace(merged.sweep, reports=reports)

    def _merge(self, runs: Runs, own: Mapping[str, SwitchReport]) -> Merged:
        return merge(self._names.applied(runs), own)

    def _say(self, counted: Counted) -> None:
        """Once a change: a switch whose counters cannot be read is no reason to say so every five minutes."""
        if counted.failures != self._said and (counted.failed or counted.late):
            log.warning("counters not read", failed=counted.failed, late=counted.late, why=counted.failures)
        self._said = counted.failures


def asked_of(subnets: Sequence[Subnet], merged: Merged) -> list[Asked]:
    """The switches whose counters can be read: those that have a LID, with the ports that have a cable."""
    cabled = {
        report.guid: tuple(port.number for port in report.ports if port.peer is not None)
        for report in merged.sweep.reports.values()
    }
    found: dict[Guid, Asked] = {}
    for subnet in subnets:
        for guid, lid in subnet.lids.items():
            if cabled.get(guid) and guid not in found:
                found[guid] = Asked(guid, lid, cabled[guid], subnet.arguments)
    return list(found.values())
