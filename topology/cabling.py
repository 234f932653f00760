"""Known cabling: every cable that the tree is concluded from, whether today's evidence shows it or not.

Absence is no removal: a cable that no switch reports any more, and a switch whose report vanished, count on as they
were last told. A cable is given up when one of its ends was seen with another cable in enough whole sweeps in a row,
when its switch has left the graph, or when the Node of its host is gone. What nothing known contradicts counts at once.
Where anybody at an end of a cable can say whatever he likes, as by LLDP, a known cable that is told of still does not
give way at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from discovery.reports import SwitchReport, is_ethernet
from topology.publishing import Publishing, by_sweeper, rewritten, tells_of
from topology.rivals import Cable, Rivals, Words
from topology.sweeps import Sweeps
from topology.told import Told, same_wiring, words_of


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
    """The last report of every switch by object name, what else is known of cables, and doubts about new ones."""

    switches: Mapping[str, Told] = field(default_factory=dict)
    otherwise: Mapping[Cable, Words] = field(default_factory=dict)
    """Known cables that these reports tell of not at all, or in other words."""
    unbelieved: AbstractSet[Cable] = frozenset()
    """Cables of these reports that are not known."""
    doubts: Mapping[Cable, Mapping[str, int]] = field(default_factory=dict)
    """New cables that contradict known ones, with the whole sweeps that there were before each was first seen."""

    @staticmethod
    def of(
        switches: Mapping[str, Told], cables: Mapping[Cable, Words], doubts: Mapping[Cable, Mapping[str, int]]
    ) -> KnownCabling:
        """Hold of the cables only what the reports do not say themselves: that is very little."""
        told = words_of(switches.values())
        otherwise = {cable: words for cable, words in cables.items() if told.get(cable) != words}
        return KnownCabling(switches, otherwise, frozenset(told.keys() - cables.keys()), doubts)

    @property
    def cables(self) -> dict[Cable, Words]:
        """All known cables, each with who tells of it, or told last. Every report is read for it."""
        cables = words_of(self.switches.values())
        for cable in self.unbelieved:
            del cables[cable]
        cables.update(self.otherwise)
        return cables


@dataclass(frozen=True, slots=True, eq=False)
class Cabling:
    """What is known from now on, and the SwitchReports of all sweepers that say so."""

    known: KnownCabling
    today: Today
    published: Mapping[str, SwitchReport]
    """By object name: the known cabling."""
    held: Mapping[str, tuple[SwitchReport, ...]]
    """By sweeper: the same."""
    shown: Mapping[str, tuple[SwitchReport, ...]]
    """The same with every contradiction taken at its word."""


def know(known: KnownCabling, today: Today, sweeps: Sweeps, last: Cabling | None = None) -> Cabling:
    """One look. A known cable gives way when enough whole sweeps contradict it.

    With the `last` one its reports are kept where they make the same graph, and only changed reports are read if that
    is enough.
    """
    again = _go_on(last, today) if last is not None and last.known is known else None
    return again or _know(known, today, sweeps)


def _know(known: KnownCabling, today: Today, sweeps: Sweeps) -> Cabling:
    before = known.cables
    seen = _without(today.left, words_of(found for found in today.told.values() if found.guid not in today.silent))
    lost = {cable: words for cable, words in before.items() if cable not in seen}
    lost = _without(today.left | today.departed, lost)
    weighing = _Weighing(before, seen, lost, _heard_alone(today))
    doubts, contested = weighing.weigh(known.doubts, sweeps)
    standing = {cable: words for cable, words in seen.items() if cable not in doubts} if doubts else dict(seen)
    standing.update(lost)
    standing.update(_last_words(before, today, seen))
    waiting = {} if sweeps.new else {cable: since for cable, since in known.doubts.items() if cable not in seen}
    switches = {**today.told, **_vanished(known, today, standing)}
    result = KnownCabling.of(switches, standing, {**waiting, **doubts})
    doubtful = today.silent | {guid for cable in doubts for guid, _ in seen[cable]}
    publishing = Publishing(switches, today.told.keys(), seen, doubtful, today.left)
    published = publishing.reports(standing)
    held = by_sweeper(switches, published)
    if not doubts:
        return Cabling(result, today, published, held, held)
    shown = {cable: words for cable, words in standing.items() if cable in seen or cable not in contested}
    told = publishing.reports({**shown, **{cable: seen[cable] for cable in doubts}})
    return Cabling(result, today, published, held, by_sweeper(switches, told))


def _without(guids: AbstractSet[int], cables: dict[Cable, Words]) -> dict[Cable, Words]:
    if not guids:
        return cables
    return {
        cable: words for cable, words in cables.items() if cable.one.guid not in guids and cable.other.guid not in guids
    }


def _heard_alone(today: Today) -> set[int]:
    """Switches of which LLDP tells alone: neighbours say there themselves who they are."""
    return {found.guid for found in today.told.values() if is_ethernet(found.report)}


@dataclass(frozen=True, slots=True)
class _Weighing:
    """New cables against known ones. What has to give way leaves `lost`."""

    known: Mapping[Cable, Words]
    seen: Mapping[Cable, Words]
    lost: dict[Cable, Words]
    heard: AbstractSet[int]
    """Switches that know of their neighbours what these say."""

    def weigh(
        self, before: Mapping[Cable, Mapping[str, int]], sweeps: Sweeps
    ) -> tuple[dict[Cable, Mapping[str, int]], set[Cable]]:
        """Those in doubt, and what they contradict."""
        doubts: dict[Cable, Mapping[str, int]] = {}
        contested: set[Cable] = set()
        if not self.known:  # the first look
            return doubts, contested
        fresh = {cable: words for cable, words in self.seen.items() if cable not in self.known}
        rivals = Rivals.of(self.known if fresh else {})
        for cable, words in fresh.items():
            against = {rival for rival in rivals.against(cable, words) if rival in self.lost or rival in self.seen}
            since = before.get(cable, sweeps.before)
            if against and (not sweeps.agree(since) or self._stand(against)):
                doubts[cable] = since
                contested |= against
                continue
            for former in against | rivals.same(cable):
                self.lost.pop(former, None)
        return doubts, contested

    def _stand(self, rivals: Iterable[Cable]) -> bool:
        """Whether one of them is told of still, where a newer word proves nothing."""
        return any(guid in self.heard for rival in rivals for guid, _ in self.seen.get(rival, ()))


def _last_words(known: Mapping[Cable, Words], today: Today, seen: Mapping[Cable, Words]) -> dict[Cable, Words]:
    """Cables of which only a silent switch tells: news only where nothing else is said of their ends."""
    gone = today.left | today.departed
    words = _without(gone, words_of(found for found in today.told.values() if found.guid in today.silent))
    words = {cable: words[cable] for cable in words if cable not in known and cable not in seen}
    rivals = Rivals.of({**known, **seen} if words else {})
    return {cable: word for cable, word in words.items() if not (rivals.against(cable, word) or rivals.same(cable))}


def _vanished(known: KnownCabling, today: Today, standing: Mapping[Cable, Words]) -> dict[str, Told]:
    """Switches without a report, as they were last told, while they have a cable."""
    there = {found.guid for found in today.told.values()} | today.left
    vanished = {
        name: found for name, found in known.switches.items() if name not in today.told and found.guid not in there
    }
    cabled = {end.guid for cable in standing for end in cable} if vanished else set[int]()
    return {name: found for name, found in vanished.items() if found.guid in cabled}


def _go_on(last: Cabling, today: Today) -> Cabling | None:
    """The look after `last`, when some reports changed and all that is known of cables is known still; else None."""
    before, known = last.today, last.known
    settled = not (known.doubts or known.unbelieved) and last.shown is last.held
    alike = (before.silent, before.left, before.departed) == (today.silent, today.left, today.departed)
    if not (settled and alike and before.told.keys() == today.told.keys()):
        return None
    changed = [name for name, found in today.told.items() if found is not before.told[name]]
    if not changed:
        return replace(last, today=today)
    changes = _Changes(last, today, changed)
    otherwise = changes.otherwise()
    if otherwise is None or not changes.publish_the_same(otherwise):
        return None
    result = replace(known, switches={**known.switches, **today.told}, otherwise=otherwise)
    return replace(last, known=result, today=today)


@dataclass(frozen=True, slots=True)
class _Changes:
    """Some reports that changed since the last look."""

    last: Cabling
    today: Today
    names: list[str]

    def otherwise(self) -> dict[Cable, Words] | None:
        """What is known beside the reports from now on; None where that takes a look at all of them."""
        cables = self._cables()
        ends = {end.guid for cable in cables for end in cable}
        apart = self.today.silent | self.today.left | self.today.departed
        apart |= {found.guid for name, found in self.last.known.switches.items() if name not in self.today.told}
        same = all(
            (was.guid, was.sweeper) == (now.guid, now.sweeper) and was.guid not in apart
            for was, now in ((self.last.today.told[name], self.today.told[name]) for name in self.names)
        )
        if not same or not ends.isdisjoint(apart):
            return None
        before = words_of(found for found in self.last.today.told.values() if found.guid in ends)
        now = words_of(found for found in self.today.told.values() if found.guid in ends)
        otherwise = dict(self.last.known.otherwise)
        for cable in cables:
            if cable in now and cable not in before and cable not in otherwise:
                return None
            if cable in now:
                otherwise.pop(cable, None)
            elif cable in before:
                otherwise[cable] = before[cable]
        return otherwise

    def _cables(self) -> set[Cable]:
        """Those of which a changed report tells otherwise than before."""
        cables: set[Cable] = set()
        for name in self.names:
            was, now = dict(self.last.today.told[name].cables), dict(self.today.told[name].cables)
            cables |= {cable for cable in was.keys() | now.keys() if was.get(cable) != now.get(cable)}
        return cables

    def publish_the_same(self, otherwise: Mapping[Cable, Words]) -> bool:
        """Whether the reports that are concluded from make the same graph as at the last look."""
        former = self.last.known.otherwise
        moved = otherwise.keys() ^ former.keys()
        guids = {guid for cable in moved for guid, _ in otherwise.get(cable) or former[cable]}
        near = {name: found for name, found in self.today.told.items() if name in self.names or found.guid in guids}
        seen = {cable for found in near.values() for cable, _ in found.cables}
        return all(
            same_wiring(self._published(found, seen, otherwise), self.last.published[name])
            for name, found in near.items()
        )

    def _published(self, found: Told, seen: AbstractSet[Cable], otherwise: Mapping[Cable, Words]) -> SwitchReport:
        unseen = [
            port for cable in sorted(otherwise.keys() - seen) for guid, port in otherwise[cable] if guid == found.guid
        ]
        if not unseen and not tells_of(found, self.today.left):
            return found.report
        return rewritten(found, seen | otherwise.keys(), unseen)
