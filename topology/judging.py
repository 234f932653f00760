"""How every link that was once up is now, judged from what the ports at its two ends say.

What was judged last stays as long as nobody who could see the link has answered, because missing is not gone and a
sweep that failed heals nothing. Where the ground is the same as at the last look, only links near ports that changed
are judged anew; the others would come out as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from discovery.reports import DEGRADED, DOWN, FLAPPING, UP
from topology.doubles import best_known, upright
from topology.links import (
    BOND_LEG_DOWN,
    NOT_SEEN,
    NOWHERE,
    End,
    KnownLinks,
    Link,
    Places,
    PortEvidence,
    Verdict,
    by_guid,
)

_RANK: Mapping[str, int] = {UP: 0, DEGRADED: 1, FLAPPING: 2, DOWN: 3}
_UP = Verdict(UP)


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """What links are judged on beside the states of their ports."""

    places: Places
    nodes: AbstractSet[str]
    answered: AbstractSet[int]
    switches: AbstractSet[int]
    named: AbstractSet[int]

    def same(self, other: Ground) -> bool:
        """Whether the other one is known to be alike: the places must be the very same."""
        mine, its = ((one.nodes, one.answered, one.switches, one.named) for one in (self, other))
        return self.places is other.places and mine == its


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """One look at all links, and what the next one can go on from."""

    known: KnownLinks
    ground: Ground
    changed: frozenset[Link]
    """Those that are new, gone or otherwise since the look that this one went on from."""
    afresh: bool
    """It went on from none."""
    restless: frozenset[int]
    """GUIDs at which a link was forgotten: what else is there has to be looked at again."""


def judge_links(known: KnownLinks, evidence: PortEvidence, places: Places, nodes: AbstractSet[str]) -> KnownLinks:
    """The links known from now on, each with its verdict. `nodes`: the cluster's; links of others are forgotten.

    Forgotten are also links whose switch has no report any more, and lost ones of which an end has a new cable.
    """
    return judge(known, evidence, places, nodes).known


def judge(
    known: KnownLinks,
    evidence: PortEvidence,
    places: Places,
    nodes: AbstractSet[str],
    last: Judged | None = None,
    touched: AbstractSet[int] = frozenset(),
) -> Judged:
    """The same, going on from the last look. `touched`: GUIDs of which ports changed since then."""
    ground = Ground(places, nodes, evidence.answered, evidence.switches, evidence.named)
    if last is None or last.known is not known or not ground.same(last.ground):
        return _judge_all(known, evidence, ground)
    near = touched | last.restless
    former = {link for guid in near for link in known.at.get(guid, ())}
    base = _base(former, evidence, ground, known.node, near)
    beside = {
        link: known.links[link]
        for one in base
        for end in one
        for link in known.at.get(end.guid, ())
        if end in link and link not in base
    }
    judged = _verdicts(base, known, evidence, known.node) | beside
    kept = _kept(judged, evidence)
    changed = frozenset(link for link in judged if known.links.get(link) != kept.get(link))
    restless = frozenset(end.guid for link in judged if link not in kept for end in link)
    return Judged(_with(known, kept, changed), ground, changed, afresh=False, restless=restless)


def _judge_all(known: KnownLinks, evidence: PortEvidence, ground: Ground) -> Judged:
    node = {**known.node, **ground.places.node}
    node = {guid: name for guid, name in node.items() if name in ground.nodes}
    former, known = known, upright(known, ground.places.level)
    base = _base(known.links, evidence, ground, node, evidence.devices)
    judged = _verdicts(base, known, evidence, node)
    kept = _kept(judged, evidence)
    changed = frozenset(link for link in (*judged, *former.links) if former.links.get(link) != kept.get(link))
    restless = frozenset(end.guid for link in (*judged, *former.links) if link not in kept for end in link)
    return Judged(KnownLinks(kept, node, by_guid(kept)), ground, changed, afresh=True, restless=restless)


def _with(known: KnownLinks, kept: Mapping[Link, Verdict], changed: AbstractSet[Link]) -> KnownLinks:
    """The known links with those that changed as they are in `kept`."""
    if not changed:
        return known
    links = dict(known.links)
    for link in changed:
        verdict = kept.get(link)
        if verdict is None:
            del links[link]
        else:
            links[link] = verdict
    moved = [link for link in changed if link not in links or link not in known.links]
    if not moved:
        return KnownLinks(links, known.node, known.at)
    at = dict(known.at)
    for guid, of_one in by_guid(moved).items():
        there = {*known.at.get(guid, ()), *of_one}
        at[guid] = tuple(link for link in there if link in links)
    return KnownLinks(links, known.node, at)


def _base(
    former: Iterable[Link], evidence: PortEvidence, ground: Ground, node: Mapping[int, str], guids: Iterable[int]
) -> set[Link]:
    """The links at these devices: the former ones, and those that their ports show."""
    guids = [guid for guid in guids if guid in evidence.devices]
    base = set(former)
    for guid in guids:
        if guid in evidence.answered or guid in evidence.named:
            base.update(_seen(guid, evidence, ground.places.level, node))
    told = {link.lower for link in base}
    base.update(Link(end, NOWHERE) for end in _only_hosts_know(guids, evidence, node) if end not in told)
    return base


def _seen(guid: int, evidence: PortEvidence, level: Mapping[int, int], node: Mapping[int, str]) -> Iterator[Link]:
    """Links of nodes and uplinks at a switch that answers, or that others tell of. Cables within a level are nobody's
    own links."""
    own = level.get(guid, -1)
    for port, state in evidence.devices[guid].items():
        peer = state.peer
        if peer is None or not peer.guid:
            continue
        if peer.guid in node:
            yield Link(peer, End(guid, port))
            continue
        other = level.get(peer.guid, -1)
        if own < 0 or other < 0:
            continue
        if own < other:
            yield Link(End(guid, port), peer)
        elif own > other:
            yield Link(peer, End(guid, port))


def _only_hosts_know(guids: Iterable[int], evidence: PortEvidence, node: Mapping[int, str]) -> Iterator[End]:
    """Host ports that were up once and are down, at whatever switch they were."""
    for guid in guids:
        if guid in node:
            for port, state in evidence.devices[guid].items():
                if state.ever_up and state.verdict.word == DOWN:
                    yield End(guid, port)


def _verdicts(
    base: Iterable[Link], known: KnownLinks, evidence: PortEvidence, node: Mapping[int, str]
) -> dict[Link, Verdict]:
    """Of those links whose ends are there."""
    switches = evidence.switches
    return {
        link: _verdict(link, evidence) or known.links.get(link) or _UP
        for link in base
        if all(not guid or guid in node or guid in switches for guid in (link.lower.guid, link.upper.guid))
    }


def _kept(judged: Mapping[Link, Verdict], evidence: PortEvidence) -> dict[Link, Verdict]:
    """Without lost links of which an end has another cable, and without those that are known better as well."""
    if all(verdict.word != DOWN for verdict in judged.values()):
        return best_known(dict(judged))
    taken = {end for link, verdict in judged.items() if verdict.word != DOWN and NOWHERE not in link for end in link}
    return best_known(
        {
            link: verdict
            for link, verdict in judged.items()
            if verdict.word != DOWN or not (taken.intersection(link) or _replaced(link, evidence))
        }
    )


def _replaced(link: Link, evidence: PortEvidence) -> bool:
    """Whether an end tells of another cable, which may be nobody's own link."""
    for end, other in ((link.lower, link.upper), (link.upper, link.lower)):
        state = evidence.state(end) if end.guid in evidence.answered else None
        if state is not None and state.peer is not None and not _same(state.peer, other):
            return True
    return False


