"""What the controller keeps in mind between two looks: when it last heard of whom, and what it holds back.

All of it is concluded from snapshots and a clock given as an argument (seconds, monotonic), so the same looks at the
same times always end in the same memory. A restart loses only ages; links and NVLink domains are remembered in
annotations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from controller.conclusion.cabling import Cables
from controller.conclusion.evidence import missing_switches, number_of, switch_number
from controller.conclusion.keeping import Kept
from controller.conclusion.moves import Moves
from controller.conclusion.outages import Outages, excuse
from controller.conclusion.ports import Waiting
from controller.conclusion.rounds import Rounds
from controller.settings import ControllerSettings, Times
from controller.snapshot import Snapshot, is_whole, sweeper_of
from discovery.reports import NodeReport, NvLink
from kube.types import SweepReportObject
from topology.anomaly import Anomaly
from topology.documents import Document
from topology.health import Freshness
from topology.links import KnownLinks
from topology.sweeps import Sweeps

_PERIODS_TO_STALE = 3
_PERIODS_TO_KNOW = 2
_LAPSES = 64


@dataclass(frozen=True, slots=True)
class Heard:
    """The last heartbeat of an agent, and when it was first seen here."""

    heartbeat: datetime | None
    at: float
    boot: str | None = None
    """The boot id that it last told of."""


@dataclass(frozen=True, slots=True)
class Swept:
    """The last sweep of a sweeper, and when the last whole one was first seen here."""

    sequence: int
    whole: bool
    whole_at: float | None
    count: int = 0
    """So many whole sweeps were seen here."""
    lapses: tuple[int, ...] = ()
    """Sequences of the last sweeps that were not whole."""


@dataclass(frozen=True, slots=True)
class Memory:
    """One controller's memory since its start."""

    started: float
    heard: Mapping[str, Heard] = field(default_factory=dict)
    swept: Mapping[str, Swept] = field(default_factory=dict)
    swept_before: Mapping[str, Swept] = field(default_factory=dict)
    """The same at the look before."""
    rounds: Rounds = field(default_factory=Rounds)
    at: float = 0.0
    """When the last look was."""
    warm: bool = False
    """Every source has given a complete view, or the time for that is over."""
    nodes: frozenset[str] | None = None
    """The Nodes at the last look; None before the first."""
    held: Mapping[str, float] = field(default_factory=dict)
    """Deleted Nodes that keep their place, and until when."""
    moves: Moves = field(default_factory=Moves)
    cables: Cables = field(default_factory=Cables)
    nvlink: Mapping[str, str | None] = field(default_factory=dict)
    sick_nvlinks: Mapping[str, NvLink] = field(default_factory=dict)
    """Of the nodes whose NVLink is not well, what was last known of it."""
    known: KnownLinks | None = None
    """None before the first conclusion."""
    kept: Kept = field(default_factory=Kept, compare=False)
    """Results of the last look, to spare work: without them the next look decides the same."""
    holder: Mapping[int, str] = field(default_factory=dict)
    """Port GUID to the node that has it."""
    told: frozenset[Anomaly] = frozenset()
    """Findings that stood at the last look and were told then."""
    adopted: frozenset[str] = frozenset()
    """HyperNodes of others that were to be taken over at some look."""
    recreating: tuple[Document, ...] = ()
    """HyperNodes that are deleted to be created again, as they were."""
    tiers: Mapping[str, int] | None = None
    """The numbers of the tiers; None before the first conclusion."""
    outages: Outages = field(default_factory=Outages)
    was_up: frozenset[int] = frozenset()
    """GUIDs of all ports that were up once by any report since the start: a Node created anew forgets none."""
    waiting: Mapping[str, Waiting] = field(default_factory=dict)
    """By root the fabrics whose ports wait for their subnet manager."""
    limited: frozenset[str] = frozenset()
    """Places whose limit kept nodes from the taint at the last look."""


def look(memory: Memory, snapshot: Snapshot, now: float, members: Iterable[str], times: Times) -> Memory:
    """Take note of who reported since the last look, and of which `members` of our HyperNodes the Node is gone."""
    heard = {
        report.metadata.name: _heard(memory.heard.get(report.metadata.name), report.spec, now)
        for report in snapshot.node_reports
    }
    swept = dict(memory.swept)  # also of those whose SweepReport vanished: silence is not removal
    for sweep in snapshot.sweeps:
        swept[sweep.metadata.name] = _swept(memory.swept.get(sweep.metadata.name), sweep, now)
    held = _held(memory, snapshot, now, members, times)
    booted = (name for name, found in heard.items() if _has_booted(memory.heard.get(name), found))
    return replace(
        memory,
        at=now,
        heard=heard,
        swept=swept,
        swept_before=memory.swept,
        nodes=snapshot.node_names,
        held=held,
        outages=excuse(memory.outages, booted, missing_switches(snapshot, 1), now),
    )


