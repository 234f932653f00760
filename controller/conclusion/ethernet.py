"""The Ethernet fabrics of a look: what nodes hear by LLDP and sweepers read of switches, as a SwitchReport each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from controller.conclusion.cabling import NO_ETHERNET, Ethernet
from controller.conclusion.evidence import missing_switches, number_of
from controller.conclusion.keeping import Keeper
from controller.conclusion.memory import Memory, is_stale
from controller.conclusion.reading import Adapter, adapter_of
from controller.conclusion.rounds import NODES, Rounds, next_round
from controller.settings import ControllerSettings
from controller.snapshot import Snapshot, sweeper_of
from discovery.ethernet import Attached, OwnSwitch, Told, read_attached, read_switch, tell
from discovery.reports import SwitchReport, is_ethernet
from kube.types import NodeReportObject, SwitchReportObject

Refused = AbstractSet[tuple[str, Adapter]]
"""Claims on ports of others, by the node that makes them."""


@dataclass(frozen=True, slots=True)
class _Own:
    """What one switch says, and who wrote it down."""

    switch: OwnSwitch
    sweeper: str


@dataclass(frozen=True, slots=True, eq=False)
class Heard:
    """What all nodes hear, and the rounds of their reports."""

    nodes: tuple[Attached, ...]
    silent: frozenset[str]
    """Nodes whose reports are old."""
    rounds: Rounds


def listen(keeper: Keeper, snapshot: Snapshot, memory: Memory, settings: ControllerSettings) -> Heard:
    """From a memory that has taken note of the snapshot."""
    plain = settings.plain_ethernet
    nodes = keeper.each("attached", _plain if plain else _rdma, snapshot.node_reports)
    hearing = keeper.made("hearing", _hearing, nodes)
    period = settings.times.report_period
    silent = frozenset(name for name in hearing if is_stale(memory, name, period))
    oldest = min((memory.heard[name].at for name in hearing - silent), default=None)
    return Heard(nodes, silent, next_round(memory.rounds, oldest, memory.at))


def find_ethernet(keeper: Keeper, snapshot: Snapshot, heard: Heard, refused: Refused) -> Ethernet:
    """Put all words together. What a node says of ports of others counts for nothing."""
    own = keeper.each("ethernet switches", _read_own, snapshot.switch_reports)
    swept = keeper.made("swept by ethernet", _there, own)
    missing = missing_switches(snapshot, 1) if swept else frozenset()
    last: Ethernet = keeper.value("ethernet") or NO_ETHERNET
    told = keeper.made("told", _Telling(keeper.value("told")), swept, heard.nodes, heard.silent, refused, missing)
    return keeper.made("ethernet", _Publishing(last), told, swept)


def hears_a_switch(nodes: Iterable[NodeReportObject], settings: ControllerSettings) -> bool:
    """Whether any node tells of one."""
    read = _plain if settings.plain_ethernet else _rdma
    return any(end.heard for report in nodes if report.spec.interfaces for end in read(report).ends)


def _hearing(nodes: Sequence[Attached]) -> frozenset[str]:
    return frozenset(found.node for found in nodes if any(end.heard for end in found.ends))


def _there(own: Sequence[_Own | None]) -> tuple[_Own, ...]:
    return tuple(found for found in own if found is not None)


def _read_own(report: SwitchReportObject) -> _Own | None:
    if not is_ethernet(report.spec):
        return None
    switch = read_switch(report.metadata.name, report.spec)
    return _Own(switch, sweeper_of(report)) if switch is not None else None


def _rdma(report: NodeReportObject) -> Attached:
    return read_attached(report.metadata.name, report.spec)


def _plain(report: NodeReportObject) -> Attached:
    return read_attached(report.metadata.name, report.spec, plain=True)


@dataclass(frozen=True, slots=True)
class _Telling:
    """Puts words together, going on from the `last` time."""

    last: Told | None

    def __call__(
        self,
        swept: Sequence[_Own],
        nodes: Sequence[Attached],
        silent: frozenset[str],
        refused: Refused,
        missing: frozenset[int],
    ) -> Told | None:
        if not swept and not any(node.ends for node in nodes):
            return None
        return tell(
            [_believed(node, silent, refused) for node in nodes],
            [found.switch for found in swept],
            frozenset(found.switch.chassis for found in swept if number_of(found.switch.chassis) in missing),
            self.last,
        )


@dataclass(frozen=True, slots=True)
class _Publishing:
    """Who tells of each switch; a report that comes out as at the `last` look is the same object."""

    last: Ethernet

    def __call__(self, told: Told | None, swept: Sequence[_Own]) -> Ethernet:
        if told is None:
            return NO_ETHERNET
        sweepers = {found.switch.name: found.sweeper for found in swept}
        return Ethernet(
            {name: self._same(name, report) for name, report in told.reports.items()},
            {name: sweepers.get(name, NODES) for name in told.reports},
            frozenset(number_of(found) for found in told.named),
        )

    def _same(self, name: str, report: SwitchReport) -> SwitchReport:
        last = self.last.reports.get(name)
        return last if last is not None and (last is report or last == report) else report


def _believed(node: Attached, silent: frozenset[str], refused: Refused) -> Attached:
    """Without the ends that are others', and without what was heard long ago."""
    ends = node.ends
    if refused and any(liar == node.node for liar, _ in refused):
        ends = tuple(end for end in ends if (node.node, adapter_of(end)) not in refused)
    if node.node in silent:
        ends = tuple(replace(end, heard=()) for end in ends)
    return node if ends is node.ends else replace(node, ends=ends)
