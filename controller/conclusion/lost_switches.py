"""Many links lost at one switch are one loss: it is told once, at the switch, not by every HyperNode and node below.

Neither is it told by each of them that its links are back.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from controller.conclusion.outages import LostSwitch, Outages
from topology.diagnosis import Diagnosis
from topology.links import Link


@dataclass(frozen=True, slots=True)
class Loss:
    """One switch that lost many links together."""

    guid: int
    links: int
    hyper_nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Losses:
    """Those that are new, and who lost nothing else lately than links at such a switch."""

    switches: tuple[Loss, ...] = ()
    hyper_nodes: frozenset[str] = frozenset()
    nodes: frozenset[str] = frozenset()


def find_losses(outages: Outages, found: Iterable[LostSwitch], diagnosis: Diagnosis) -> Losses:
    """By what was lost lately and is lost now, with whom it belongs to."""
    if not outages.told:
        return Losses()
    known = diagnosis.findings.known
    hyper_nodes, nodes = defaultdict[str, list[Link]](list), defaultdict[str, list[Link]](list)
    for link in outages.lost:
        hyper_nodes[diagnosis.owner(link) or ""].append(link)
        nodes[known.node.get(link.lower.guid, "")].append(link)
    return Losses(
        tuple(
            Loss(
                switch.guid,
                len(switch.lost),
                tuple(sorted({owner for link in switch.lost if (owner := diagnosis.owner(link))})),
            )
            for switch in found
        ),
        _explained(hyper_nodes, outages),
        _explained(nodes, outages),
    )


def _explained(lost: Mapping[str, list[Link]], outages: Outages) -> frozenset[str]:
    """Those all of whose lost links have an end at a switch that is told."""
    told = outages.told
    return frozenset(
        name
        for name, links in lost.items()
        if all(link.lower.guid in told or link.upper.guid in told for link in links)
    )
