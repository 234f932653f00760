"""What the agent of a node reports, and what stands at the far ends of its cables as switches and LLDP tell it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from cli.explain.live_document import (
    FarEnd,
    Report,
    ReportedInterface,
    ReportedNvLink,
    ReportedPort,
    ReportedProbe,
    State,
)
from cli.output import say
from discovery.reports import FAILED, HOST, Interface, NodeReport, Peer, Port, SwitchPort, SwitchReport
from kube.client import Client
from kube.errors import ApiError, NotFound
from kube.resources import NODE_REPORTS, SWITCH_REPORTS

BY_SWITCH, BY_LLDP = "SwitchReport", "LLDP"


async def read_report(client: Client, name: str) -> Report | None:
    """None where no agent has reported under that name."""
    try:
        found = await client.get(NODE_REPORTS, name)
    except NotFound:
        return None
    conditions = tuple(State(one.type, one.status, one.reason, one.message) for one in found.status.conditions)
    return describe(found.spec, conditions, await _switches(client))


async def is_reported(client: Client, name: str) -> bool:
    """Whether an agent reports under that name."""
    try:
        await client.get(NODE_REPORTS, name)
    except NotFound:
        return False
    return True


async def _switches(client: Client) -> Sequence[SwitchReport]:
    """Without them the rest is told all the same."""
    try:
        return [one.spec for one in (await client.list(SWITCH_REPORTS)).items]
    except NotFound:
        return ()
    except ApiError as error:
        say(f"far ends as switches report them are left out: {error}")
        return ()


def describe(report: NodeReport, conditions: tuple[State, ...], switches: Iterable[SwitchReport]) -> Report:
    """The report, with the far ends of its cables."""
    ends = [(switch, port, peer) for switch in switches for port in switch.ports for peer in _hosts_at(port)]
    interfaces = {one.name: one for one in report.interfaces}
    far = {name: tuple(dict.fromkeys(_far_of_interface(one, ends))) for name, one in interfaces.items()}
    return Report(
        conditions=conditions,
        ports=tuple(_port(port, _far_of_port(port, ends, interfaces.values(), far)) for port in report.ports),
        failed_probes=tuple(
            State(one.name, one.outcome, one.reason or "", "") for one in report.probes if one.outcome == FAILED
        ),
        interfaces=tuple(
            ReportedInterface(one.name, one.mac, one.speed, one.carrier, one.bond, one.rdmaDevice, far[one.name])
            for one in report.interfaces
        ),
        nvlink=_nvlink(report),
        probes=tuple(ReportedProbe(one.name, one.outcome, one.reason) for one in report.probes),
        heartbeat=report.heartbeat,
    )


End = tuple[SwitchReport, SwitchPort, Peer]


def _hosts_at(port: SwitchPort) -> Iterator[Peer]:
    for peer in port.peers or (port.peer,):
        if peer is not None and peer.kind == HOST:
            yield peer


def _port(port: Port, far: tuple[FarEnd, ...]) -> ReportedPort:
    return ReportedPort(
        device=port.device,
        port=port.port,
        verdict=port.verdict,
        reason=port.reason,
        state=port.state,
        physical_state=port.physicalState,
        link_layer=port.linkLayer,
        width=port.width,
        speed=port.speed,
        last_up=port.lastUp,
        far_ends=far,
    )


def _far_of_port(
    port: Port, ends: Sequence[End], interfaces: Iterable[Interface], far: dict[str, tuple[FarEnd, ...]]
) -> tuple[FarEnd, ...]:
    """By its GUID, or by what its interfaces hang on."""
    by_guid = [_at(switch, there) for switch, there, peer in ends if _means(peer, port)]
    behind = [end for one in interfaces if one.rdmaDevice == port.device for end in far[one.name]]
    return tuple(dict.fromkeys([*by_guid, *behind]))


def _means(peer: Peer, port: Port) -> bool:
    if peer.portGuid and port.portGuid:
        return peer.portGuid == port.portGuid
    return bool(peer.guid) and (peer.guid, peer.port) == (port.nodeGuid, port.port)


def _far_of_interface(one: Interface, ends: Sequence[End]) -> Iterator[FarEnd]:
    """As the switch tells it, and as the interface itself hears it."""
    yield from (_at(switch, there) for switch, there, peer in ends if one.mac and one.mac == peer.mac)
    for heard in one.neighbours:
        yield FarEnd(heard.systemName or heard.chassisId, heard.portId, BY_LLDP)


def _at(switch: SwitchReport, port: SwitchPort) -> FarEnd:
    name = switch.description or switch.guid or switch.chassisId
    return FarEnd(name, port.name or str(port.number), BY_SWITCH)


def _nvlink(report: NodeReport) -> ReportedNvLink | None:
    found = report.nvlink
    if found is None:
        return None
    return ReportedNvLink(
        cluster_uuid=found.clusterUuid,
        clique_id=found.cliqueId,
        state=found.state,
        health_summary=found.healthSummary,
        gpus=found.gpus,
        unhealthy_gpus=found.unhealthyGpus,
        links=found.links,
        unhealthy_links=found.unhealthyLinks,
        bad_links=found.badLinks,
        reason=found.reason,
    )
