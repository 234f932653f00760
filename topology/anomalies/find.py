"""All checks in one call, their findings in a stable order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from discovery.scan import spell_guid
from topology.anomalies.cabling import Cabling, join_cabling
from topology.anomalies.host_cables import find_missing_host_cables
from topology.anomalies.identity import find_duplicate_guids, find_duplicate_names, find_unclaimed_hosts
from topology.anomalies.rails import find_swapped_rails, vote_rails
from topology.anomalies.rates import find_degraded
from topology.anomalies.shape import find_islands, find_partial_scan, find_same_level_links, find_self_links
from topology.anomalies.slots import find_swapped_slots
from topology.anomalies.sources import find_contested_ports, find_disagreeing_sources
from topology.anomalies.strays import find_strays
from topology.anomalies.thin_leaves import find_thin_leaves
from topology.anomalies.trunks import SpineGroup, Trunks, count_trunks, find_missing_links, find_spine_groups
from topology.anomalies.units import find_missing_switches
from topology.anomalies.uplinks import find_asymmetric_uplinks
from topology.anomaly import Anomaly
from topology.cluster import Claim
from topology.graph import Graph
from topology.structure import Structure

SEVERITIES = ("error", "warning", "info")

ABSENCES = frozenset({"missing-link", "missing-switch", "asymmetric-uplinks", "island"})
"""What a sweep that did not reach everything makes up."""

UNSWEPT = 0.1
"""From this share of switches on that were only named by others, absences prove nothing (rules: a sweep that lost more
than a tenth of the switches is partial as a whole)."""

NONE_CONTESTED: Mapping[int, tuple[Claim, ...]] = MappingProxyType({})


def find_anomalies(
    graph: Graph, structure: Structure, contested: Mapping[int, tuple[Claim, ...]] = NONE_CONTESTED
) -> tuple[Anomaly, ...]:
    """Everything in the cabling that is wrong or worth knowing: errors first, then by kind and by name.

    `contested`: port GUIDs that several nodes claim (see `Cluster`).
    """
    cabling = join_cabling(graph, structure)
    trunks = count_trunks(cabling)
    groups = find_spine_groups(cabling, trunks)
    found = _soften(
        cabling,
        [
            *_host_findings(cabling, groups),
            *_switch_findings(cabling, trunks, groups),
            *_identity_findings(cabling),
            *find_disagreeing_sources(cabling),
            *find_contested_ports(cabling, contested),
        ],
    )
    return tuple(sorted(found, key=_order))


def _soften(cabling: Cabling, found: Sequence[Anomaly]) -> list[Anomaly]:
    """Where a good part of the switches was not swept, what seems absent is only worth knowing.

    Of Ethernet many never are: there what seems absent at those alone is not even that.
    """
    graph = cabling.graph
    named_only = [graph.switches[switch] for switch in graph.unswept]
    open_ends = {spell_guid(switch.guid, graph.spelled) for switch in named_only if switch.ethernet}
    told = [anomaly for anomaly in found if not (anomaly.kind in ABSENCES and _only_at(anomaly, open_ends))]
    infiniband = [sum(not switch.ethernet for switch in switches) for switches in (named_only, graph.switches)]
    if infiniband[0] <= UNSWEPT * infiniband[1]:
        return told
    return [replace(anomaly, severity="info") if anomaly.kind in ABSENCES else anomaly for anomaly in told]


def _only_at(anomaly: Anomaly, guids: set[str | None]) -> bool:
    ends = {end.guid for end in anomaly.where if end.guid}
    return bool(ends) and ends <= guids


def _host_findings(cabling: Cabling, groups: Sequence[SpineGroup]) -> Iterator[Anomaly]:
    rails = vote_rails(cabling)
    yield from find_swapped_rails(cabling, rails)
    yield from find_strays(cabling, rails)
    yield from find_swapped_slots(cabling, rails)
    missing = [*find_missing_host_cables(cabling, rails), *find_missing_switches(cabling, rails, groups)]
    yield from missing
    yield from find_thin_leaves(cabling, {end.guid for anomaly in missing for end in anomaly.where})


def _switch_findings(cabling: Cabling, trunks: Trunks, groups: Sequence[SpineGroup]) -> Iterator[Anomaly]:
    yield from find_missing_links(cabling, groups)
    yield from find_asymmetric_uplinks(cabling, trunks, groups)
    yield from find_degraded(cabling)
    yield from find_self_links(cabling)
    yield from find_same_level_links(cabling)
    yield from find_islands(cabling)
    yield from find_partial_scan(cabling)


def _identity_findings(cabling: Cabling) -> Iterator[Anomaly]:
    yield from find_duplicate_names(cabling)
    yield from find_duplicate_guids(cabling)
    yield from find_unclaimed_hosts(cabling)


def _order(anomaly: Anomaly) -> tuple[int, str, list[tuple[str, str, int]], str]:
    ends = [(end.name or "", end.guid or "", end.port or 0) for end in anomaly.where]
    return SEVERITIES.index(anomaly.severity), anomaly.kind, ends, anomaly.detail
