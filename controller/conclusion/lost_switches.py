"""Many links lost at one switch are one loss: it is told once, at the switch, and not by every HyperNode below."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from controller.conclusion.standing import LOST_LINKS
from topology.documents import Document
from topology.health import Health
from topology.links import KnownLinks, Link, read_lost

FEWEST = 3
"""Fewer links lost at once are told one by one."""
SHARE = 0.5
"""Of the switch's links, at least."""


@dataclass(frozen=True, slots=True)
class LostSwitch:
    """One switch that lost many links since the last look."""

    guid: int
    links: int
    hyper_nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Losses:
    """All of them, and the HyperNodes that lost nothing else."""

    switches: tuple[LostSwitch, ...] = ()
    explained: frozenset[str] = frozenset()


def find_losses(health: Health, known: KnownLinks, standing: Sequence[Document]) -> Losses:
    """Links that are lost now and were not when the annotations were written, by the switch that they share."""
    before = {document.name: read_lost(dict(document.annotations).get(LOST_LINKS, "")).links for document in standing}
    fresh: Mapping[str, list[Link]] = {
        name: lost
        for name, judged in health.hyper_nodes.items()
        if (lost := [link for link in judged.lost if link not in before.get(name, {})])
    }
    if not fresh:
        return Losses()
    ends = {end.guid for links in fresh.values() for link in links for end in link if end.guid not in known.node}
    at = known.at
    owned = {guid: len(at.get(guid, ())) for guid in ends if guid}
    found: dict[int, list[tuple[str, Link]]] = defaultdict(list)
    for name, links in fresh.items():
        for link in links:
            for end in link:
                if end.guid in owned:
                    found[end.guid].append((name, link))
    switches = tuple(
        LostSwitch(guid, len(losses), tuple(sorted({name for name, _ in losses})))
        for guid, losses in sorted(found.items())
        if len(losses) >= FEWEST and len(losses) >= SHARE * owned[guid]
    )
    guids = {switch.guid for switch in switches}
    explained = frozenset(
        name for name, links in fresh.items() if all(guids & {link.lower.guid, link.upper.guid} for link in links)
    )
    return Losses(switches, explained)
