"""The demo's hardware, played: what agents and a sweeper would report of 118 nodes, with cables that can be cut.

Racks, rows and spines are found from this evidence alone; the node names carry them too, and that is how the story is
checked, never how it is told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from discovery.conversion import sweep_report, switch_reports
from discovery.descriptions import host_name
from discovery.identity import Guid, guid
from discovery.reports import DOWN, UP, NodeReport, NvLink, Port, ProbeOutcome, SweepReport, SwitchReport
from discovery.scan import NodeKind
from topology.synth.damage import without_cable
from topology.synth.drawing import Drawing
from topology.synth.evidence import scan_of
from topology.synth.sites import Site, demo_site

SWEEPER = "demo-sweeper"


@dataclass(frozen=True, slots=True)
class Cable:
    """One host cable: its row in the drawing and both ends in the operator's words."""

    row: int
    node: str
    device: str
    switch: str
    switch_port: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """All reports of one moment, by object name."""

    nodes: Mapping[str, NodeReport]
    switches: tuple[SwitchReport, ...]
    sweep: SweepReport


@dataclass(slots=True)
class Hardware:
    """The site, and which of its cables are cut just now."""

    site: Site = field(default_factory=demo_site)
    cut: set[int] = field(default_factory=set)
    sequence: int = 0

    @property
    def fabric(self) -> Drawing:
        """The one fabric of the site."""
        return self.site.fabrics[0]

    def cable_of(self, node: str) -> Cable:
        """The first cable of a node."""
        drawing = self.fabric
        host = drawing.hosts.index(node)
        row = next(
            row
            for row, lower in enumerate(drawing.cables.lower.tolist())
            if drawing.nodes.kind[lower] == NodeKind.HOST and drawing.places.host[lower] == host
        )
        lower, upper = int(drawing.cables.lower[row]), int(drawing.cables.upper[row])
        device = host_name(drawing.nodes.description[lower])[1] or "?"
        switch = drawing.nodes.description[upper].removeprefix("MF0;").partition(":")[0]
        return Cable(row, node, device, switch, int(drawing.cables.upper_port[row]))

    def look(self) -> Evidence:
        """What everybody reports now."""
        self.sequence += 1
        drawing = self.fabric
        for row in sorted(self.cut):
            drawing = without_cable(drawing, row)
        scan = scan_of(drawing)
        now = datetime.now(UTC)
        return Evidence(
            nodes={node: self._node_report(node, ports, now) for node, ports in self._ports().items()},
            switches=tuple(switch_reports(scan, fabric="dc1")),
            sweep=sweep_report(scan, sequence=self.sequence, start=now, end=now),
        )

    def _ports(self) -> dict[str, list[Port]]:
        """By node its ports; a node without any is there too."""
        ports: dict[str, list[Port]] = defaultdict(list, {node: [] for node in self.site.nodes})
        drawing = self.fabric
        for row, lower in enumerate(drawing.cables.lower.tolist()):
            if drawing.nodes.kind[lower] != NodeKind.HOST:
                continue
            node, device = host_name(drawing.nodes.description[lower])
            up = row not in self.cut
            ports[node or ""].append(_port(device or "", guid(int(drawing.nodes.guid[lower])), up))
        return ports

    def _node_report(self, node: str, ports: list[Port], now: datetime) -> NodeReport:
        domain = self.site.nvlink.get(node)
        uuid, _, clique = (domain or "").partition(".")
        found = "Found" if ports else "Absent"
        return NodeReport(
            ports=tuple(ports),
            nvlink=NvLink(clusterUuid=uuid, cliqueId=int(clique), state="Completed") if domain else None,
            probes=(ProbeOutcome(name="sysfs", outcome=found), ProbeOutcome(name="nvlink", outcome=found)),
            bootId="demo",
            heartbeat=now,
        )


def _port(device: str, known: Guid | None, up: bool) -> Port:
    return Port(
        device=device,
        port=1,
        nodeGuid=known,
        portGuid=known,
        linkLayer="InfiniBand",
        state="Active" if up else "Down",
        physicalState="LinkUp" if up else "Polling",
        width=4,
        speed="NDR",
        verdict=UP if up else DOWN,
        reason=None if up else "PhysicalLinkDown",
    )
