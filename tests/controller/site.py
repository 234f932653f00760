"""A small site as its agents and its sweeper report it: 2 units of 3 hosts with 2 adapters, rail leaves, 2 spines; of
InfiniBand, or of Ethernet.

Every rail leaf has a cable from each host of its unit and one to either spine, so a unit's domain has 3 x 2 host links
and 2 x 2 uplinks: 10 links of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from controller.snapshot import Snapshot
from discovery.conversion import report_names, sweep_report, switch_reports
from discovery.descriptions import host_name
from discovery.identity import Guid, guid
from discovery.reports import (
    COMPLETE,
    DOWN,
    SWEEPER_LABEL,
    UP,
    MissingSwitch,
    NodeReport,
    NvLink,
    Port,
    SwitchReport,
    switch_identity,
)
from discovery.scan import NodeKind, Scan
from kube.types import HyperNode, Node, NodeReportObject, ObjectMeta, SweepReportObject, SwitchReportObject
from topology.synth.damage import without_cable, without_switch
from topology.synth.drawing import Drawing
from topology.synth.ethernet import Voices, mac_of_node, node_ports, switch_reports_of
from topology.synth.evidence import scan_of
from topology.synth.spec import Tree, Unit
from topology.synth.tree import draw_tree

SWEEPER = "sweeper-1"
MORNING = datetime(2026, 3, 1, 6, 0, tzinfo=UTC)
TREE = Tree(units=(Unit(hosts=3, adapters=2),) * 2, wiring="rails", tiers=2, spines=2, aggregation=False)


@dataclass(slots=True)
class Site:
    """The site as it is now: what is cut, dead, gone; and how often it was swept."""

    drawing: Drawing = field(default_factory=lambda: draw_tree(TREE))
    nodes: list[str] = field(default_factory=list)
    cut: set[int] = field(default_factory=set)
    dead: dict[int, int] = field(default_factory=dict)
    """Switch to the first sweep that missed it."""
    retired: dict[Guid, int] = field(default_factory=dict)
    """The same of switches that another one stands in for."""
    replacements: int = 0
    nvlink: Mapping[str, NvLink] = field(default_factory=dict)
    outcome: str = COMPLETE
    sequence: int = 0
    reported: dict[str, SwitchReport] = field(default_factory=dict)
    voices: Voices | None = None
    """None: it is InfiniBand; else Ethernet."""
    deaf: set[str] = field(default_factory=set)
    """Nodes that hear nobody by LLDP."""

    def __post_init__(self) -> None:
        self.nodes = self.nodes or list(self.drawing.hosts)

    def host_cables(self, node: str) -> list[int]:
        """Rows of the cables of a host."""
        host = self.drawing.hosts.index(node)
        return [row for row in range(len(self.drawing.cables)) if self._host(row) == host]

    def uplinks(self, switch: int) -> list[int]:
        """Rows of the cables from a switch upward."""
        return [row for row, lower in enumerate(self.drawing.cables.lower.tolist()) if lower == switch]

    def switches_of(self, node: str) -> list[int]:
        """The leaves of a host."""
        return [int(self.drawing.cables.upper[row]) for row in self.host_cables(node)]

    def spines(self) -> list[int]:
        """The switches above."""
        return sorted({int(self.drawing.cables.upper[row]) for row in self.uplinks(self.switches_of(self.nodes[0])[0])})

    def _host(self, row: int) -> int:
        return int(self.drawing.places.host[self.drawing.cables.lower[row]])

    def as_it_is(self) -> Drawing:
        """Without what is cut or dead."""
        drawing = self.drawing
        for row in sorted(self.cut):
            drawing = without_cable(drawing, row)
        for switch in sorted(self.dead):
            drawing = without_switch(drawing, switch)
        return drawing

    def scan(self) -> Scan:
        """What a sweep sees now."""
        return scan_of(self.as_it_is())

    def sweep(self) -> None:
        """One more sweep: reports of the switches that it reaches are written anew."""
        self.sequence += 1
        if self.voices is None:
            reports = switch_reports(self.scan(), fabric="dc")
        else:
            reports = switch_reports_of(self.as_it_is(), self.voices) if self.voices.switches_told else []
        dead = {self.guid_of(switch) for switch in self.dead}
        fresh = [report for report in reports if switch_identity(report) not in dead]
        self.reported.update(zip(report_names(fresh), fresh, strict=True))

    def guid_of(self, switch: int) -> Guid:
        """As its report spells it."""
        if self.voices is not None:
            return Guid(mac_of_node(self.drawing, switch))
        spelled = guid(int(self.drawing.nodes.guid[switch]))
        assert spelled is not None
        return spelled

    def kill(self, switch: int) -> None:
        """The switch answers no sweep any more."""
        self.dead[switch] = self.sequence + 1

    def replace_switch(self, switch: int) -> None:
        """Another switch with the same cables stands in its place; the old one is missed from the next sweep on."""
        self.retired[self.guid_of(switch)] = self.sequence + 1
        nodes = self.drawing.nodes
        new, system = nodes.guid.copy(), nodes.system_guid.copy()
        self.replacements += 1
        new[switch] = system[switch] = 0x00AA_BBCC_DDEE_FF00 + self.replacements
        self.drawing = replace(self.drawing, nodes=replace(nodes, guid=new, system_guid=system))

    def named(self, name: str) -> list[int]:
        """The switches whose description has this in it."""
        texts = self.drawing.nodes.description
        return [switch for switch in sorted({*self.drawing.cables.upper.tolist()}) if name in texts[switch]]

    def exchange(self, one: str, other: str) -> None:
        """Two hosts change places, every cable."""
        self.cross(self.host_cables(one), self.host_cables(other))

    def cross(self, one: list[int], other: list[int]) -> None:
        """The cables of these rows change their upper ends, one with one."""
        cables = self.drawing.cables
        upper, ports = cables.upper.copy(), cables.upper_port.copy()
        for a, b in zip(one, other, strict=True):
            upper[[a, b]], ports[[a, b]] = upper[[b, a]], ports[[b, a]]
        self.drawing = replace(self.drawing, cables=replace(cables, upper=upper, upper_port=ports))

    def sweep_object(self) -> SweepReportObject:
        """The SweepReport of the last sweep."""
        dead = {**{self.guid_of(switch): since for switch, since in self.dead.items()}, **self.retired}
        missing = [MissingSwitch(guid=guid, sinceSequence=since) for guid, since in dead.items()]
        report = sweep_report(self.scan(), self.sequence, start=MORNING, end=MORNING, missing=missing)
        return SweepReportObject(metadata=meta(SWEEPER), spec=replace(report, outcome=self.outcome))

    def switch_objects(self) -> tuple[SwitchReportObject, ...]:
        """All SwitchReports, those of dead switches as they were last written."""
        return tuple(
            SwitchReportObject(metadata=meta(name, {SWEEPER_LABEL: SWEEPER}), spec=report)
            for name, report in sorted(self.reported.items())
        )

    def node_objects(self) -> tuple[Node, ...]:
        """The Nodes."""
        return tuple(Node(metadata=meta(node)) for node in sorted(self.nodes))

    def node_report_objects(self) -> tuple[NodeReportObject, ...]:
        """One report for every Node."""
        if self.voices is not None:
            return self._ethernet_reports(self.voices)
        ports: dict[str, list[Port]] = defaultdict(list)
        for row in range(len(self.drawing.cables)):
            lower = int(self.drawing.cables.lower[row])
            if self.drawing.nodes.kind[lower] == NodeKind.HOST:
                name, device = host_name(self.drawing.nodes.description[lower])
                ports[name or ""].append(self._port(row, lower, device or ""))
        return tuple(
            NodeReportObject(
                metadata=meta(node),
                spec=NodeReport(ports=tuple(ports[node]), nvlink=self.nvlink.get(node), heartbeat=self.heartbeat()),
            )
            for node in sorted(self.nodes)
        )

    def _ethernet_reports(self, voices: Voices) -> tuple[NodeReportObject, ...]:
        found = node_ports(self.as_it_is(), voices, frozenset(self.deaf))
        return tuple(
            NodeReportObject(
                metadata=meta(node),
                spec=NodeReport(
                    ports=found[node].ports,
                    interfaces=found[node].interfaces,
                    nvlink=self.nvlink.get(node),
                    heartbeat=self.heartbeat(),
                ),
            )
            for node in sorted(self.nodes)
        )

    def heartbeat(self) -> datetime:
        """Every sweep has its own."""
        return MORNING + timedelta(minutes=5 * self.sequence)

    def _port(self, row: int, lower: int, device: str) -> Port:
        identity = guid(int(self.drawing.nodes.guid[lower]))
        verdict = DOWN if row in self.cut else UP
        return Port(device=device, port=1, nodeGuid=identity, portGuid=identity, lastUp=MORNING, verdict=verdict)

    @property
    def swept(self) -> bool:
        """Whether there is a sweeper."""
        return self.voices is None or self.voices.switches_told

    def snapshot(self, hyper_nodes: tuple[HyperNode, ...] = ()) -> Snapshot:
        """All objects, in memory."""
        return Snapshot(
            nodes=self.node_objects(),
            node_reports=self.node_report_objects(),
            switch_reports=self.switch_objects(),
            sweeps=(self.sweep_object(),) if self.sequence and self.swept else (),
            hyper_nodes=hyper_nodes,
        )


def meta(name: str, labels: Mapping[str, str] | None = None) -> ObjectMeta:
    """Metadata of an object of the site."""
    return ObjectMeta(name=name, uid=f"uid-{name}", resource_version="1", labels=labels or {})
