"""What the reports say, in the terms of the topology room: silent switches, and how every port is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from controller.snapshot import Snapshot, is_whole, sweeper_of
from discovery.ethernet.attachments import joined_devices, words_at_ends
from discovery.reports import FLAPPING, UNKNOWN, NodeReport, SwitchReport
from kube.types import NodeReportObject
from topology.links import PortState, Verdict
from topology.told import Told, number_of_identity


def switch_number(report: SwitchReport) -> int:
    """The GUID (or chassis id) of a switch as a number."""
    return number_of(report.guid or report.chassisId)


def number_of(identity: str | None) -> int:
    """A GUID or chassis id as a number; 0 is unknown."""
    return number_of_identity(identity) if identity else 0


def missing_switches(snapshot: Snapshot, at_least: int) -> frozenset[int]:
    """Switches that their sweeper has missed for so many sweeps."""
    return frozenset(
        number_of(missing.guid)
        for sweep in snapshot.sweeps
        for missing in sweep.spec.missing
        if sweep.spec.sequence - missing.sinceSequence + 1 >= at_least
    )


@dataclass(slots=True, eq=False)
class Devices(Mapping[int, Mapping[int, PortState]]):
    """The ports of every device by its GUID: of switches that answered, and of the nodes' adapters.

    Each is read when it is first asked for: after most changes few are.
    """

    switches: Mapping[int, Sequence[Told]]
    reports: Sequence[NodeReportObject]
    places: Mapping[int, tuple[int, ...]]
    """By adapter the places of the reports that have it."""
    resting: frozenset[str]
    plain: bool = False
    """Interfaces without an RDMA device have ports, too."""
    _read: dict[int, Mapping[int, PortState]] = field(default_factory=dict)

    def __getitem__(self, guid: int) -> Mapping[int, PortState]:
        found = self._read.get(guid)
        if found is None:
            found = self._read[guid] = self._ports(guid)
        return found

    def __iter__(self) -> Iterator[int]:
        yield from self.switches
        yield from (guid for guid in self.places if guid not in self.switches)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, guid: object) -> bool:
        return guid in self.switches or guid in self.places

    def _ports(self, guid: int) -> dict[int, PortState]:
        if guid not in self:
            raise KeyError(guid)
        ports: dict[int, PortState] = {}
        for told in self.switches.get(guid, ()):
            ports.update(told.ports)
        for place in self.places.get(guid, ()):
            report = self.reports[place]
            found = (*_host_ports(guid, report.spec), *_interfaces(guid, report.spec, plain=self.plain))
            ports.update(map(_rested, found) if report.metadata.name in self.resting else found)
        return ports


def _host_ports(guid: int, report: NodeReport) -> Iterator[tuple[int, PortState]]:
    """Ports of one adapter, but those that are told by their interfaces."""
    joined = joined_devices(report)
    for port in report.ports:
        if number_of(port.nodeGuid) == guid and port.device not in joined:
            yield port.port, PortState(Verdict(port.verdict, port.reason), ever_up=port.lastUp is not None)


def _interfaces(guid: int, report: NodeReport, *, plain: bool) -> Iterator[tuple[int, PortState]]:
    for adapter, word in words_at_ends(report, plain=plain):
        if number_of(adapter) == guid:
            yield word.port, PortState(Verdict(word.verdict, word.reason), ever_up=word.ever_up, spared=word.spared)


def _rested(found: tuple[int, PortState]) -> tuple[int, PortState]:
    """A node that is not ready or cordoned (a reboot, maintenance) does not flap."""
    port, state = found
    return (port, replace(state, verdict=Verdict(UNKNOWN))) if state.verdict.word == FLAPPING else found


def answering(snapshot: Snapshot, switches: Mapping[str, Told]) -> dict[int, list[Told]]:
    """By GUID the switches that the newest sweep reached.

    A sweep that is not whole says nothing of what it did not see, so its switches have not answered.
    """
    whole = {sweep.metadata.name for sweep in snapshot.sweeps if is_whole(sweep)}
    missing = missing_switches(snapshot, 1)
    answered: dict[int, list[Told]] = defaultdict(list)
    for report in snapshot.switch_reports:
        told = switches.get(report.metadata.name)
        if told is not None and told.guid and told.guid not in missing and sweeper_of(report) in whole:
            answered[told.guid].append(told)
    return answered