def _swept(last: Swept | None, sweep: SweepReportObject, now: float) -> Swept:
    sequence, whole = sweep.spec.sequence, is_whole(sweep)
    if last is not None and (last.sequence, last.whole) == (sequence, whole):
        return last
    before = last if last is not None else Swept(sequence, whole, None)
    if sequence < before.sequence:  # the sweeper counts anew
        before = replace(before, lapses=())
    if whole:
        return replace(before, sequence=sequence, whole=True, whole_at=now, count=before.count + 1)
    return replace(before, sequence=sequence, whole=False, lapses=(*before.lapses[1 - _LAPSES :], sequence))


def whole_sweeps(memory: Memory, settings: ControllerSettings) -> Sweeps:
    """The whole sweeps until this look."""
    return Sweeps(
        now={name: swept.count for name, swept in memory.swept.items()},
        before={name: swept.count for name, swept in memory.swept_before.items()},
        live=frozenset(
            name
            for name, swept in memory.swept.items()
            if swept.whole_at is not None and not _old(swept.whole_at, memory.at, settings.times.sweep_period)
        ),
        enough=settings.patience.moves,
    )


def left_switches(memory: Memory, snapshot: Snapshot, at_least: int) -> frozenset[int]:
    """Switches that their sweeper has missed in so many whole sweeps."""
    return frozenset(
        number_of(missing.guid)
        for sweep in snapshot.sweeps
        for missing in sweep.spec.missing
        if _misses(sweep.spec.sequence, missing.sinceSequence, memory.swept[sweep.metadata.name].lapses) >= at_least
    )


def _misses(sequence: int, since: int, lapses: tuple[int, ...]) -> int:
    return sequence - since + 1 - sum(since <= lapse <= sequence for lapse in lapses)


def _held(memory: Memory, snapshot: Snapshot, now: float, members: Iterable[str], times: Times) -> dict[str, float]:
    """Members whose Node went since the last look (at the first one: that have none), or are held already."""
    gone = frozenset(members) - snapshot.node_names
    if memory.nodes is not None:
        gone &= memory.nodes | memory.held.keys()
    return {node: memory.held.get(node, now + times.node_hold) for node in sorted(gone)}


def _heard(last: Heard | None, report: NodeReport, now: float) -> Heard:
    if last is None:
        return Heard(report.heartbeat, now, report.bootId)
    if last.heartbeat == report.heartbeat and report.bootId in (None, last.boot):
        return last
    at = last.at if last.heartbeat == report.heartbeat else now
    return Heard(report.heartbeat, at, report.bootId or last.boot)


def _has_booted(last: Heard | None, now: Heard) -> bool:
    return last is not None and last is not now and last.boot is not None and last.boot != now.boot


def silent_sources(snapshot: Snapshot, expected: tuple[str, ...]) -> list[str]:
    """Sweepers whose complete view is awaited: those expected, else all that have written anything.

    A sweep that saw more switches than have a report is none: reports are still being written, or vanished.
    """
    sources = set(expected) or {
        *(sweep.metadata.name for sweep in snapshot.sweeps),
        *(sweeper_of(report) for report in snapshot.switch_reports),
    }
    reports = len(snapshot.switch_reports)
    return sorted(
        sources
        - {sweep.metadata.name for sweep in snapshot.sweeps if is_whole(sweep) and sweep.spec.switches <= reports}
    )


def still_held(memory: Memory) -> frozenset[str]:
    """Deleted Nodes whose hold is not over."""
    return frozenset(node for node, until in memory.held.items() if memory.at < until)


def freshness_of(memory: Memory, snapshot: Snapshot, times: Times) -> Freshness:
    """Whose evidence is older than three periods. Ages are known two periods after the start."""
    now = memory.at
    stale_nodes = (name for name, heard in memory.heard.items() if _old(heard.at, now, times.report_period))
    started = memory.started
    late = {
        name: swept
        for name, swept in memory.swept.items()
        if _old(started if swept.whole_at is None else swept.whole_at, now, times.sweep_period)
    }
    stale, partly = set[int](), set[int]()
    for report in snapshot.switch_reports:
        swept = late.get(sweeper_of(report))
        if swept is not None:
            stale.add(switch_number(report.spec))
            if not swept.whole:
                partly.add(switch_number(report.spec))
    return Freshness(
        known=now - started >= _PERIODS_TO_KNOW * max(times.report_period, times.sweep_period),
        reporting=frozenset(memory.heard),
        stale_nodes=frozenset(stale_nodes),
        stale_switches=frozenset(stale),
        partly_swept=frozenset(partly),
    )


def is_stale(memory: Memory, node: str, period: float) -> bool:
    """Whether the report of a node is older than three periods."""
    return _old(memory.heard[node].at, memory.at, period)


def _old(at: float, now: float, period: float) -> bool:
    return now - at > _PERIODS_TO_STALE * period
