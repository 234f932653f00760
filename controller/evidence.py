"""What the reports say, in the terms of the topology room: who is in the cluster, and how every port is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from controller.snapshot import Snapshot, is_whole, sweeper_of
from discovery.reports import FLAPPING, UNKNOWN, NvLink, SwitchReport
from kube.types import Node, NodeReportObject
from topology.links import End, PortEvidence, PortState, Verdict
from topology.told import Told, number_of_identity

_COMPLETED, _NOT_SUPPORTED = "Completed", "NotSupported"


def switch_number(report: SwitchReport) -> int:
    """The GUID (or chassis id) of a switch as a number."""
    return number_of(report.guid or report.chassisId)


def number_of(identity: str | None) -> int:
    """A GUID or chassis id as a number; 0 is unknown."""
    return number_of_identity(identity) if identity else 0


def nvlink_domains(reports: Iterable[NodeReportObject], last: Mapping[str, str | None]) -> dict[str, str | None]:
    """Node to NVLink domain, None where it is certainly in none; a node that cannot tell now keeps what it had."""
    found = dict(last)
    for report in reports:
        nvlink = report.spec.nvlink
        if nvlink is None:
            continue
        domain = _domain(nvlink)
        if domain or nvlink.state in (_COMPLETED, _NOT_SUPPORTED):
            found[report.metadata.name] = domain
    return found


def _domain(nvlink: NvLink) -> str | None:
    """Cluster UUID and clique, both; an all-zero UUID is no identity."""
    uuid = nvlink.clusterUuid or ""
    if nvlink.state != _COMPLETED or nvlink.cliqueId is None or not uuid.strip("0-"):
        return None
    return f"{uuid}.{nvlink.cliqueId}"


def missing_switches(snapshot: Snapshot, at_least: int) -> frozenset[int]:
    """Switches that their sweeper has missed for so many sweeps."""
    return frozenset(
        number_of(missing.guid)
        for sweep in snapshot.sweeps
        for missing in sweep.spec.missing
        if sweep.spec.sequence - missing.sinceSequence + 1 >= at_least
    )


def port_evidence(snapshot: Snapshot, switches: Mapping[str, Told]) -> PortEvidence:
    """All ports of the switches that the newest sweep reached, and of all nodes. `switches`: all that there are, those
    without a report included, by object name.

    A sweep that is not whole says nothing of what it did not see, so its switches have not answered.
    """
    whole = {sweep.metadata.name for sweep in snapshot.sweeps if is_whole(sweep)}
    missing = missing_switches(snapshot, 1)
    answered, ports = set[int](), dict[End, PortState]()
    for report in snapshot.switch_reports:
        told = switches.get(report.metadata.name)
        if told is not None and told.guid not in missing and sweeper_of(report) in whole:
            answered.add(told.guid)
            ports.update((End(told.guid, port), state) for port, state in told.ports.items())
    ports.update(_host_ports(snapshot))
    return PortEvidence.of(ports, answered, {told.guid for told in switches.values()})


def _host_ports(snapshot: Snapshot) -> dict[End, PortState]:
    """Ports of the nodes. A node that is not ready or cordoned (a reboot, maintenance) does not flap."""
    resting = {node.metadata.name for node in snapshot.nodes if _rests(node)}
    ports: dict[End, PortState] = {}
    for report in snapshot.node_reports:
        for port in report.spec.ports:
            guid = number_of(port.nodeGuid)
            if guid:
                flaps_at_rest = port.verdict == FLAPPING and report.metadata.name in resting
                verdict = Verdict(UNKNOWN if flaps_at_rest else port.verdict, port.reason)
                ports[End(guid, port.port)] = PortState(verdict, ever_up=port.lastUp is not None)
    return ports


def adapter_labels(snapshot: Snapshot) -> dict[int, str]:
    """What an operator calls each adapter, also one that no sweep sees any more: its node and device."""
    return {
        number_of(port.nodeGuid): f"{report.metadata.name} {port.device}"
        for report in snapshot.node_reports
        for port in report.spec.ports
    }


def _rests(node: Node) -> bool:
    ready = node.condition("Ready")
    return node.spec.unschedulable or (ready is not None and ready.status != "True")
