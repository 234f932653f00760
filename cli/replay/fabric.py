"""A sweeper, played: what it makes of the recorded sweeps, and the reports that stand then."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from agent.sweeper.ethernet.asking import Round
from agent.sweeper.ethernet.reader import Ethernet, EthernetReader
from agent.sweeper.infiniband.histories import Look, PortHistories
from agent.sweeper.infiniband.merging import End, merge
from agent.sweeper.infiniband.reader import asked_of
from agent.sweeper.infiniband.reading import Subnet, read_subnet
from agent.sweeper.infiniband.subnets import Runs
from agent.sweeper.judging import Known, Patience, judge
from agent.sweeper.publishing import Outcome, Span, report_of
from agent.sweeper.reading import Sweep
from agent.sweeper.tool import Output
from discovery.portcounters import read_perfquery
from discovery.probing import Probed, failed, found
from discovery.recording import layout
from discovery.recording.ending import read_ending
from discovery.recording.reading import Fabric
from discovery.recording.snmprec import read_walk
from discovery.reports import SweepReport, SwitchReport, switch_identity
from discovery.samples import Counters
from discovery.snmp import PROBE, SwitchTables, Target
from discovery.snmp.tables import read_tables
from discovery.source import Fixture

_STEM = re.compile(rf"{layout.SWEEP}(?:-(.+)-(\d+))?")
SILENT = "no answer"
"""Why a switch tells nothing whose recorded walk is empty."""


class _Nobody:
    """Figures that nobody looks at."""

    def asked(self, targets: Mapping[str, int], flaws: Mapping[str, int]) -> None:
        """As `agent.sweeper.ethernet.reader.Figures`."""

    def judged(self, verdicts: Mapping[str, int]) -> None:
        """As `agent.sweeper.ethernet.reader.Figures`."""


@dataclass(slots=True)
class PlayedSweeper:
    """One sweeper, all its sweeps long."""

    name: str
    reports: dict[str, SwitchReport] = field(default_factory=dict)
    """By object name, as they stand."""
    last: SweepReport | None = None
    patience: Patience = field(default_factory=Patience)
    _known: Known = field(default_factory=Known)
    _histories: PortHistories = field(default_factory=PortHistories)
    _ethernet: EthernetReader | None = None
    _targets: dict[str, None] = field(default_factory=dict)
    """Files of walks that were there once: a switch that is not asked any more would be silent."""
    _now: datetime = field(default_factory=lambda: datetime.now(UTC))

    def sweep(self, recorded: Fabric, at: datetime) -> None:
        """One sweep, and the reports that follow."""
        self._now = at
        self._targets |= dict.fromkeys(path for path in recorded.texts if path.startswith(f"{layout.SNMP}/"))
        read = self._ask(recorded) if self._targets else self._scan(recorded, at)
        judgement = judge(read.view, self._known, self.patience)
        self.reports |= read.due(self.reports, judgement.outcome)
        self.last = report_of(judgement, read, Span(at, at), Outcome())
        self._known = judgement.known
        if judgement.left:
            self.reports = {
                name: report for name, report in self.reports.items() if switch_identity(report) not in judgement.left
            }

    def _scan(self, recorded: Fabric, at: datetime) -> Sweep:
        """InfiniBand, as `agent.sweeper.infiniband.reader` does it."""
        subnets = tuple(self._subnets(recorded))
        trouble = () if subnets else ("no sweep was recorded",)
        merged = merge(Runs(subnets, trouble), self.reports)
        counters: dict[End, Counters] = {}
        if text := recorded.texts.get(layout.COUNTERS):
            for asked in asked_of(subnets, merged):
                by_port = read_perfquery(text, asked.lid)
                counters |= {(asked.guid, port): by_port[port] for port in asked.ports if port in by_port}
        judged = self._histories.judge(merged.sweep.reports, self.reports, Look(at, merged.unsure, counters))
        return Sweep(merged.sweep.view, judged, merged.sweep.poor, merged.sweep.apart, merged.sweep.tool_version)

    def _subnets(self, recorded: Fabric) -> Iterator[Subnet]:
        endings = (layout.MAP, layout.WORDS, layout.CODE)
        for stem in sorted({path.rpartition(".")[0] for path in recorded.texts if path.endswith(endings)}):
            match = _STEM.fullmatch(stem)
            if match is None:
                continue
            dump, words, code = (recorded.texts.get(stem + ending, "") for ending in endings)
            output = Output(dump.encode("utf-8", "surrogateescape"), words, *read_ending(code))
            port = f"{match[1]}/{match[2]}" if match[1] else "ibnetdiscover"
            yield read_subnet(output, port, (), self.name)

    def _ask(self, recorded: Fabric) -> Sweep:
        """Ethernet, as `agent.sweeper.ethernet.reader` does it."""
        if self._ethernet is None:
            self._ethernet = EthernetReader(Ethernet(fabric=self.name), Fixture(), _Nobody(), lambda: self._now)
        given = {_target(path): _walked(recorded.texts.get(path, "")) for path in self._targets}
        answers = {target: probed for target, probed in given.items() if probed.found is not None}
        silent = {target: probed.reason or SILENT for target, probed in given.items() if probed.found is None}
        return self._ethernet.concluded(Round(answers, silent), (), self.reports)


def _target(path: str) -> Target:
    return Target(path.removeprefix(f"{layout.SNMP}/").removesuffix(layout.WALK))


def _walked(text: str) -> Probed[SwitchTables]:
    answers = read_walk(text)
    if not answers.scalars:
        return failed(PROBE, SILENT)
    tables = read_tables(answers)
    return found(PROBE, tables, "; ".join(flaw.text for flaw in tables.flaws[:3]) or None)
