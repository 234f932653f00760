"""From a drawing, told by LLDP and SNMP, to what is concluded from that alone: no memory, no cluster."""

from __future__ import annotations

from collections.abc import Mapping

from discovery.ethernet import Told, read_attached, read_switch, tell
from discovery.reported import scan_from_reports
from discovery.reports import NodeReport, SwitchReport
from topology.anomaly import Anomaly
from topology.conclude import Conclusion, conclude
from topology.synth.drawing import Drawing
from topology.synth.ethernet import NodePorts, Voices, node_ports, switch_reports_of


def told(drawing: Drawing, voices: Voices) -> Told:
    """All words of a site."""
    switches = switch_reports_of(drawing, voices) if voices.switches_told else []
    return put_together(node_ports(drawing, voices), switches)


def put_together(nodes: Mapping[str, NodePorts], switches: list[SwitchReport]) -> Told:
    """The words of these nodes and switches."""
    attached = [
        read_attached(name, NodeReport(ports=found.ports, interfaces=found.interfaces))
        for name, found in sorted(nodes.items())
    ]
    read = (read_switch(f"{place:04}", report) for place, report in enumerate(switches))
    return tell(attached, [found for found in read if found is not None])


def conclusion_of(words: Told) -> Conclusion:
    """What follows from them."""
    return conclude([scan_from_reports(words.reports.values())])


def concluded(drawing: Drawing, voices: Voices) -> Conclusion:
    """Both in one."""
    return conclusion_of(told(drawing, voices))


def leaf_domains(conclusion: Conclusion) -> dict[str, str]:
    """By node the HyperNode that holds it."""
    return {
        node: found.name for found in conclusion.hierarchy.hyper_nodes if not found.children for node in found.nodes
    }


def kinds(anomalies: tuple[Anomaly, ...]) -> set[str]:
    """What is found at all."""
    return {found.kind for found in anomalies}
