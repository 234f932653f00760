"""A DGX SuperPOD as its agents and its sweeper report it: the captured dump, and what technicians do to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from cli.demo.hardware import Evidence
from discovery.conversion import sweep_report, switch_reports
from discovery.descriptions import host_name
from discovery.ibnetdiscover import parse
from discovery.identity import Guid
from discovery.reports import UP, MissingSwitch, NodeReport, Port, ProbeOutcome
from discovery.scan import NodeKind, Scan, spell_guid
from tests.volcano.dump import Dump


@dataclass(slots=True)
class Superpod:
    """The site as it is now; `gone` are switches that sweeps miss, with the first sweep that did."""

    dump: Dump
    gone: dict[Guid, int] = field(default_factory=dict)
    sequence: int = 0

    @classmethod
    def captured(cls, path: Path) -> Superpod:
        """As it was when the dump was taken."""
        return cls(Dump.of(path.read_text()))

    @property
    def nodes(self) -> list[str]:
        """The DGX systems by name."""
        adapters = (self.dump.blocks[node].description for node in self.dump.described("^[a-z0-9-]+-dgx-"))
        return sorted({description.split()[0] for description in adapters})

    def replace_switch(self, pattern: str, guid: str) -> None:
        """The switch that is described so is another box from the next sweep on."""
        (switch,) = self.dump.described(pattern)
        self.dump.replace_switch(switch, guid)
        self.gone[Guid(switch.removeprefix("S-"))] = self.sequence + 1

    def look(self) -> Evidence:
        """One sweep more, and what every agent says."""
        self.sequence += 1
        scan, now = parse(self.dump.text().encode(), "superpod"), datetime.now(UTC)
        missing = [MissingSwitch(guid=guid, sinceSequence=since) for guid, since in self.gone.items()]
        return Evidence(
            nodes=_node_reports(scan, self.nodes, now),
            switches=tuple(switch_reports(scan, fabric="compute")),
            sweep=sweep_report(scan, self.sequence, start=now, end=now, missing=missing),
        )


def _node_reports(scan: Scan, nodes: list[str], now: datetime) -> Mapping[str, NodeReport]:
    ports: dict[str, list[Port]] = defaultdict(list)
    for row, description in enumerate(scan.nodes.description):
        name, device = host_name(description)
        if scan.nodes.kind[row] == NodeKind.HOST and name and device:
            spelled = spell_guid(int(scan.nodes.guid[row]))
            assert spelled is not None
            known = Guid(spelled)
            ports[name.lower()].append(
                Port(device=device, port=1, nodeGuid=known, portGuid=known, linkLayer="InfiniBand", verdict=UP)
            )
    probes = (ProbeOutcome(name="sysfs", outcome="Found"),)
    return {node: NodeReport(ports=tuple(ports[node]), probes=probes, bootId="1", heartbeat=now) for node in nodes}
