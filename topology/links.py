"""Links that were once up, and how each of them is now: the memory that health is judged from.

A cable that was cut is in no sweep any more, so health needs to know what there was. Links are known by their two ends
(GUID and port), not by names; what was judged last stays as long as nobody who could see the link has answered, because
missing is not gone and a sweep that failed heals nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple

from discovery.reports import DEGRADED, DOWN, FLAPPING, UP
from discovery.scan import spell_guid
from topology.graph import Graph
from topology.structure import Structure

NOT_SEEN = "NotSeen"
"""The reason of a link that an answering switch does not report any more."""

_RANK: Mapping[str, int] = {UP: 0, DEGRADED: 1, FLAPPING: 2, DOWN: 3}


class End(NamedTuple):
    """One end of a link: node GUID of the switch or adapter, and port. Zero is unknown. (Tuples: they exist by the
    hundred thousand and are looked up all the time.)"""

    guid: int
    port: int


NOWHERE = End(0, 0)
"""The far end of a link of which only the host's own record says that it was up."""


class Link(NamedTuple):
    """A cable: the host's or lower switch's end, then that of the switch above."""

    lower: End
    upper: End


class Verdict(NamedTuple):
    """One of the words of `discovery.reports`, and why."""

    word: str
    reason: str | None = None

    @property
    def unhealthy(self) -> bool:
        return self.word in (DOWN, FLAPPING, DEGRADED)


@dataclass(frozen=True, slots=True)
class PortState:
    """What the owner of a port (an agent, or the sweeper for a switch) says of it."""

    verdict: Verdict
    peer: End | None = None
    """Switch ports: what is, or was last, at the other end."""
    ever_up: bool = False
    """Host ports: there is a record that it was up once."""


@dataclass(frozen=True, slots=True)
class PortEvidence:
    """All ports of the switches that answered the newest sweep that counts, and of all NodeReports."""

    ports: Mapping[End, PortState]
    answered: AbstractSet[int]
    """GUIDs of the switches that answered."""
    switches: AbstractSet[int]
    """GUIDs of all switches that there are, those included that did not answer."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where ends belong: the level of a switch, the node of an adapter, and what operators call both."""

    level: Mapping[int, int]
    node: Mapping[int, str]
    label: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class KnownLinks:
    """Every link known to have been up, with its last verdict; and the node of every adapter that ever had one."""

    links: Mapping[Link, Verdict] = field(default_factory=dict)
    node: Mapping[int, str] = field(default_factory=dict)


def find_places(graph: Graph, structure: Structure) -> Places:
    """The places of all switches and adapters of a graph."""
    levels = structure.level.tolist()
    level, label = {}, {}
    for guid, index in switch_guids(graph).items():
        level[guid] = levels[index]
        label[guid] = graph.switches[index].name or spell_guid(guid) or "a switch"
    node: dict[int, str] = {}
    adapters = graph.adapters
    for guid, host, device in zip(adapters.guid.tolist(), adapters.host.tolist(), adapters.device, strict=True):
        name = graph.hosts[host].node
        if name is not None and guid:
            node[guid] = name
            label[guid] = f"{name} {device}" if device else name
    return Places(level, node, label)


def switch_guids(graph: Graph) -> dict[int, int]:
    """By node GUID of every ASIC its switch: one of several planes has an ASIC for each."""
    return {guid: index for index, switch in enumerate(graph.switches) for guid in switch.guids}


def judge_links(known: KnownLinks, evidence: PortEvidence, places: Places, nodes: AbstractSet[str]) -> KnownLinks:
    """The links known from now on, each with its verdict. `nodes`: the cluster's; links of others are forgotten.

    Forgotten are also links whose switch has no report any more, and lost ones of which an end has a new cable.
    """
    node = {**known.node, **places.node}
    node = {guid: name for guid, name in node.items() if name in nodes}
    seen = set(_seen(evidence, places.level, node))
    seen.update(_only_hosts_know(evidence, node, {link.lower for link in (*seen, *known.links)}))
    judged: dict[Link, Verdict] = {}
    for link in seen.union(known.links):
        there = all(
            guid in node or guid in evidence.switches or not guid for guid in (link.lower.guid, link.upper.guid)
        )
        if there:
            judged[link] = _verdict(link, evidence) or known.links.get(link) or Verdict(UP)
    taken = {end for link, verdict in judged.items() if verdict.word != DOWN for end in link}
    links = {
        link: verdict
        for link, verdict in judged.items()
        if verdict.word != DOWN or not (taken.intersection(link) or _replaced(link, evidence))
    }
    return KnownLinks(links, node)


