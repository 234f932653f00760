"""Who is who: the names by which a Node goes, and which node holds a port that several reports claim."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from controller.conclusion.reading import Adapter, Named, Owned
from topology.cluster import Claim


@dataclass(frozen=True, slots=True)
class PortClaims:
    """By GUID of an adapter or port, or what stands for the MAC of one."""

    holder: Mapping[int, str]
    contested: Mapping[int, tuple[Claim, ...]]
    """Those that several nodes claim, all claims of each; the holder's comes first."""
    refused: frozenset[tuple[str, Adapter]] = frozenset()
    """Claims that count for nothing, by the node that makes them: on what others have, or on what nobody is known to
    have had first."""
    settled: Mapping[int, str] = field(default_factory=dict)
    """The holders without those that are so by the age of their report alone: it does not say who had it first."""


def node_aliases(nodes: Iterable[Named]) -> dict[str, str | None]:
    """All names of the nodes, each with its node; None where several have it."""
    aliases: dict[str, str | None] = {}
    for found in nodes:
        for alias in found.names:
            aliases[alias] = found.node if aliases.get(alias, found.node) == found.node else None
    return aliases


def nodes_by_fabric(hosts: Iterable[Sequence[tuple[int, str]]], aliases: Mapping[str, str | None]) -> dict[int, str]:
    """By GUID of an adapter or port the Node that the fabric names there: what a host says of itself at the switch."""
    found: dict[int, str] = {}
    for at_switch in hosts:
        for guid, name in at_switch:
            node = aliases.get(name) or aliases.get(name.partition(".")[0])
            if node is not None:
                found[guid] = node
    return found


def port_claims(
    owned: Sequence[Owned], names: frozenset[str], last: Mapping[int, str], fabric: Mapping[int, str]
) -> PortClaims:
    """Which node (one of `names`) has which adapters and ports, by the reports.

    What several claim belongs to the one that the fabric names there, else it stays with the holder of the last look.
    Where neither is among them it is found by the oldest report, and judged by none of them.
    """
    ordered = sorted((found for found in owned if found.node in names), key=lambda found: (found.since, found.node))
    refused = {(found.node, adapter) for found in ordered for adapter in _those_of_others(found, fabric)}
    claimed: dict[int, str] = {}
    rivals: set[int] = set()
    for found in ordered:
        for adapter in found.adapters:
            for guid in adapter.identities:
                if claimed.setdefault(guid, found.node) != found.node:
                    rivals.add(guid)
    claims = _claims(ordered, rivals)
    contested = {guid: _first_come(of_one, (fabric.get(guid), last.get(guid))) for guid, of_one in claims.items()}
    holder = {guid: of_one[0].node for guid, of_one in contested.items()}
    open_ = {guid for guid, node in holder.items() if node not in (fabric.get(guid), last.get(guid))}
    if rivals:
        refused |= {(found.node, adapter) for found in ordered for adapter in _lost(found, holder, open_)}
    for found in ordered if refused else ():
        for adapter in found.adapters:
            if (found.node, adapter) not in refused:
                for guid in adapter.identities:
                    holder.setdefault(guid, found.node)
    if not refused:  # so nothing is contested
        holder = claimed
    refused |= {
        (found.node, adapter)
        for found in owned
        if found.node not in names
        for adapter in found.adapters
        if any(guid in holder for guid in adapter.identities)
    }
    settled = {guid: node for guid, node in holder.items() if guid not in open_} if open_ else holder
    return PortClaims(holder, _told_once(contested, ordered), frozenset(refused), settled)


def _lost(owned: Owned, holder: Mapping[int, str], open_: AbstractSet[int]) -> list[Adapter]:
    """The claims of a report on what others have, or nobody. `holder`: of what several claim."""
    return [
        adapter
        for adapter in owned.adapters
        if any(guid in open_ or holder.get(guid, owned.node) != owned.node for guid in adapter.identities)
    ]


def _told_once(contested: dict[int, tuple[Claim, ...]], owned: Sequence[Owned]) -> dict[int, tuple[Claim, ...]]:
    """Without the adapters, and the MACs, of which a port is told already."""
    told: set[int] = set()
    for found in owned if contested else ():
        for adapter in found.adapters:
            first, *others = adapter.identities or (0,)
            if first in contested:
                told.update(others)
    return {guid: claims for guid, claims in contested.items() if guid not in told}


def _those_of_others(owned: Owned, fabric: Mapping[int, str]) -> list[Adapter]:
    """The ports of a report that the fabric gives to another Node.

    Only of a node that the fabric names at all: where names and Nodes were exchanged, reports alone know whose is what.
    """
    said = [fabric.get(adapter.port_guid) or fabric.get(adapter.guid) for adapter in owned.adapters]
    if owned.node not in said or all(node in (None, owned.node) for node in said):
        return []
    return [adapter for adapter, node in zip(owned.adapters, said, strict=True) if node not in (None, owned.node)]


def without_refused(owned: tuple[Owned, ...], claims: PortClaims) -> tuple[Owned, ...]:
    """The reports without the ports that others hold: what they say of these counts for nothing."""
    liars = {node for node, _ in claims.refused}
    return tuple(
        replace(found, adapters=tuple(one for one in found.adapters if (found.node, one) not in claims.refused))
        if found.node in liars
        else found
        for found in owned
    )


def _claims(owned: Sequence[Owned], rivals: set[int]) -> dict[int, list[Claim]]:
    claims: dict[int, list[Claim]] = defaultdict(list)
    for found in owned if rivals else ():
        for adapter in found.adapters:
            for guid in rivals.intersection(adapter.identities):
                claims[guid].append(Claim(found.node, adapter.guid, adapter.port))
    return claims


def _first_come(claims: Sequence[Claim], preferred: tuple[str | None, ...]) -> tuple[Claim, ...]:
    """Those of the preferred nodes first, in that order; else as they come."""
    return tuple(sorted(claims, key=lambda claim: [claim.node != node for node in preferred]))
