"""What happened to links lately: who was down for a reason, what was lost together, what came back only just.

A node that rests (it is not ready, or cordoned) or boots, and a switch that boots, flap neither then nor for what was
seen of them then. Many links lost at one switch are one loss. A link that came back is well only after a while.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from discovery.reports import DOWN
from topology.judging import Judged
from topology.links import KnownLinks, Link

_K = TypeVar("_K")

LASTS = 2700.0
"""Seconds after a boot in which what reports say of flapping is owed to it: it clears at the edge after half an hour,
and reports and sweeps come every five minutes."""
TOGETHER = 120.0
"""Seconds within which links are lost together: agents see it sooner or later than each other."""
FEWEST = 3
"""Fewer links lost together are told one by one."""
SHARE = 0.5
"""Of the switch's links, at least."""


@dataclass(frozen=True, slots=True)
class Outages:
    """All of it, by the clock of looks."""

    nodes: Mapping[str, float] = field(default_factory=dict)
    """When each node last rested or booted, if that is not long ago."""
    switches: Mapping[int, float] = field(default_factory=dict)
    """When each switch was last without an answer, or without many of its links."""
    told: Mapping[int, float] = field(default_factory=dict)
    """Those that lost many links together, and since when there was no more to tell of them."""
    lost: Mapping[Link, float] = field(default_factory=dict)
    """Links that were lost lately or are still, and when."""
    settling: Mapping[Link, float] = field(default_factory=dict)
    """Links that came back, in whatever state, and when they count as well."""


@dataclass(frozen=True, slots=True)
class Excused:
    """Nodes and switches (GUIDs) that do not flap."""

    nodes: frozenset[str] = frozenset()
    switches: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class LostSwitch:
    """One switch that lost many links together."""

    guid: int
    lost: tuple[Link, ...]


def excuse(last: Outages, nodes: Iterable[str], switches: Iterable[int], now: float) -> Outages:
    """These nodes rest or boot, these switches do not answer."""
    return replace(
        last,
        nodes={**_lately(last.nodes, now, LASTS), **dict.fromkeys(nodes, now)},
        switches={**_lately(last.switches, now, LASTS), **dict.fromkeys(switches, now)},
    )


def excused(outages: Outages) -> Excused:
    """Who does not flap now."""
    return Excused(frozenset(outages.nodes), frozenset(outages.switches))


def follow(
    last: Outages, before: KnownLinks, judged: Judged, now: float, hold: float
) -> tuple[Outages, tuple[LostSwitch, ...]]:
    """Take note of the links that changed; and the switches that this look finds to have lost many.

    `hold`: seconds that a link has to be up again before it is well; not where its end was booted.
    """
    known = judged.known
    lost = {link: at for link, at in last.lost.items() if now - at <= LASTS or _is_down(link, known)}
    settling = {link: at for link, at in last.settling.items() if at > now}
    for link in judged.changed:
        was, verdict = before.links.get(link), known.links.get(link)
        if verdict is not None and verdict.word != DOWN and was is not None and was.word == DOWN:
            if hold > 0 and not _is_excused(link, last, known):
                settling[link] = now + hold
        elif verdict is None:
            settling.pop(link, None)
            lost.pop(link, None)
        elif verdict.word == DOWN and (was is None or was.word != DOWN):
            settling.pop(link, None)
            lost[link] = now
    told, found = _lost_switches(last, lost, judged, now)
    switches = {**last.switches, **{guid: at for guid, at in told.items() if at == now}}
    return replace(last, switches=switches, told=told, lost=lost, settling=settling), found


def _lost_switches(
    last: Outages, lost: Mapping[Link, float], judged: Judged, now: float
) -> tuple[dict[int, float], tuple[LostSwitch, ...]]:
    """The switches that are told, and those among them that are new."""
    known = judged.known
    told = _lately(last.told, now, LASTS)
    told |= dict.fromkeys((guid for guid in told if _is_dark(guid, known)), now)
    if now not in lost.values():
        return told, ()
    together = [
        link
        for link, at in lost.items()
        if now - at <= TOGETHER and known.node.get(link.lower.guid, "") not in last.nodes
    ]
    ends = Counter(guid for link in together for guid in _switches(link, known))
    many = {guid for guid, count in ends.items() if count >= FEWEST and count >= SHARE * len(known.at.get(guid, ()))}
    new = sorted(many - told.keys())
    found = (
        LostSwitch(guid, tuple(sorted(link for link in together if guid in _switches(link, known)))) for guid in new
    )
    return told | dict.fromkeys(many, now), tuple(found)


def _is_down(link: Link, known: KnownLinks) -> bool:
    verdict = known.links.get(link)
    return verdict is not None and verdict.word == DOWN


def _is_dark(guid: int, known: KnownLinks) -> bool:
    """Whether a switch is without many of its links still."""
    at = known.at.get(guid, ())
    return sum(_is_down(link, known) for link in at) >= SHARE * len(at) > 0


def _switches(link: Link, known: KnownLinks) -> Iterator[int]:
    """The GUIDs of the switches at its ends."""
    return (end.guid for end in link if end.guid and end.guid not in known.node)


def _is_excused(link: Link, outages: Outages, known: KnownLinks) -> bool:
    if any(end.guid in outages.switches for end in link):
        return True
    return known.node.get(link.lower.guid, "") in outages.nodes


def _lately(when: Mapping[_K, float], now: float, lasts: float) -> dict[_K, float]:
    return {key: at for key, at in when.items() if now - at <= lasts}
