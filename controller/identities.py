"""Who is who: the names by which a Node goes, and which node holds a port that several reports claim."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from controller.evidence import number_of
from kube.types import Node, NodeReportObject
from topology.cluster import Claim

HOSTNAME_LABEL = "kubernetes.io/hostname"
_HOSTNAME_ADDRESS = "Hostname"


@dataclass(frozen=True, slots=True)
class PortClaims:
    """By port GUID."""

    holder: Mapping[int, str]
    contested: Mapping[int, tuple[Claim, ...]]
    """Those that several nodes claim, all claims of each; the holder's comes first."""


def node_aliases(nodes: Iterable[Node]) -> dict[str, str | None]:
    """Names, hostname labels and Hostname addresses, lower case, each with its node; None where several have it."""
    aliases: dict[str, str | None] = {}
    for node in nodes:
        name = node.metadata.name
        label = node.metadata.labels.get(HOSTNAME_LABEL, "")
        addresses = [found.address for found in node.status.addresses if found.type == _HOSTNAME_ADDRESS]
        for alias in {text.lower() for text in (name, label, *addresses)} - {""}:
            aliases[alias] = name if aliases.get(alias, name) == name else None
    return aliases


def port_claims(reports: Iterable[NodeReportObject], names: frozenset[str], last: Mapping[int, str]) -> PortClaims:
    """Which node (one of `names`) has which port, by the reports.

    A port that several claim stays with the holder of the last look, else it is that of the oldest report.
    """
    claims = [
        (number_of(port.portGuid), report.metadata.name, port)
        for report in sorted((report for report in reports if report.metadata.name in names), key=_age)
        for port in report.spec.ports
    ]
    holder: dict[int, str] = {}
    rivals: set[int] = set()
    for guid, node, _ in claims:
        if guid and holder.setdefault(guid, node) != node:
            rivals.add(guid)
    contested: dict[int, list[Claim]] = defaultdict(list)
    for guid, node, port in claims:
        if guid in rivals:
            contested[guid].append(Claim(node, number_of(port.nodeGuid), port.port))
    ordered = {guid: _holder_first(found, last.get(guid)) for guid, found in contested.items()}
    holder.update((guid, found[0].node) for guid, found in ordered.items())
    return PortClaims(holder, ordered)


def _holder_first(claims: Sequence[Claim], last: str | None) -> tuple[Claim, ...]:
    return tuple(sorted(claims, key=lambda claim: claim.node != last))


def _age(report: NodeReportObject) -> tuple[float, str]:
    created = report.metadata.creation_timestamp
    return (created.timestamp() if created else 0.0, report.metadata.name)
