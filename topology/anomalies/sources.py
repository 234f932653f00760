"""Findings about the sources themselves: reports or scans that contradict each other about a port."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from discovery.scan import spell_guid
from topology.anomalies.cabling import Cabling, listed
from topology.anomaly import Anomaly, CableEnd
from topology.cluster import Claim
from topology.graph import CablePort, Dispute, Told


def find_disagreeing_sources(cabling: Cabling) -> Iterator[Anomaly]:
    """One `sources-disagree` a port for which sources name different far ends: the port first, then those ends."""
    for dispute in cabling.graph.disputes:
        ports = (dispute.port, *(told.far for told in dispute.told))
        said = ", ".join(f"{_whose(told)} to {_spoken(cabling, told.far)}" for told in dispute.told)
        yield cabling.anomaly(
            "sources-disagree",
            "warning",
            _fabric(cabling, dispute),
            (_end(cabling, port) for port in ports),
            f"Where {_spoken(cabling, dispute.port)} leads is disputed: {said}. One of the sources is old or wrong; "
            "until they agree all of these cables count.",
        )


def find_contested_ports(cabling: Cabling, contested: Mapping[int, tuple[Claim, ...]]) -> Iterator[Anomaly]:
    """One `duplicate-guid` a GUID that the reports of several nodes claim; the holder comes first."""
    links = cabling.graph.host_links
    for guid, claims in sorted(contested.items()):
        rows = np.flatnonzero(links.port_guid == guid)
        nodes = list(dict.fromkeys(claim.node for claim in claims))
        yield cabling.anomaly(
            "duplicate-guid",
            "error",
            int(cabling.fabric[rows[0]]) if len(rows) else -1,
            (CableEnd(claim.node, spell_guid(claim.guid), claim.port or None) for claim in claims),
            f"GUID {guid:016x} is claimed by the reports of {listed(nodes)}: it stays with {nodes[0]}, which had "
            "it first.",
        )


def _whose(told: Told) -> str:
    if told.by_port and told.by_far:
        return "by the word of both ends"
    return "by its own word" if told.by_port else "by the word of the far end"


def _fabric(cabling: Cabling, dispute: Dispute) -> int:
    switches = [port.switch for port in (dispute.port, *(told.far for told in dispute.told)) if port.switch >= 0]
    return int(cabling.structure.fabric_of_switch[switches[0]]) if switches else -1


def _end(cabling: Cabling, port: CablePort) -> CableEnd:
    if port.adapter >= 0:
        return cabling.adapter_end(port.adapter, port.port)
    name = cabling.graph.switches[port.switch].name if port.switch >= 0 else ""
    return CableEnd(name or None, spell_guid(port.guid, cabling.graph.spelled), port.port or None)


def _spoken(cabling: Cabling, port: CablePort) -> str:
    """An end in a sentence: `leaf-1 port 7`, `node-1 mlx5_0 port 1`."""
    end = _end(cabling, port)
    device = cabling.graph.adapters.device[port.adapter] if port.adapter >= 0 else None
    words = [end.name or end.guid or "a node without a GUID", device or "", f"port {end.port or 'unknown'}"]
    return " ".join(word for word in words if word)
