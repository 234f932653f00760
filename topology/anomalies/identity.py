"""Findings about who is who: names and GUIDs that occur twice, and hosts that no Node claims."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from topology.anomalies.cabling import Cabling, counted, listed
from topology.anomaly import Anomaly

FIRST_NAMES = 10

DESIGN = 0.2
"""Where more than this share of the ports have several cables, they are ports of several planes."""


def find_duplicate_names(cabling: Cabling) -> Iterator[Anomaly]:
    """One `duplicate-name` a description that several adapters share."""
    adapters = cabling.graph.adapters
    fabric_of = _fabric_of_adapter(cabling)
    for group in cabling.graph.duplicate_names:
        yield cabling.anomaly(
            "duplicate-name",
            "warning",
            fabric_of.get(group[0], -1),
            (cabling.adapter_end(adapter) for adapter in group),
            f"{len(group)} adapters call themselves “{adapters.description[group[0]]}”: none is placed by name.",
        )


def find_duplicate_guids(cabling: Cabling) -> Iterator[Anomaly]:
    """One `duplicate-guid` a port GUID that two adapters have, and a port that has two cables.

    The ports of one adapter may share theirs (the planes of one HCA). A port about which sources disagree has one cable
    by each of them; it is told as `sources-disagree`.
    """
    links = cabling.graph.host_links
    port = links.adapter.astype(np.int64) << 16 | links.adapter_port
    known = np.flatnonzero((links.port_guid != 0) & (links.adapter_port > 0))
    shared = [known[rows].tolist() for rows in _repeated(links.port_guid[known])]
    doubled = [known[rows].tolist() for rows in _repeated(port[known])]
    disputed = {(dispute.port.adapter, dispute.port.port) for dispute in cabling.graph.disputes}
    doubled = [
        cables for cables in doubled
        if (int(links.adapter[cables[0]]), int(links.adapter_port[cables[0]])) not in disputed
    ]  # fmt: skip
    if len(doubled) > DESIGN * len(np.unique(port[known])):
        doubled = []
    for cables in [group for group in shared if len({int(links.adapter[link]) for link in group}) > 1] + doubled:
        first = cables[0]
        guid = f"{int(links.port_guid[first]):016x}"
        yield cabling.anomaly(
            "duplicate-guid",
            "error",
            int(cabling.fabric[first]),
            (end for link in cables for end in cabling.link_ends(link)),
            f"Port GUID {guid} has {len(cables)} cables, at {listed([cabling.host(link) for link in cables], 4)}.",
        )


def find_unclaimed_hosts(cabling: Cabling) -> Iterator[Anomaly]:
    """One `unclaimed-host` a fabric: named hosts with links that are none of the cluster's Nodes."""
    graph = cabling.graph
    ambiguous = {int(graph.adapters.host[adapter]) for group in graph.duplicate_names for adapter in group}
    unclaimed = np.array(
        [
            host.name is not None and host.node is None and number not in ambiguous
            for number, host in enumerate(graph.hosts)
        ],
        np.bool_,
    )
    rows = np.flatnonzero(unclaimed[graph.host_links.host])
    first: dict[int, dict[int, int]] = defaultdict(dict)
    for link in rows.tolist():
        first[int(cabling.fabric[link])].setdefault(int(graph.host_links.host[link]), link)
    for fabric, link_of_host in sorted(first.items()):
        links = sorted(link_of_host.values(), key=cabling.host)
        names = [cabling.host(link) for link in links]
        verb = "is no node" if len(names) == 1 else "are no nodes"
        some = ", ".join(names[:FIRST_NAMES]) + (" and more" if len(names) > FIRST_NAMES else "")
        yield cabling.anomaly(
            "unclaimed-host",
            "info",
            fabric,
            (cabling.adapter_end(int(graph.host_links.adapter[link])) for link in links[:FIRST_NAMES]),
            f"{counted(len(names), 'host')} of the fabric {verb} of the cluster: {some}.",
        )


def _repeated(values: NDArray[np.integer]) -> list[list[int]]:
    """Positions of each value that occurs more than once."""
    distinct, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    groups: dict[int, list[int]] = defaultdict(list)
    for place in np.flatnonzero(counts[inverse] > 1).tolist() if len(distinct) < len(values) else []:
        groups[int(inverse[place])].append(place)
    return list(groups.values())


def _fabric_of_adapter(cabling: Cabling) -> dict[int, int]:
    wanted = Counter(adapter for group in cabling.graph.duplicate_names for adapter in group)
    links = cabling.graph.host_links
    rows = np.flatnonzero(np.isin(links.adapter, list(wanted))) if wanted else np.empty(0, np.int64)
    return {int(links.adapter[row]): int(cabling.fabric[row]) for row in rows.tolist()}