def _replaced(link: Link, evidence: PortEvidence) -> bool:
    """Whether an end tells of another cable, which may be nobody's own link."""
    for end, other in ((link.lower, link.upper), (link.upper, link.lower)):
        state = evidence.ports.get(end) if end.guid in evidence.answered else None
        if state is not None and state.peer is not None and not _same(state.peer, other):
            return True
    return False


def _seen(evidence: PortEvidence, level: Mapping[int, int], node: Mapping[int, str]) -> Iterator[Link]:
    """Links of nodes and uplinks that answering switches report; cables within a level are nobody's own links."""
    for end, state in evidence.ports.items():
        peer = state.peer
        if end.guid not in evidence.answered or peer is None or not peer.guid:
            continue
        if peer.guid in node:
            yield Link(peer, end)
        elif level.get(end.guid, -1) < 0 or level.get(peer.guid, -1) < 0:
            continue
        elif level[end.guid] < level[peer.guid]:
            yield Link(end, peer)
        elif level[end.guid] > level[peer.guid]:
            yield Link(peer, end)


def _only_hosts_know(evidence: PortEvidence, node: Mapping[int, str], told: AbstractSet[End]) -> Iterator[Link]:
    """A host port that was up once and is down, at whatever switch it was."""
    for end, state in evidence.ports.items():
        if end.guid in node and end not in told and state.ever_up and state.verdict.word == DOWN:
            yield Link(end, NOWHERE)


def _verdict(link: Link, evidence: PortEvidence) -> Verdict | None:
    """The worst that an end with an answer says; None where no end has one.

    A link stands when one end reports it, whatever the other end has in its place.
    """
    said: list[Verdict] = []
    unseen: list[Verdict] = []
    reported = False
    for end, other in ((link.lower, link.upper), (link.upper, link.lower)):
        state = evidence.ports.get(end)
        if end.guid not in evidence.answered:
            if state is not None and state.verdict.word in _RANK:
                said.append(state.verdict)
        elif state is not None and state.peer is not None and _same(state.peer, other):
            reported = True
            said.append(state.verdict if state.verdict.word in _RANK else Verdict(UP))
        else:
            unseen.append(Verdict(DOWN, (state.verdict.reason if state is not None else None) or NOT_SEEN))
    return max(said if reported else said + unseen, key=lambda verdict: _RANK[verdict.word], default=None)


def _same(one: End, other: End) -> bool:
    """Whether the two can be one end; an unknown port may be any."""
    return one.guid == other.guid and (one.port == other.port or not one.port or not other.port)


def write_lost(links: Iterable[Link], node: Mapping[int, str], limit: int) -> str:
    """Lost links as text (an annotation), so that a restart forgets none: at most `limit`, sorted, uplinks first.

    Nodes stay in place without them; how domains hang together is seen by the uplinks alone.
    """
    texts = [
        f"{node.get(lower.guid, '')}@{lower.guid:016x}/{lower.port}-{upper.guid:016x}/{upper.port}"
        for lower, upper in links
    ]
    return " ".join(sorted(texts, key=lambda text: (not text.startswith("@"), text))[:limit])


def read_lost(text: str) -> KnownLinks:
    """The reverse of `write_lost`; what is not of that form is passed over."""
    links: dict[Link, Verdict] = {}
    node: dict[int, str] = {}
    for word in text.split():
        name, _, ends = word.partition("@")
        try:
            lower, upper = (_read_end(end) for end in ends.split("-"))
        except ValueError:
            continue
        links[Link(lower, upper)] = Verdict(DOWN, NOT_SEEN)
        if name:
            node[lower.guid] = name
    return KnownLinks(links, node)


def _read_end(text: str) -> End:
    guid, _, port = text.partition("/")
    return End(int(guid, 16), int(port))


def together(parts: Sequence[KnownLinks]) -> KnownLinks:
    """All that is known by any of them; the last one's word counts."""
    links = {link: verdict for part in parts for link, verdict in part.links.items()}
    return KnownLinks(links, {guid: name for part in parts for guid, name in part.node.items()})
