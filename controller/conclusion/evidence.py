"""What the reports say, in the terms of the topology room: silent switches, and how every port is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from controller.conclusion.outages import Excused
from controller.conclusion.ports import recalled
from controller.snapshot import Snapshot, is_whole, sweeper_of
from discovery.ethernet.attachments import words_of_ports
from discovery.reports import FLAPPING, UNKNOWN, SwitchReport
from kube.types import NodeReportObject
from topology.links import End, KnownLinks, PortState, Verdict
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


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """What was known before this look, and counts for how ports are now."""

    excused: Excused
    known: KnownLinks
    was_up: frozenset[int]
    """GUIDs of ports that were up once."""

    def excuses(self, end: End, state: PortState) -> bool:
        """Whether a port that flaps does so because a node or switch at one of its two ends rested or booted."""
        links = [link for link in self.known.at.get(end.guid, ()) if end in link]
        guids = {end.guid, *(one.guid for link in links for one in link)}
        if state.peer is not None:
            guids.add(state.peer.guid)
        nodes = self.known.node
        return not guids.isdisjoint(self.excused.switches) or any(
            nodes.get(guid) in self.excused.nodes for guid in guids
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
    past: Past
    plain: bool = False
    """Interfaces without an RDMA device have ports, too."""
    _read: dict[int, Mapping[int, PortState]] = field(default_factory=dict)
    _nodes: dict[int, dict[int, dict[int, PortState]]] = field(default_factory=dict)

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
            ports.update(self._of_report(place).get(guid, {}))
        for port, state in ports.items():
            if state.verdict.word == FLAPPING and self.past.excuses(End(guid, port), state):
                ports[port] = replace(state, verdict=Verdict(UNKNOWN))
        return ports

    def _of_report(self, place: int) -> Mapping[int, Mapping[int, PortState]]:
        """By adapter all ports of one node."""
        found = self._nodes.get(place)
        if found is None:
            found = self._nodes[place] = defaultdict(dict)
            spec = recalled(self.reports[place].spec, self.past.was_up)
            for guid, word in words_of_ports(spec, plain=self.plain):
                verdict = Verdict(word.verdict, word.reason)
                found[number_of(guid)][word.port] = PortState(verdict, ever_up=word.ever_up, spared=word.spared)
        return found


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
