"""From SwitchReports to the scans that are concluded from, by way of the known cabling: silence moves nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from operator import itemgetter

from controller.conclusion.evidence import missing_switches, number_of
from controller.conclusion.reading import Owned
from controller.conclusion.rounds import NODES
from controller.snapshot import Snapshot, is_whole, sweeper_of
from discovery.ethernet.attachments import ETHERNET
from discovery.identity import guid
from discovery.reported import scan_from_reports
from discovery.reports import HOST, Peer, SwitchReport, is_ethernet
from discovery.scan import Scan
from topology.cabling import Cabling, KnownCabling, Today, know
from topology.links import End, KnownLinks
from topology.remembering import remember
from topology.sweeps import Sweeps
from topology.told import Told, read_report, same_wiring


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """The reports of one sweeper, and the scan that they make."""

    reports: tuple[SwitchReport, ...]
    scan: Scan
    in_part: Scan
    """The same, of a sweep that is not whole."""


@dataclass(frozen=True, slots=True, eq=False)
class Cables:
    """What is remembered of cables between two looks. `known` None: before the first."""

    known: KnownCabling | None = None
    held: Mapping[str, Read] = field(default_factory=dict)
    shown: Mapping[str, Read] = field(default_factory=dict)
    last: Cabling | None = None
    """Only to go on from: it spares work and changes nothing."""

    @property
    def switches(self) -> Mapping[str, Told]:
        """All switches, those included whose report vanished, by object name."""
        return self.known.switches if self.known is not None else {}


@dataclass(frozen=True, slots=True, eq=False)
class Ethernet:
    """All switches of Ethernet by object name, and who tells of each (`controller.conclusion.ethernet`)."""

    reports: Mapping[str, SwitchReport] = field(default_factory=dict)
    sweepers: Mapping[str, str] = field(default_factory=dict)
    named: AbstractSet[int] = frozenset()
    """Switches that a node or another switch tells of today."""


NO_ETHERNET = Ethernet()


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What there is beside the reports of sweepers."""

    ethernet: Ethernet
    owned: Sequence[Owned]
    """The ports of the nodes."""
    lost: KnownLinks
    """Links that outlived a restart."""


@dataclass(frozen=True, slots=True)
class Gone:
    """GUIDs of switches that have left the graph, and of adapters whose Node is gone."""

    switches: frozenset[int] = frozenset()
    adapters: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Scans:
    """One scan a sweeper: of the known cabling, and the same with every contradiction taken at its word."""

    cables: Cables
    held: tuple[Scan, ...]
    shown: tuple[Scan, ...] | None
    """None: nothing contradicts what is known."""


def find_scans(cables: Cables, snapshot: Snapshot, found: Evidence, gone: Gone, sweeps: Sweeps) -> Scans:
    """Take note of the evidence."""
    told = _told(cables, snapshot, found.ethernet, gone.switches)
    known = cables.known
    if known is None:
        known = remember(
            [link for link in found.lost.links if link.upper.guid], told, _host_ports(snapshot, found.owned)
        )
    silent = missing_switches(snapshot, 1) - found.ethernet.named
    cabling = know(known, Today(told, silent, gone.switches, gone.adapters), sweeps, cables.last)
    whole = {NODES, *(sweep.metadata.name for sweep in snapshot.sweeps if is_whole(sweep))}
    held = {sweeper: _read(cables.held.get(sweeper), sweeper, own) for sweeper, own in cabling.held.items()}
    if cabling.shown is cabling.held:
        return Scans(Cables(cabling.known, held, last=cabling), _scans(held, whole), None)
    shown = {
        sweeper: _read(cables.shown.get(sweeper) or held[sweeper], sweeper, own)
        for sweeper, own in cabling.shown.items()
    }
    return Scans(Cables(cabling.known, held, shown, cabling), _scans(held, whole), _scans(shown, whole))


def _told(cables: Cables, snapshot: Snapshot, ethernet: Ethernet, left: frozenset[int]) -> dict[str, Told]:
    """All reports of switches that have not left; one that did not change is not read again."""
    reports = [
        (found.metadata.name, sweeper_of(found), found.spec)
        for found in snapshot.switch_reports
        if not is_ethernet(found.spec)
    ]
    reports += [(name, ethernet.sweepers[name], report) for name, report in ethernet.reports.items()]
    told: dict[str, Told] = {}
    for name, sweeper, report in sorted(reports, key=itemgetter(0)) if ethernet.reports else reports:
        last = cables.switches.get(name)
        unchanged = last is not None and last.report is report and last.sweeper == sweeper
        read = last if last is not None and unchanged else read_report(sweeper, report)
        if read.guid not in left:
            told[name] = read
    return told


def _host_ports(snapshot: Snapshot, owned: Sequence[Owned]) -> dict[End, Peer]:
    """Every port of a node as the switch at its other end would tell it; what a node says of others' is left out."""
    ends = {
        End(adapter.guid, adapter.port): Peer(
            kind=HOST,
            guid=guid(adapter.guid),
            portGuid=guid(adapter.port_guid),
            description=f"{found.node} {adapter.device}",
            port=adapter.port,
        )
        for found in owned
        for adapter in found.adapters
        if adapter.guid
    }
    theirs = {(found.node, adapter.guid, adapter.port) for found in owned for adapter in found.adapters}
    return ends | {
        End(number_of(port.nodeGuid), port.port): Peer(
            kind=HOST,
            guid=port.nodeGuid,
            portGuid=port.portGuid,
            systemImageGuid=port.systemImageGuid,
            description=f"{report.metadata.name} {port.device}",
            port=port.port,
        )
        for report in snapshot.node_reports
        for port in report.spec.ports
        if port.nodeGuid and port.linkLayer != ETHERNET
        if (report.metadata.name, number_of(port.nodeGuid), port.port) in theirs
    }


def _read(last: Read | None, sweeper: str, reports: tuple[SwitchReport, ...]) -> Read:
    """The scan of before where it would come out the same."""
    if last is not None and (last.reports is reports or _are(last.reports, reports)):
        return last
    scan = scan_from_reports(reports, sweeper)
    return Read(reports, scan, replace(scan, complete=False))


def _are(one: Sequence[SwitchReport], other: Sequence[SwitchReport]) -> bool:
    return len(one) == len(other) and all(map(same_wiring, one, other))


def _scans(read: Mapping[str, Read], whole: set[str]) -> tuple[Scan, ...]:
    return tuple(found.scan if sweeper in whole else found.in_part for sweeper, found in sorted(read.items()))