def _verdict(link: Link, evidence: PortEvidence) -> Verdict | None:
    """The worst that an end with an answer says; None where no end has one.

    A link stands when one end reports it, whatever the other end has in its place; of a bond that carries on by another
    one it is merely degraded. A port that has a link and does not know with whom (LLDP is silent) has not lost it.
    """
    said: list[Verdict] = []
    unseen: list[Verdict] = []
    reported = False
    for end, other in ((link.lower, link.upper), (link.upper, link.lower)):
        state = evidence.state(end)
        if end.guid not in evidence.answered:
            if state is not None and state.verdict.word in _RANK:
                said.append(state.verdict)
        elif state is not None and (state.silent or (state.peer is not None and _same(state.peer, other))):
            reported = True
            said.append(state.verdict if state.verdict.word in _RANK else _UP)
        else:
            unseen.append(Verdict(DOWN, (state.verdict.reason if state is not None else None) or NOT_SEEN))
    worst = max(said if reported else said + unseen, key=lambda verdict: _RANK[verdict.word], default=None)
    spared = evidence.state(link.lower)
    if worst is not None and worst.word == DOWN and spared is not None and spared.spared:
        return Verdict(DEGRADED, BOND_LEG_DOWN)
    return worst


def _same(one: End, other: End) -> bool:
    """Whether the two can be one end; an unknown port may be any."""
    return one.guid == other.guid and (one.port == other.port or not one.port or not other.port)
