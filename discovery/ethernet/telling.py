"""One SwitchReport a switch from what all nodes and switches say; where little changed, from what is near the changes.

A report depends on the switch's own words, on those of whoever tells of it, and on who owns the MACs that it hears. So
when a few nodes and switches say something new, only the switches that they tell of, or told of, are written anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from discovery.ethernet.attachments import Attached
from discovery.ethernet.hearing import Evidence, Seen
from discovery.ethernet.owners import At
from discovery.ethernet.switches import OwnSwitch
from discovery.identity import ChassisId
from discovery.reports import SwitchReport

FEW = 0.1
"""Where more than this share of the nodes or switches changed, all is told anew."""


@dataclass(frozen=True, slots=True)
class Mentions:
    """Whom a switch hears."""

    switches: frozenset[ChassisId]
    nodes: frozenset[str]
    doubtful: bool
    """Several switches at one port."""


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What all of them say. `reports`: by object name, also of switches that only others tell of."""

    reports: Mapping[str, SwitchReport]
    named: frozenset[ChassisId]
    """Switches that a node or another switch tells of today."""
    evidence: Evidence = field(repr=False)
    mentions: Mapping[ChassisId, Mentions] = field(repr=False)
    missing: AbstractSet[str] = frozenset()


def tell(
    nodes: Sequence[Attached],
    switches: Iterable[OwnSwitch],
    missing: AbstractSet[str] = frozenset(),
    last: Told | None = None,
) -> Told:
    """`nodes` with the one first that has a MAC which several claim; of several reports of one switch the first by name
    counts. `missing`: chassis ids of switches that no sweep reaches any more. `last` only spares work.
    """
    switches = tuple(switches)
    again = _go_on(last, nodes, switches) if last is not None and not (missing or last.missing) else None
    if again is not None:
        return again
    evidence = Evidence.of(nodes, switches)
    seen = evidence.see(evidence.own)
    words = evidence.words(nodes, seen, missing)
    return Told(words.reports(evidence.own), frozenset(words.named), evidence, _mentions(seen), missing)


def _mentions(seen: Mapping[At, Seen]) -> dict[ChassisId, Mentions]:
    switches: dict[ChassisId, set[ChassisId]] = defaultdict(set)
    nodes: dict[ChassisId, set[str]] = defaultdict(set)
    doubtful: set[ChassisId] = set()
    for (chassis, _), found in seen.items():
        switches[chassis].update(far for far, _ in found.switches)
        nodes[chassis].update(place.node for places in found.places for place in places)
        if len(found.switches) > 1:
            doubtful.add(chassis)
    return {
        chassis: Mentions(frozenset(switches[chassis]), frozenset(nodes[chassis]), chassis in doubtful)
        for chassis in switches.keys() | nodes.keys()
    }


def _go_on(last: Told, nodes: Sequence[Attached], switches: Sequence[OwnSwitch]) -> Told | None:
    """The same from the last telling; None where that takes a look at all of it."""
    before = last.evidence
    new_nodes = [node for node in nodes if before.nodes.get(node.node) is not node]
    new_switches = [switch for switch in switches if before.own.get(switch.chassis) is not switch]
    if not _little_changed(before, (nodes, switches), (new_nodes, new_switches)):
        return None
    now = before.with_news(new_nodes, new_switches)
    region = _Region(last, now, [node.node for node in new_nodes], [switch.chassis for switch in new_switches])
    return region.tell()


