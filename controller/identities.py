"""Who is who: the names by which a Node goes, and which node holds a port that several reports claim."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from controller.reading import Named, Owned
from topology.cluster import Claim


@dataclass(frozen=True, slots=True)
class PortClaims:
    """By port GUID."""

    holder: Mapping[int, str]
    contested: Mapping[int, tuple[Claim, ...]]
    """Those that several nodes claim, all claims of each; the holder's comes first."""


def node_aliases(nodes: Iterable[Named]) -> dict[str, str | None]:
    """All names of the nodes, each with its node; None where several have it."""
    aliases: dict[str, str | None] = {}
    for found in nodes:
        for alias in found.names:
            aliases[alias] = found.node if aliases.get(alias, found.node) == found.node else None
    return aliases


def port_claims(owned: Iterable[Owned], names: frozenset[str], last: Mapping[int, str]) -> PortClaims:
    """Which node (one of `names`) has which port, by the reports.

    A port that several claim stays with the holder of the last look, else it is that of the oldest report.
    """
    ordered = sorted((found for found in owned if found.node in names), key=lambda found: (found.since, found.node))
    holder: dict[int, str] = {}
    rivals: set[int] = set()
    for found in ordered:
        for _, guid, _, _ in found.adapters:
            if guid and holder.setdefault(guid, found.node) != found.node:
                rivals.add(guid)
    contested = {guid: _holder_first(claims, last.get(guid)) for guid, claims in _claims(ordered, rivals).items()}
    holder.update((guid, claims[0].node) for guid, claims in contested.items())
    return PortClaims(holder, contested)


def _claims(owned: Sequence[Owned], rivals: set[int]) -> dict[int, list[Claim]]:
    claims: dict[int, list[Claim]] = defaultdict(list)
    for found in owned if rivals else ():
        for adapter in found.adapters:
            if adapter.port_guid in rivals:
                claims[adapter.port_guid].append(Claim(found.node, adapter.guid, adapter.port))
    return claims


def _holder_first(claims: Sequence[Claim], last: str | None) -> tuple[Claim, ...]:
    return tuple(sorted(claims, key=lambda claim: claim.node != last))
