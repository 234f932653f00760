"""The evidence kinds: what an agent says of its node, a sweeper of each switch, and a sweeper of its sweep.

Each kind is one frozen dataclass, the `spec` of a cluster-scoped object of `hyperscout.io/v1alpha1`; the envelope
(metadata) belongs to `kube`. msgspec decodes into it and pydantic's TypeAdapter gives the CRD schema from it, attribute
docstrings included, so nothing is declared twice: field names are the JSON's. A value that agents write is a plain
string, never an enum, and every field but those that say which thing is meant has a default, because agents and
controller may differ by one minor version. None is "not known", never zero.
"""
# ruff: noqa: N815 - field names are the JSON's own (camelCase), msgspec renames no dataclass fields

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from discovery.identity import ChassisId, Guid, NodeName, switch_object_name

UP, DOWN, DEGRADED, FLAPPING, UNPROVISIONED, UNKNOWN = (
    "Up", "Down", "Degraded", "Flapping", "Unprovisioned", "Unknown",
)  # fmt: skip
"""The verdicts of a port."""
FOUND, ABSENT, FAILED = "Found", "Absent", "Failed"
"""The outcomes of a probe; FAILED also of a sweep."""
COMPLETE, PARTIAL = "Complete", "Partial"
"""The other outcomes of a sweep."""
HOST, SWITCH, ROUTER, AGGREGATION = "Host", "Switch", "Router", "Aggregation"
"""The kinds of a peer."""

REPORTED_BY_PEER = "ReportedByPeer"
"""The reason of a switch port whose cable only the far end tells of."""

SWEEPER_LABEL = "hyperscout.io/sweeper"
"""On SwitchReports and SweepReports: the sweeper that writes the object, and nobody else does."""

