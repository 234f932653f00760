"""Known cabling: every cable that the tree is concluded from, whether today's evidence shows it or not.

Absence is no removal: a cable that no switch reports any more, and a switch whose report vanished, count on as they
were last told. A cable is given up when one of its ends was seen with another cable in enough whole sweeps in a row,
when its switch has left the graph, or when the Node of its host is gone. What nothing known contradicts counts at once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

from discovery.identity import guid_number
from discovery.reports import HOST, SWITCH, Peer, SwitchPort, SwitchReport
from topology.links import End, Link, PortState, Verdict
from topology.rivals import Cable, Rivals, Words, cable_of
from topology.sweeps import Sweeps

number_of_identity = lru_cache(maxsize=1 << 18)(guid_number)
"""Reports spell every GUID anew, by the hundred thousand."""


@dataclass(frozen=True, slots=True)
class Told:
    """A SwitchReport, read."""

    sweeper: str
    guid: int
    report: SwitchReport
    ports: Mapping[End, PortState]
    cables: tuple[tuple[Cable, SwitchPort], ...]
    """Those that it tells of, each with the port that does."""


@dataclass(frozen=True, slots=True)
class Today:
    """The evidence of one look. `told`: by object name, without the switches that have left the graph."""

    told: Mapping[str, Told]
    silent: AbstractSet[int] = frozenset()
    """Switches that the last sweep missed: their reports are last words."""
    left: AbstractSet[int] = frozenset()
    """Switches that have left the graph, whoever still tells of them."""
    departed: AbstractSet[int] = frozenset()
    """Adapters whose Node is gone."""


@dataclass(frozen=True, slots=True)
class KnownCabling:
    """The last report of every switch by object name, the known cables, and new ones that contradict them."""

    switches: Mapping[str, Told] = field(default_factory=dict)
    cables: Mapping[Cable, Words] = field(default_factory=dict)
    doubts: Mapping[Cable, Mapping[str, int]] = field(default_factory=dict)
    """Each with the whole sweeps that there were before it was first seen."""


@dataclass(frozen=True, slots=True)
class Cabling:
    """What is known from now on, and the SwitchReports of all sweepers that say so."""

    known: KnownCabling
    held: Mapping[str, tuple[SwitchReport, ...]]
    """By sweeper: the known cabling."""
    shown: Mapping[str, tuple[SwitchReport, ...]]
    """The same with every contradiction taken at its word."""


def read_report(sweeper: str, report: SwitchReport) -> Told:
    """Cables of which an end has no identity are left to whoever reads the report."""
    guid = _number(report.guid or report.chassisId)
    cables, ports = [], {}
    for port in report.ports:
        end, peer = End(guid, port.number), port.peer
        far = End(_number(peer.guid or peer.chassisId), peer.port or 0) if peer is not None else None
        ports[end] = PortState(Verdict(port.verdict, port.reason), far)
        if guid and far is not None and far.guid:
            cables.append((cable_of(end, far), port))
    return Told(sweeper, guid, report, ports, tuple(cables))


def _number(identity: str | None) -> int:
    return number_of_identity(identity) if identity else 0


def remember(links: Iterable[Link], told: Mapping[str, Told], hosts: Mapping[End, Peer]) -> KnownCabling:
    """Lost links that outlived a restart, as known cables. `hosts`: ports of the nodes, as a switch would tell them.

    What a lost link was made of is not remembered: it is taken to be as most others at that switch, or anywhere.
    """
    switches = {found.guid: found.report for found in told.values()}
    usual = _usual(switches)
    cables: dict[Cable, Words] = {}
    for lower, upper in links:
        below = switches.get(lower.guid)
        peer = _as_peer(below, lower) if below is not None else hosts.get(lower)
        if upper.guid in switches and peer is not None:
            made = usual.get((upper.guid, peer.kind)) or usual.get((0, peer.kind)) or _Make()
            peer = replace(peer, deviceId=made.device) if peer.kind == HOST else peer
            port = SwitchPort(number=upper.port, width=made.width, speed=made.speed, peer=peer)
            cables[cable_of(lower, upper)] = ((upper.guid, port),)
    return KnownCabling(cables=cables)


class _Make(NamedTuple):
    """What a cable is made of, and the silicon at its far end."""

    width: int | None = None
    speed: str | None = None
    device: int | None = None


def _usual(switches: Mapping[int, SwitchReport]) -> dict[tuple[int, str], _Make]:
    """How most cables of a switch (0: of all of them) to one kind of peer are made."""
    counts: dict[tuple[int, str], Counter[_Make]] = defaultdict(Counter)
    for guid, report in switches.items():
        for port in report.ports:
            if port.peer is not None:
                made = _Make(port.width, port.speed, port.peer.deviceId)
                counts[guid, port.peer.kind][made] += 1
                counts[0, port.peer.kind][made] += 1
    return {key: count.most_common(1)[0][0] for key, count in counts.items()}


def _as_peer(report: SwitchReport, end: End) -> Peer:
    return Peer(
        kind=SWITCH,
        guid=report.guid,
        systemImageGuid=report.systemImageGuid,
        chassisId=report.chassisId,
        description=report.description,
        port=end.port,
        deviceId=report.deviceId,
    )


def know(known: KnownCabling, today: Today, sweeps: Sweeps) -> Cabling:
    """One look. A known cable gives way when enough whole sweeps contradict it."""
    seen = _without(today.left, _words(found for found in today.told.values() if found.guid not in today.silent))
    lost = {cable: words for cable, words in known.cables.items() if cable not in seen}
    lost = _without(today.left | today.departed, lost)
    doubts, contested = _weigh(known, seen, lost, sweeps)
    standing = {cable: words for cable, words in seen.items() if cable not in doubts} if doubts else dict(seen)
    standing.update(lost)
    standing.update(_last_words(known, today, seen))
    waiting = {} if sweeps.new else {cable: since for cable, since in known.doubts.items() if cable not in seen}
    switches = {**today.told, **_vanished(known, today, standing)}
    result = KnownCabling(switches, standing, {**waiting, **doubts})
    published = _Publishing(switches, today, seen, frozenset(guid for cable in doubts for guid, _ in seen[cable]))
    held = published.reports(standing)
    if not doubts:
        return Cabling(result, held, held)
    shown = {cable: words for cable, words in standing.items() if cable in seen or cable not in contested}
    return Cabling(result, held, published.reports({**shown, **{cable: seen[cable] for cable in doubts}}))


def _without(guids: AbstractSet[int], cables: dict[Cable, Words]) -> dict[Cable, Words]:
    if not guids:
        return cables
    return {
        cable: words for cable, words in cables.items() if cable.one.guid not in guids and cable.other.guid not in guids
    }


def _words(told: Iterable[Told]) -> dict[Cable, Words]:
    words: dict[Cable, Words] = {}
    for found in told:
        guid = found.guid
        for cable, port in found.cables:
            before = words.get(cable)
            words[cable] = ((guid, port),) if before is None else (*before, (guid, port))
    return words


def _weigh(
    known: KnownCabling, seen: Mapping[Cable, Words], lost: dict[Cable, Words], sweeps: Sweeps
) -> tuple[dict[Cable, Mapping[str, int]], set[Cable]]:
    """New cables against known ones: those in doubt, and what they contradict. What has to give way leaves `lost`."""
    doubts: dict[Cable, Mapping[str, int]] = {}
    contested: set[Cable] = set()
    fresh = {cable: words for cable, words in seen.items() if cable not in known.cables}
    rivals = Rivals.of(known.cables if fresh else {})
    for cable, words in fresh.items():
        against = {rival for rival in rivals.against(cable, words) if rival in lost or rival in seen}
        since = known.doubts.get(cable, sweeps.before)
        if against and not sweeps.agree(since):
            doubts[cable] = since
            contested |= against
            continue
        for former in against | rivals.same(cable):
            lost.pop(former, None)
    return doubts, contested


def _last_words(known: KnownCabling, today: Today, seen: Mapping[Cable, Words]) -> dict[Cable, Words]:
    """Cables of which only a silent switch tells: news only where nothing else is said of their ends."""
    words = _without(today.left, _words(found for found in today.told.values() if found.guid in today.silent))
    words = {cable: words[cable] for cable in words if cable not in known.cables and cable not in seen}
    rivals = Rivals.of({**known.cables, **seen} if words else {})
    return {cable: word for cable, word in words.items() if not (rivals.against(cable, word) or rivals.same(cable))}


def _vanished(known: KnownCabling, today: Today, standing: Mapping[Cable, Words]) -> dict[str, Told]:
    """Switches without a report, as they were last told, while they have a cable."""
    there = {found.guid for found in today.told.values()} | today.left
    vanished = {
        name: found for name, found in known.switches.items() if name not in today.told and found.guid not in there
    }
    cabled = {end.guid for cable in standing for end in cable} if vanished else set[int]()
    return {name: found for name, found in vanished.items() if found.guid in cabled}


@dataclass(frozen=True, slots=True)
class _Publishing:
    """Writes cables back into SwitchReports; a report of which every word counts stays as it is."""

    switches: Mapping[str, Told]
    today: Today
    seen: Mapping[Cable, Words]
    doubtful: AbstractSet[int]
    """Switches that tell of a cable in doubt."""

    def reports(self, cables: Mapping[Cable, Words]) -> dict[str, tuple[SwitchReport, ...]]:
        """By sweeper."""
        unseen: dict[int, list[SwitchPort]] = defaultdict(list)
        for cable in sorted(cables.keys() - self.seen.keys()):
            for guid, port in cables[cable]:
                unseen[guid].append(port)
        by_sweeper: dict[str, list[SwitchReport]] = defaultdict(list)
        for name, found in sorted(self.switches.items()):
            touched = found.guid in unseen or found.guid in self.doubtful or found.guid in self.today.silent
            touched = touched or self._tells_of_left(found)
            if touched or name not in self.today.told:
                by_sweeper[found.sweeper].append(_rewritten(found, cables, unseen.pop(found.guid, [])))
            else:
                by_sweeper[found.sweeper].append(found.report)
        return {sweeper: tuple(reports) for sweeper, reports in by_sweeper.items()}

    def _tells_of_left(self, told: Told) -> bool:
        left = self.today.left
        return bool(left) and any(end.guid in left for cable, _ in told.cables for end in cable)


def _rewritten(found: Told, cables: Mapping[Cable, Words], unseen: Iterable[SwitchPort]) -> SwitchReport:
    """The report with the known cables only, and those of them that it does not tell of itself any more."""
    unknown = {id(port) for cable, port in found.cables if cable not in cables}
    ports = [replace(port, peer=None) if id(port) in unknown else port for port in found.report.ports]
    taken = {port.number for port in ports if port.peer is not None}
    for port in unseen:
        if port.number not in taken:
            taken.add(port.number)
            ports.append(port)
    return replace(found.report, ports=tuple(ports))
