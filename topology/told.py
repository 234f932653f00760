"""What a switch was told to have: its SwitchReport, read port by port when somebody asks.

Reports stay as they are and are read anew each time, which costs far less than to hold half a million read ports.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from discovery.identity import guid_number
from discovery.reports import DEGRADED, FLAPPING, REPORTED_BY_PEER, UP, SwitchPort, SwitchReport
from topology.links import End, PortState, Verdict
from topology.rivals import Cable, Words, cable_of

number_of_identity = lru_cache(maxsize=1 << 18)(guid_number)
"""Reports spell every GUID anew, by the hundred thousand."""

_verdict = lru_cache(maxsize=1 << 10)(Verdict)
"""Nearly all ports say the same."""

Wiring = tuple[object, ...]
"""All of a report that the graph is made from, in the order of its ports."""


@dataclass(frozen=True, slots=True)
class Told:
    """A SwitchReport, whose it is and of which switch."""

    sweeper: str
    guid: int
    report: SwitchReport

    @property
    def cables(self) -> Iterator[tuple[Cable, SwitchPort]]:
        """Those that it tells of, each with the port that does.

        Cables of which an end has no identity are left to whoever reads the report.
        """
        guid = self.guid
        for port in self.report.ports if guid else ():
            far = _far_end(port)
            if far is not None and far.guid:
                yield cable_of(End(guid, port.number), far), port

    @property
    def ports(self) -> dict[int, PortState]:
        """What it says of each port; of several words for one the last counts."""
        return {port.number: _state(port) for port in self.report.ports}


def _state(port: SwitchPort) -> PortState:
    silent = port.peer is None and port.verdict in (UP, DEGRADED, FLAPPING)
    return PortState(_verdict(port.verdict, port.reason), _far_end(port), silent=silent)


def _far_end(port: SwitchPort) -> End | None:
    peer = port.peer
    if peer is None:
        return None
    identity = peer.guid or peer.chassisId
    return End(number_of_identity(identity) if identity else 0, peer.port or 0)


def read_report(sweeper: str, report: SwitchReport) -> Told:
    """The report of that sweeper."""
    identity = report.guid or report.chassisId
    return Told(sweeper, number_of_identity(identity) if identity else 0, report)


def words_of(told: Iterable[Told]) -> dict[Cable, Words]:
    """All cables that they tell of, and who does."""
    words: dict[Cable, Words] = {}
    for found in told:
        guid = found.guid
        for cable, port in found.cables:
            before = words.get(cable)
            words[cable] = ((guid, port),) if before is None else (*before, (guid, port))
    return words


def wiring(report: SwitchReport) -> Wiring:
    """Two reports with the same one make the same graph, whatever they say of how their ports are."""
    cabled = (port for port in report.ports if port.peer is not None)
    return (
        report.fabric,
        report.guid,
        report.chassisId,
        report.systemImageGuid,
        report.description,
        report.model,
        report.portCount,
        report.deviceId,
        tuple(
            (port.number, port.width, port.speed, port.reason == REPORTED_BY_PEER, port.peer)
            for port in sorted(cabled, key=lambda port: port.number)
        ),
    )


def same_wiring(one: SwitchReport, other: SwitchReport) -> bool:
    """Whether they make the same graph."""
    return one is other or wiring(one) == wiring(other)
