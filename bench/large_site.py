"""A site of thousands of hosts as its agents and its sweeper report it, and what is written when a cable is cut."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from agent.publishing import compact
from bench.map import fabric
from discovery.conversion import report_names, sweep_report, switch_reports
from discovery.descriptions import host_name
from discovery.identity import guid
from discovery.reports import (
    ABSENT,
    DOWN,
    FOUND,
    SWEEPER_LABEL,
    UP,
    Interface,
    NodeReport,
    Port,
    ProbeOutcome,
    SweepReport,
    SwitchReport,
)
from discovery.scan import Scan
from topology.conclude import conclude
from topology.hierarchy import HyperNode
from topology.synth.drawing import Drawing
from topology.synth.evidence import scan_of
from topology.synth.tree import draw_tree

Document = dict[str, Any]

SWEEPER = "sweeper-1"
MORNING = datetime(2026, 3, 1, 6, 0, tzinfo=UTC)
VERSION = "hyperscout.io/v1alpha1"
SWITCHES, REPORTS, SWEEPS = (f"/apis/{VERSION}/{plural}" for plural in ("switchreports", "nodereports", "sweepreports"))
NODES = "/api/v1/nodes"
INTERFACES = tuple(Interface(name=f"eth{n}", mac=f"0c:42:a1:00:00:0{n}", speed=100_000, carrier=True) for n in (0, 1))
PROBES = tuple(ProbeOutcome(name=name, outcome=found) for name, found in (("sysfs", FOUND), ("lldp", ABSENT)))


@dataclass(frozen=True, slots=True)
class Cut:
    """One cable that goes, and what is written because of it: path of the object, and the object."""

    hyper_node: str
    """The one that the link belongs to."""
    node: str
    """The node whose port it is; "" for a cable between switches."""
    writes: tuple[tuple[str, Document], ...]


@dataclass(slots=True)
class LargeSite:
    """Rail-optimised in three tiers, 8 rails, as `bench map` draws it."""

    hosts: int
    drawing: Drawing = field(init=False)
    reports: dict[str, NodeReport] = field(init=False)
    switches: dict[str, SwitchReport] = field(init=False)
    sweep: SweepReport = field(init=False)
    tree: tuple[HyperNode, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.drawing = draw_tree(fabric(self.hosts))
        scan: Scan = scan_of(self.drawing)
        reports = switch_reports(scan, fabric="dc")
        self.switches = dict(zip(report_names(reports), reports, strict=True))
        self.sweep = sweep_report(scan, 1, start=MORNING, end=MORNING)
        self.reports = dict(self._node_reports())
        self.tree = conclude([scan]).hierarchy.hyper_nodes

    def _node_reports(self) -> Iterator[tuple[str, NodeReport]]:
        ports: dict[str, list[Port]] = defaultdict(list)
        for lower in self.drawing.cables.lower[self.drawing.host_cables()].tolist():
            name, device = host_name(self.drawing.nodes.description[lower])
            identity = guid(int(self.drawing.nodes.guid[lower]))
            ports[name or ""].append(
                Port(
                    device=device or "", port=1, nodeGuid=identity, portGuid=identity, systemImageGuid=identity,
                    linkLayer="InfiniBand", state="Active", physicalState="LinkUp", width=4, speed="NDR",
                    lastUp=MORNING, verdict=UP,
                )
            )  # fmt: skip
        for name in sorted(ports):
            yield (
                name,
                NodeReport(
                    ports=tuple(ports[name]),
                    interfaces=INTERFACES,
                    probes=PROBES,
                    bootId=f"boot-{name}",
                    heartbeat=MORNING,
                ),
            )

    def nodes(self) -> Iterator[Document]:
        """Node objects of the size that a small cluster component leaves of them."""
        for number, name in enumerate(self.reports):
            yield a_node(name, number)

    def node_reports(self) -> Iterator[Document]:
        """All NodeReports."""
        for name, report in self.reports.items():
            yield _report("NodeReport", name, report)

    def switch_reports(self) -> Iterator[Document]:
        """All SwitchReports."""
        for name, report in self.switches.items():
            yield _report("SwitchReport", name, report, {SWEEPER_LABEL: SWEEPER})

    def sweep_report(self) -> Document:
        """The SweepReport as it is now."""
        return _report("SweepReport", SWEEPER, self.sweep, {SWEEPER_LABEL: SWEEPER})

    def cuts(self) -> Iterator[Cut]:
        """Cables of one leaf HyperNode after the other, of a host and between switches by turns; none twice."""
        switch_names = {report.guid: name for name, report in self.switches.items()}
        leaves = [found for found in self.tree if not found.children]
        for turn in range(self.hosts):
            leaf = leaves[turn % len(leaves)]
            if turn % 2:
                yield self._cut_uplink(leaf, switch_names, turn)
            else:
                yield self._cut_host(leaf, switch_names, turn // len(leaves))

    def _cut_host(self, leaf: HyperNode, switch_names: dict[Any, str], place: int) -> Cut:
        node = leaf.nodes[place % len(leaf.nodes)]
        report = self.reports[node]
        port = next(port for port in report.ports if port.verdict == UP)
        down = replace(port, verdict=DOWN, state="Down", physicalState="Polling", reason="Polling")
        self.reports[node] = replace(report, ports=tuple(down if found is port else found for found in report.ports))
        name = next(
            name
            for name in (switch_names.get(spelled) for spelled in map(_guid, leaf.switch_guids))
            if name and any(end.peer and end.peer.guid == port.nodeGuid for end in self.switches[name].ports)
        )
        at = next(end for end in self.switches[name].ports if end.peer and end.peer.guid == port.nodeGuid)
        self._lose(name, at.number)
        report_write = (f"{REPORTS}/{node}", _report("NodeReport", node, self.reports[node]))
        return Cut(leaf.name, node, (report_write, *self._swept(name)))

    def _cut_uplink(self, leaf: HyperNode, switch_names: dict[Any, str], turn: int) -> Cut:
        guids = [found for found in map(_guid, leaf.switch_guids) if found in switch_names]
        name = switch_names[guids[turn % len(guids)]]
        near = next(port for port in self.switches[name].ports if port.peer and port.peer.guid in switch_names)
        assert near.peer is not None
        far = switch_names[near.peer.guid]
        self._lose(name, near.number)
        self._lose(far, near.peer.port or 0)
        return Cut(leaf.name, "", self._swept(name, far))

    def _lose(self, switch: str, port: int) -> None:
        report = self.switches[switch]
        self.switches[switch] = replace(report, ports=tuple(found for found in report.ports if found.number != port))

    def _swept(self, *switches: str) -> tuple[tuple[str, Document], ...]:
        """What the next sweep writes: the SweepReport last."""
        self.sweep = replace(self.sweep, sequence=self.sweep.sequence + 1)
        labels = {SWEEPER_LABEL: SWEEPER}
        reports = [
            (f"{SWITCHES}/{name}", _report("SwitchReport", name, self.switches[name], labels)) for name in switches
        ]
        return (*reports, (f"{SWEEPS}/{SWEEPER}", self.sweep_report()))


def _guid(spelled: str) -> str | None:
    """As reports spell it."""
    return guid(int(spelled, 16))


def _report(
    kind: str, name: str, spec: NodeReport | SwitchReport | SweepReport, labels: dict[str, str] | None = None
) -> Document:
    metadata: Document = {"name": name, **({"labels": labels} if labels else {})}
    return {"apiVersion": VERSION, "kind": kind, "metadata": metadata, "spec": compact(spec)}


def a_node(name: str, number: int) -> Document:
    """A Node with what kubelets and their like leave on it."""
    labels = {
        "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
        "node.kubernetes.io/instance-type": "gpu.8", "topology.kubernetes.io/zone": f"zone-{number % 4}",
        "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu.count": "8",
    }  # fmt: skip
    amounts = {"cpu": "192", "memory": "2113476Ki", "pods": "110", "nvidia.com/gpu": "8", "ephemeral-storage": "7Ti"}
    conditions = [
        {
            "type": kind, "status": status, "reason": f"Kubelet{kind}", "message": f"kubelet says {kind} is {status}",
            "lastHeartbeatTime": "2026-03-01T06:00:00Z", "lastTransitionTime": "2026-03-01T06:00:00Z",
        }
        for kind, status in (
            ("MemoryPressure", "False"), ("DiskPressure", "False"), ("PIDPressure", "False"), ("Ready", "True"),
        )
    ]  # fmt: skip
    addresses = [
        {"type": "InternalIP", "address": f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"},
        {"type": "Hostname", "address": name},
    ]
    status = {"allocatable": amounts, "capacity": amounts, "conditions": conditions, "addresses": addresses}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "status": status}


def a_pod(number: int, node: str) -> Document:
    """A bound pod of a training job."""
    container = {
        "name": "worker", "image": "registry.test/train:1", "command": ["python", "-m", "train"],
        "env": [{"name": f"SETTING_{n}", "value": f"value-{n}"} for n in range(8)],
        "resources": {"limits": {"cpu": "12", "memory": "200Gi", "nvidia.com/gpu": "4"}},
        "ports": [{"containerPort": 29500}],
    }  # fmt: skip
    labels = {
        "app": "train",
        "job": f"job-{number // 64}",
        "batch.kubernetes.io/job-completion-index": str(number % 64),
    }
    spec = {"nodeName": node, "containers": [container], "automountServiceAccountToken": False}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"worker-{number:05d}", "labels": labels},
        "spec": spec,
    }
