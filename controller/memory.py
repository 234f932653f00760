"""What the controller keeps in mind between two looks: when it last heard of whom, and what it holds back.

All of it is concluded from snapshots and a clock given as an argument (seconds, monotonic), so the same looks at the
same times always end in the same memory. A restart loses only ages; links and NVLink domains are remembered in
annotations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from controller.evidence import switch_number
from controller.settings import Patience, Times
from controller.snapshot import Snapshot, is_whole, sweeper_of
from topology.anomaly import Anomaly
from topology.health import Freshness
from topology.hierarchy import Hierarchy, HyperNode
from topology.links import KnownLinks
from topology.staying import lowest_of

_PERIODS_TO_STALE = 3
_PERIODS_TO_KNOW = 2


@dataclass(frozen=True, slots=True)
class Heard:
    """The last heartbeat of an agent, and when it was first seen here."""

    heartbeat: datetime | None
    at: float


@dataclass(frozen=True, slots=True)
class Swept:
    """The last sweep of a sweeper, and when the last whole one was first seen here."""

    sequence: int
    whole: bool
    whole_at: float | None


@dataclass(frozen=True, slots=True)
class Move:
    """A node that appears in another HyperNode, and in how many whole sweeps it did."""

    target: str
    sweeps: int


@dataclass(frozen=True, slots=True)
class Memory:
    """One controller's memory since its start."""

    started: float
    heard: Mapping[str, Heard] = field(default_factory=dict)
    swept: Mapping[str, Swept] = field(default_factory=dict)
    warm: bool = False
    """Every source has given a complete view, or the time for that is over."""
    nodes: frozenset[str] | None = None
    """The Nodes at the last look; None before the first."""
    held: Mapping[str, float] = field(default_factory=dict)
    """Deleted Nodes that keep their place, and until when."""
    moves: Mapping[str, Move] = field(default_factory=dict)
    nvlink: Mapping[str, str | None] = field(default_factory=dict)
    known: KnownLinks | None = None
    """None before the first conclusion."""
    holder: Mapping[int, str] = field(default_factory=dict)
    """Port GUID to the node that has it."""
    told: frozenset[Anomaly] = frozenset()
    """Findings that stood at the last look and were told then."""


def look(memory: Memory, snapshot: Snapshot, now: float, members: Iterable[str], times: Times) -> Memory:
    """Take note of who reported since the last look, and of which `members` of our HyperNodes the Node is gone."""
    heard = {
        report.metadata.name: _heard(memory.heard.get(report.metadata.name), report.spec.heartbeat, now)
        for report in snapshot.node_reports
    }
    swept = {}
    for sweep in snapshot.sweeps:
        last = memory.swept.get(sweep.metadata.name)
        new = last is None or last.sequence != sweep.spec.sequence
        before = last.whole_at if last is not None else None
        whole = is_whole(sweep)
        swept[sweep.metadata.name] = Swept(sweep.spec.sequence, whole, now if new and whole else before)
    return replace(
        memory, heard=heard, swept=swept, nodes=snapshot.node_names, held=_held(memory, snapshot, now, members, times)
    )


def _held(memory: Memory, snapshot: Snapshot, now: float, members: Iterable[str], times: Times) -> dict[str, float]:
    """Members whose Node went since the last look (at the first one: that have none), or are held already."""
    gone = frozenset(members) - snapshot.node_names
    if memory.nodes is not None:
        gone &= memory.nodes | memory.held.keys()
    return {node: memory.held.get(node, now + times.node_hold) for node in sorted(gone)}


def _heard(last: Heard | None, heartbeat: datetime | None, now: float) -> Heard:
    return last if last is not None and last.heartbeat == heartbeat else Heard(heartbeat, now)


def silent_sources(snapshot: Snapshot, expected: tuple[str, ...]) -> list[str]:
    """Sweepers whose complete view is awaited: those expected, else all that have written anything."""
    sources = set(expected) or {
        *(sweep.metadata.name for sweep in snapshot.sweeps),
        *(sweeper_of(report) for report in snapshot.switch_reports),
    }
    return sorted(sources - {sweep.metadata.name for sweep in snapshot.sweeps if is_whole(sweep)})


def still_held(memory: Memory, now: float) -> frozenset[str]:
    """Deleted Nodes whose hold is not over."""
    return frozenset(node for node, until in memory.held.items() if now < until)


def freshness_of(memory: Memory, snapshot: Snapshot, now: float, times: Times) -> Freshness:
    """Whose evidence is older than three periods. Ages are known two periods after the start."""
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


def _old(at: float, now: float, period: float) -> bool:
    return now - at > _PERIODS_TO_STALE * period


@dataclass(frozen=True, slots=True)
class Homes:
    """Which nodes stay where they are for now, and how often each was seen elsewhere."""

    kept: Mapping[str, str]
    moves: Mapping[str, Move]


def find_homes(
    memory: Memory,
    before: tuple[HyperNode, ...],
    now: Hierarchy,
    names: frozenset[str],
    patience: Patience,
    *,
    swept: bool,
) -> Homes:
    """Absent nodes stay; those that appear elsewhere do so until enough whole sweeps agree (`swept`: a new one)."""
    was, placed = lowest_of(before), lowest_of(now.hyper_nodes)
    by_name = {found.name: found for found in before}
    parents_before = {found.name: found.parent for found in before}
    parents_now = {found.name: found.parent for found in now.hyper_nodes}
    kept: dict[str, str] = {}
    moves: dict[str, Move] = {}
    for node in sorted(names & was.keys()):
        home, target = was[node], placed.get(node)
        found = by_name[home]
        if now.tiers.get(found.tier_name) != found.tier:
            continue  # another table of tiers is a migration, not a move
        if target is None:
            kept[node] = home
        elif not (_reaches(target, home, parents_now) or _reaches(home, target, parents_before)):
            last = memory.moves.get(node)
            again = last is not None and last.target == target
            count = last.sweeps + swept if last is not None and again else 1
            if count < patience.moves:
                kept[node], moves[node] = home, Move(target, count)
    return Homes(kept, moves)


def _reaches(name: str, ancestor: str, parents: Mapping[str, str | None]) -> bool:
    """Whether it is the other one or stands somewhere below it."""
    seen: set[str] = set()
    at: str | None = name
    while at is not None and at not in seen:
        if at == ancestor:
            return True
        seen.add(at)
        at = parents.get(at)
    return False