MAX_PORTS, MAX_INTERFACES = 128, 128
"""So many a NodeReport names at most: a stolen token shall not claim a whole fabric."""
MAX_PEERS = 8
"""So many neighbours a SwitchPort names at most: a management network shows hundreds on one port."""
MAX_MISSING = 500
"""So many missing switches a SweepReport names at most."""
MAX_REASONS = 20
"""So many reasons a SweepReport gives at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Port:
    """One RDMA port of a node."""

    device: str
    """The kernel's name of the adapter, such as `mlx5_0`."""
    port: int
    """Counted from 1; found, never assumed."""
    nodeGuid: Guid | None = None
    portGuid: Guid | None = None
    systemImageGuid: Guid | None = None
    linkLayer: str | None = None
    """`InfiniBand` or `Ethernet`."""
    state: str | None = None
    """Logical state: Down, Init, Armed or Active."""
    physicalState: str | None = None
    """Physical state, such as Polling, Disabled or LinkUp."""
    width: int | None = None
    """Lanes."""
    speed: str | None = None
    """Rate of one lane by its name, such as `NDR`."""
    lastUp: datetime | None = None
    """When the port was last seen up, over restarts of the agent; null: no record that it ever was."""
    verdict: str = UNKNOWN
    """Up, Degraded, Flapping, Down, Unprovisioned or Unknown."""
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """What LLDP heard on an interface."""

    chassisId: ChassisId | None = None
    chassisIdSubtype: str | None = None
    """By its name in IEEE 802.1AB, such as `mac`."""
    portId: str | None = None
    portIdSubtype: str | None = None
    """By its name in IEEE 802.1AB, such as `ifname`."""
    systemName: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Interface:
    """One physical network interface of a node."""

    name: str
    mac: str | None = None
    speed: int | None = None
    """Megabits a second."""
    carrier: bool | None = None
    bond: str | None = None
    """The bond that it is a member of."""
    rdmaDevice: str | None = None
    neighbours: tuple[Neighbour, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NvLink:
    """The NVLink domain of the node's GPUs, as the driver tells it."""

    clusterUuid: str | None = None
    """All zero: in no domain."""
    cliqueId: int | None = None
    state: str | None = None
    """Of the registration with the fabric: NotSupported, NotStarted, InProgress or Completed."""
    healthSummary: str | None = None
    """Of the worst GPU: Healthy, Unhealthy or LimitedCapacity; it says nothing of the membership."""
    gpus: int | None = None
    unhealthyGpus: int | None = None
    """Those of them that are not Healthy."""
    links: int | None = None
    """Of all GPUs together."""
    unhealthyLinks: int | None = None
    """Those of them that are Down after having been up, Flapping or Degraded."""
    badLinks: tuple[str, ...] = ()
    """Which, by GPU and verdict, such as `GPU 2 links 0-3,7 Down`; at most 32."""
    reason: str | None = None
    """What the GPUs that are not healthy complain of; without a summary: those of which that is not yet decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeOutcome:
    """How one probe went."""

    name: str
    outcome: str
    """Found, Absent (nothing of that kind here) or Failed."""
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeReport:
    """What the agent of one node sees of its ports, interfaces and NVLink. Named as the node."""

    __pydantic_config__: ClassVar[dict[str, bool]] = {"use_attribute_docstrings": True}

    ports: tuple[Port, ...] = ()
    interfaces: tuple[Interface, ...] = ()
    nvlink: NvLink | None = None
    probes: tuple[ProbeOutcome, ...] = ()
    bootId: str | None = None
    heartbeat: datetime | None = None
    """When the agent last looked, by its own clock. Age is judged by the reader since this last changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A condition in the form of metav1.Condition."""

    type: str
    status: str
    """True, False or Unknown."""
    reason: str
    message: str = ""
    lastTransitionTime: datetime | None = None
    observedGeneration: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeReportStatus:
    """What the controller concluded for the node; written by it alone."""

    __pydantic_config__: ClassVar[dict[str, bool]] = {"use_attribute_docstrings": True}

    conditions: tuple[Condition, ...] = ()
    """`Placed`: whether the node stands in a HyperNode, and why not."""
    hyperNode: str | None = None
    """The lowest HyperNode that holds the node."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """What stands at the other end of a switch port's cable."""

    kind: str
    """Host, Switch, Router or Aggregation."""
    guid: Guid | None = None
    portGuid: Guid | None = None
    systemImageGuid: Guid | None = None
    chassisId: ChassisId | None = None
    """In place of the GUIDs where the link layer is Ethernet."""
    description: str | None = None
    """Of InfiniBand its node description; of Ethernet the system name."""
    port: int | None = None
    deviceId: int | None = None
    """The device id of its silicon; null where the peer was not reached itself."""
    portId: str | None = None
    """Ethernet: the port by the id that the peer gives it, such as `Ethernet1/1`; a MAC as chassis ids are written."""
    portIdSubtype: str | None = None
    """Ethernet: by its name in IEEE 802.1AB, such as `ifname`."""
    mac: str | None = None
    """Ethernet: of the peer's port, where it or its adapter's firmware tells it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchPort:
    """One port of a switch."""

    number: int
    """Counted from 1."""
    width: int | None = None
    """Lanes."""
    speed: str | None = None
    """Rate of one lane by its name (`NDR`); of the whole port for Ethernet (`400G`)."""
    verdict: str = UNKNOWN
    """Up, Degraded, Flapping, Down, Unprovisioned or Unknown."""
    reason: str | None = None
    peer: Peer | None = None
    """Null too where several are heard and none is likelier; they are then in `peers`."""
    peers: tuple[Peer, ...] = ()
    """Ethernet: all that are heard, where that are several; at most 8. An adapter's firmware and the operating system
    above it are one."""
    name: str | None = None
    """Ethernet: the switch's name of the port (ifName), such as `Ethernet1/1`."""
    portId: str | None = None
    """Ethernet: the id by which its neighbours know the port."""
    mac: str | None = None
    """Ethernet: of the port itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchReport:
    """What a sweeper sees of one switch. The label `hyperscout.io/sweeper` names its only writer."""

    __pydantic_config__: ClassVar[dict[str, bool]] = {"use_attribute_docstrings": True}

    fabric: str | None = None
    guid: Guid | None = None
    """The node GUID."""
    chassisId: ChassisId | None = None
    """In place of the GUIDs where the link layer is Ethernet."""
    systemImageGuid: Guid | None = None
    description: str | None = None
    model: str | None = None
    portCount: int | None = None
    deviceId: int | None = None
    """The device id of its silicon."""
    ports: tuple[SwitchPort, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingSwitch:
    """A switch that earlier sweeps saw and the last one did not."""

    guid: Guid
    """The chassis id in its place where the link layer is Ethernet."""
    sinceSequence: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepReport:
    """How one sweeper's last sweep went. Freshness, partial scans and removal are concluded from it alone."""

    __pydantic_config__: ClassVar[dict[str, bool]] = {"use_attribute_docstrings": True}

    sequence: int = 0
    """Rises by one with each sweep."""
    start: datetime | None = None
    end: datetime | None = None
    outcome: str = FAILED
    """Complete, Partial or Failed."""
    reasons: tuple[str, ...] = ()
    """Why it is not complete; at most 20."""
    switches: int = 0
    hosts: int = 0
    toolVersion: str | None = None
    """The version that the sweeping tool gives of itself."""
    missing: tuple[MissingSwitch, ...] = ()
    """At most 500."""


def switch_identity(report: SwitchReport) -> Guid | None:
    """By what sweepers know the switch again and SweepReports name it: the GUID, or the chassis id in its place."""
    return report.guid or (Guid(report.chassisId) if report.chassisId else None)


def is_ethernet(report: SwitchReport) -> bool:
    """Whether the switch is one of Ethernet: it has a chassis id in place of the GUIDs."""
    return bool(report.chassisId) and not report.guid


def switch_report_name(report: SwitchReport, *, shares_box: bool = False) -> str:
    """The object name of a SwitchReport (see `discovery.identity.switch_object_name`, also for `shares_box`)."""
    return switch_object_name(
        system_image=report.systemImageGuid, node=report.guid, chassis=report.chassisId, shares_box=shares_box
    )


def node_report_name(node: NodeName) -> str:
    """The object name of a NodeReport: that of its node."""
    return node
