"""Known cables written back into SwitchReports, whether today's reports tell of them or not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from discovery.reports import SwitchPort, SwitchReport
from topology.rivals import Cable, Words
from topology.told import Told


@dataclass(frozen=True, slots=True)
class Publishing:
    """A report of which every word counts stays as it is."""

    switches: Mapping[str, Told]
    """All of them, by object name."""
    today: AbstractSet[str]
    """Those of them that have a report."""
    seen: Mapping[Cable, Words]
    doubtful: AbstractSet[int]
    """Switches not every word of which counts."""
    left: AbstractSet[int]
    """Switches that have left the graph, whoever still tells of them."""

    def reports(self, cables: Mapping[Cable, Words]) -> dict[str, SwitchReport]:
        """By object name."""
        unseen: dict[int, list[SwitchPort]] = defaultdict(list)
        for cable in sorted(cables.keys() - self.seen.keys()):
            for guid, port in cables[cable]:
                unseen[guid].append(port)
        published: dict[str, SwitchReport] = {}
        for name, found in sorted(self.switches.items()):
            touched = found.guid in unseen or found.guid in self.doubtful or tells_of(found, self.left)
            if touched or name not in self.today:
                published[name] = rewritten(found, cables, unseen.pop(found.guid, []))
            else:
                published[name] = found.report
        return published


def tells_of(told: Told, guids: AbstractSet[int]) -> bool:
    """Whether one of its cables leads there."""
    return bool(guids) and any(end.guid in guids for cable, _ in told.cables for end in cable)


def rewritten(found: Told, cables: Container[Cable], unseen: Iterable[SwitchPort]) -> SwitchReport:
    """The report with the known cables only, and those of them that it does not tell of itself any more."""
    unknown = {id(port) for cable, port in found.cables if cable not in cables}
    ports = [replace(port, peer=None) if id(port) in unknown else port for port in found.report.ports]
    taken = {port.number for port in ports if port.peer is not None}
    for port in unseen:
        if port.number not in taken:
            taken.add(port.number)
            ports.append(port)
    return replace(found.report, ports=tuple(sorted(ports, key=lambda port: port.number)))


def by_sweeper(
    switches: Mapping[str, Told], published: Mapping[str, SwitchReport]
) -> dict[str, tuple[SwitchReport, ...]]:
    """The reports of each sweeper, in the order of their names."""
    found: dict[str, list[SwitchReport]] = defaultdict(list)
    for name, report in published.items():
        found[switches[name].sweeper].append(report)
    return {sweeper: tuple(reports) for sweeper, reports in found.items()}