def _little_changed(
    before: Evidence,
    there: tuple[Sequence[Attached], Sequence[OwnSwitch]],
    news: tuple[Sequence[Attached], Sequence[OwnSwitch]],
) -> bool:
    """Whether the same nodes and switches are there, known by the same names and MACs, and few say something new."""
    nodes, switches = there
    same = len(nodes) == len(before.nodes) and len(switches) == len(before.own)
    few = len(news[0]) <= max(1.0, FEW * len(nodes)) and len(news[1]) <= max(1.0, FEW * len(switches))
    return (
        same
        and few
        and all(node.node in before.nodes and before.nodes[node.node].identity == node.identity for node in news[0])
        and all(switch.chassis in before.own and before.own[switch.chassis].name == switch.name for switch in news[1])
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Region:
    """What is near the nodes and switches that say something new."""

    last: Told
    now: Evidence
    nodes: Sequence[str]
    switches: Sequence[ChassisId]

    def tell(self) -> Told | None:
        news = _mentions(self.now.see(self.switches))
        mentions = {**self.last.mentions, **dict.fromkeys(self.switches, _NOBODY), **news}
        hearing = _by_switch(self.now.nodes.values())
        mentioning, placing = _turned(mentions)
        written = self._to_write(mentions, mentioning, placing)
        near = written & self.now.own.keys()
        listeners = set(self.nodes).union(*(hearing.get(chassis, ()) for chassis in written))
        heard = {chassis for name in listeners for chassis in _heard(self.now.nodes[name])}
        asked = near | heard.union(*(mentions[chassis].switches for chassis in near if chassis in mentions))
        asked |= {chassis for one in written for chassis in mentioning.get(one, ())}
        of_near = {name for chassis in near if chassis in mentions for name in mentions[chassis].nodes}
        asked |= {chassis for name in of_near for chassis in placing.get(name, ())}
        asked &= self.now.own.keys()
        if any(mentions[chassis].doubtful for chassis in asked if chassis in mentions):
            return None
        seen = self.now.see(sorted(asked, key=lambda chassis: self.now.own[chassis].name))
        words = self.now.words([self.now.nodes[name] for name in sorted(listeners)], seen, frozenset())
        reports = words.reports({chassis: self.now.own[chassis] for chassis in near}, only=written)
        kept = {name: report for name, report in self.last.reports.items() if report.chassisId not in written}
        named = (self.last.named - written) | (words.named & written)
        return Told(dict(sorted({**kept, **reports}.items())), frozenset(named), self.now, mentions)

    def _to_write(
        self,
        mentions: Mapping[ChassisId, Mentions],
        mentioning: Mapping[ChassisId, set[ChassisId]],
        placing: Mapping[str, set[ChassisId]],
    ) -> set[ChassisId]:
        """The switches of which the news tell, or told."""
        versions = [found[chassis] for found in (self.last.mentions, mentions) for chassis in self.switches
                    if chassis in found]  # fmt: skip
        written = set(self.switches).union(*(version.switches for version in versions))
        for chassis in self.switches:
            written |= mentioning.get(chassis, set())
        for name in {*self.nodes, *(name for version in versions for name in version.nodes)}:
            written |= placing.get(name, set())
        for name in self.nodes:
            written |= _heard(self.now.nodes[name]) | _heard(self.last.evidence.nodes[name])
        return written


_NOBODY = Mentions(frozenset(), frozenset(), doubtful=False)


def _heard(node: Attached) -> set[ChassisId]:
    return {ChassisId(found.chassis) for end in node.ends for found in end.heard if found.chassis}


def _by_switch(nodes: Iterable[Attached]) -> dict[ChassisId, set[str]]:
    """By switch the nodes that hear it."""
    hearing: dict[ChassisId, set[str]] = defaultdict(set)
    for node in nodes:
        for chassis in _heard(node):
            hearing[chassis].add(node.node)
    return hearing


def _turned(
    mentions: Mapping[ChassisId, Mentions],
) -> tuple[dict[ChassisId, set[ChassisId]], dict[str, set[ChassisId]]]:
    """By switch, and by node, the switches that hear it."""
    switches: dict[ChassisId, set[ChassisId]] = defaultdict(set)
    nodes: dict[str, set[ChassisId]] = defaultdict(set)
    for chassis, found in mentions.items():
        for far in found.switches:
            switches[far].add(chassis)
        for name in found.nodes:
            nodes[name].add(chassis)
    return switches, nodes
