"""Sweeps an Ethernet fabric: resolves its targets, asks them, judges their ports, concludes one Sweep."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Protocol

from agent.sweeper.ethernet.asking import Patience, Roster, Round
from agent.sweeper.ethernet.concluding import Found, Gathered, conclude, identify
from agent.sweeper.ethernet.histories import PortHistories
from agent.sweeper.ethernet.recognising import Signs
from agent.sweeper.ethernet.resolving import resolve
from agent.sweeper.reading import Sweep
from discovery.errors import EvidenceError
from discovery.health import Thresholds
from discovery.identity import ChassisId
from discovery.reports import SwitchReport
from discovery.snmp import (
    Bounds,
    Surroundings,
    Target,
    ports_of,
    read_credentials,
    switch_report,
    walk_switch,
)
from discovery.source import Source

ANSWERED, MUTE, SILENT = "answered", "without-lldp", "silent"


class Figures(Protocol):
    """Told what came of each sweep, in its event loop, at once."""

    def asked(self, targets: Mapping[str, int], flaws: Mapping[str, int]) -> None:
        """So many targets answered, answered without a word of LLDP, or were silent (ANSWERED, MUTE, SILENT); so many
        things were dropped, by kind."""
        ...

    def judged(self, verdicts: Mapping[str, int]) -> None:
        """So many switch ports have each verdict."""
        ...


@dataclass(frozen=True, slots=True)
class Ethernet:
    """What an operator decides of it."""

    targets: tuple[Target, ...] = ()
    credentials: str = "snmp"
    """The folder of the Secret."""
    fabric: str = "default"
    time_limit: float = 120.0
    """Seconds for all switches."""
    bounds: Bounds = field(default_factory=Bounds)
    patience: Patience = field(default_factory=Patience)
    thresholds: Thresholds = field(default_factory=Thresholds)


class EthernetReader:
    """An `agent.sweeper.running.Reader`."""

    def __init__(
        self,
        settings: Ethernet,
        files: Source,
        figures: Figures,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._settings, self._files = settings, files
        self._figures, self._now = figures, now
        self._roster = Roster(settings.patience)
        self._histories = PortHistories(settings.thresholds)
        self._signs = Signs()
        self._version = _client()
        self._mute = 0
        """Targets of the last sweep that tell nothing of LLDP."""

    async def read(self, own: Mapping[str, SwitchReport]) -> Sweep:
        """As `Reader.read`."""
        try:
            credentials = read_credentials(self._files, self._settings.credentials)
        except EvidenceError as error:
            return Sweep.failed(f"nobody can be asked: {error}; snmp.credentials names the folder")
        resolved = await resolve(self._settings.targets)
        ask = partial(walk_switch, credentials=credentials, bounds=self._settings.bounds)
        asked = await self._roster.ask_all(resolved.addresses, ask, self._settings.time_limit)
        sweep = await asyncio.to_thread(self.concluded, asked, resolved.unknown, own)
        self._tell(asked)
        return sweep

    def concluded(self, asked: Round, unknown: tuple[str, ...], own: Mapping[str, SwitchReport]) -> Sweep:
        """One sweep from what the targets answered; `unknown`: names without an address."""
        answers = {target: one.found for target, one in asked.answers.items() if one.found is not None}
        self._signs.recall(own.values())
        found = identify(answers, _chassis(own.values()), self._signs)
        self._signs.learn(answers)
        self._mute = len(found.mute)
        reports = self._reports(found, own)
        sweep = conclude(Gathered(asked, found, reports, unknown, own))
        return replace(sweep, tool_version=self._version)

    def _reports(self, found: Found, own: Mapping[str, SwitchReport]) -> dict[ChassisId, SwitchReport]:
        at = self._now()
        self._histories.recall(own.values(), at)
        known = _chassis(own.values())
        around = Surroundings(self._settings.fabric, frozenset(known | found.tables.keys()))
        reports: dict[ChassisId, SwitchReport] = {}
        for chassis, tables in found.tables.items():
            ports = ports_of(tables)
            verdicts = self._histories.judge(chassis, ports, tables, at)
            reports[chassis] = switch_report(tables, ports, verdicts, around)
            self._histories.note(reports[chassis])
        return reports

    def _tell(self, asked: Round) -> None:
        flaws = Counter(
            flaw.kind for one in asked.answers.values() if one.found is not None for flaw in one.found.flaws
        )
        targets = {ANSWERED: len(asked.answers) - self._mute, MUTE: self._mute, SILENT: len(asked.silent)}
        self._figures.asked(targets, flaws)
        self._figures.judged(self._histories.counts())


def _chassis(reports: Iterable[SwitchReport]) -> set[ChassisId]:
    return {report.chassisId for report in reports if report.chassisId is not None}


def _client() -> str | None:
    """What the switches are asked with, as a SweepReport tells it."""
    try:
        return f"gufo-snmp {version('gufo-snmp')}"
    except PackageNotFoundError:
        return None
