"""SwitchReports as a Scan: what the sweepers published, in the form in which everything is concluded.

The inverse of `discovery.conversion.switch_reports`, as far as reports go: the nodes are the reported switches and
their peers. Reports come from processes of another version or from other hands, so a value that cannot be used is a
problem of its port, never of the rest.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from discovery.conversion import BY_A, BY_B, PEER_KINDS
from discovery.identity import guid_number, has_number
from discovery.reports import REPORTED_BY_PEER, Peer, SwitchPort, SwitchReport, is_ethernet
from discovery.scan import LinkColumns, NodeColumns, NodeKind, Problem, Scan, Speed

_KINDS = {name: kind for kind, name in PEER_KINDS.items()}
_SPEEDS = {speed.spelled: speed for speed in Speed}
_MAX_PORT = 0x7FFF

End = tuple[int, int]
"""Node index and port."""


@dataclass(slots=True)
class _Node:
    guid: int
    kind: NodeKind
    system_guid: int
    device_id: int
    port_count: int
    described: bool
    description: str
    ethernet: bool


@dataclass(slots=True)
class _Cable:
    width: int = 0
    speed: int = 0
    reported_by: int = 0
    port_guids: list[int] = field(default_factory=lambda: [0, 0])


@dataclass(slots=True)
class _Collection:
    """Nodes and cables as they are found, each once."""

    nodes: list[_Node] = field(default_factory=list)
    index: dict[int, int] = field(default_factory=dict)
    cables: dict[tuple[End, End], _Cable] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    """By spelling: each comes many times."""
    spelled: dict[int, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def number(self, identity: str | None) -> int:
        """The 64-bit number of an identity; 0 for none and for all zeros."""
        if not identity:
            return 0
        number = self.numbers.get(identity)
        if number is None:
            number = self.numbers[identity] = guid_number(identity)
            if not has_number(identity):
                self.spelled[number] = identity
        return number

    def add(self, node: _Node) -> int:
        """The index of the node with this GUID; the first that tells of it counts."""
        index = self.index.setdefault(node.guid, len(self.nodes))
        if index == len(self.nodes):
            self.nodes.append(node)
        return index

    def refuse(self, report: SwitchReport, reason: str) -> None:
        """Note something in a report that cannot be used."""
        self.problems.append(Problem(0, str(report.guid or report.chassisId or report.description), reason))


def scan_from_reports(reports: Iterable[SwitchReport], source: str = "switch reports") -> Scan:
    """One scan of all reports of a fabric. A cable counts whatever its port's verdict: health is judged elsewhere."""
    found = _Collection()
    switches: list[tuple[int, SwitchReport]] = []
    for report in reports:
        guid = found.number(report.guid or report.chassisId)
        if not guid:
            found.refuse(report, "a switch without a GUID and without a chassis id")
            continue
        switches.append((found.add(_switch(guid, report, found)), report))
    for node, report in switches:
        for port in report.ports:
            if port.peer is not None:
                _add_cable(node, port, port.peer, report, found)
    ethernet = np.array([node.ethernet for node in found.nodes], np.bool_)
    return Scan(
        source,
        _node_columns(found),
        _link_columns(found),
        tuple(found.problems),
        found.spelled or None,
        ethernet=ethernet if ethernet.any() else None,
    )


def is_only_named(report: SwitchReport) -> bool:
    """Whether only others tell of this switch, and nothing is known of its other cables (`discovery.ethernet`)."""
    own = report.portCount is not None or report.model is not None
    return is_ethernet(report) and not own and all(port.reason == REPORTED_BY_PEER for port in report.ports)


def _switch(guid: int, report: SwitchReport, found: _Collection) -> _Node:
    return _Node(
        guid=guid,
        kind=NodeKind.SWITCH,
        system_guid=found.number(report.systemImageGuid),
        device_id=_within(report.deviceId, 0xFFFF_FFFF),
        port_count=_within(report.portCount, 0xFFFF),
        described=not is_only_named(report),
        description=report.description or "",
        ethernet=is_ethernet(report),
    )


def _add_cable(node: int, port: SwitchPort, peer: Peer, report: SwitchReport, found: _Collection) -> None:
    kind, guid = _KINDS.get(peer.kind), found.number(peer.guid or peer.chassisId)
    if kind is None or not guid:
        found.refuse(report, f"port {port.number}: the peer has no identity, or a kind that is not known here")
        return
    if not 0 <= port.number <= _MAX_PORT or not 0 <= (peer.port or 0) <= _MAX_PORT:
        found.refuse(report, f"port {port.number}: no port has such a number")
        return
    device = _within(peer.deviceId, 0xFFFF_FFFF)
    system = found.number(peer.systemImageGuid)
    described, ethernet = peer.deviceId is not None, is_ethernet(report)
    far = found.add(_Node(guid, kind, system, device, 0, described, peer.description or "", ethernet))
    near_end, far_end = (node, port.number), (far, peer.port or 0)
    is_a = near_end <= far_end
    cable = found.cables.setdefault((near_end, far_end) if is_a else (far_end, near_end), _Cable())
    told_by_near = port.reason != REPORTED_BY_PEER
    cable.reported_by |= BY_A if is_a == told_by_near else BY_B
    far_side = 1 if is_a else 0
    cable.port_guids[far_side] = cable.port_guids[far_side] or found.number(peer.portGuid)
    cable.width = _slower(cable.width, _within(port.width, 0xFF))
    cable.speed = _slower(cable.speed, _SPEEDS.get(port.speed or "", Speed.UNKNOWN))


def _within(value: int | None, most: int) -> int:
    """The value, or 0 (unknown) where it is none or out of range."""
    return value if value is not None and 0 <= value <= most else 0


def _slower(one: int, other: int) -> int:
    return min(one, other) if one and other else one or other


def _node_columns(found: _Collection) -> NodeColumns:
    nodes = found.nodes
    return NodeColumns(
        guid=np.array([node.guid for node in nodes], np.uint64),
        system_guid=np.array([node.system_guid for node in nodes], np.uint64),
        kind=np.array([node.kind for node in nodes], np.uint8),
        vendor_id=np.zeros(len(nodes), np.uint32),
        device_id=np.array([node.device_id for node in nodes], np.uint32),
        port_count=np.array([node.port_count for node in nodes], np.uint16),
        described=np.array([node.described for node in nodes], np.bool_),
        description=tuple(node.description for node in nodes),
    )


def _link_columns(found: _Collection) -> LinkColumns:
    rows = sorted(found.cables.items())
    ends = np.array([(*a, *b) for (a, b), _ in rows], np.int32).reshape(-1, 4)
    guids = np.array([cable.port_guids for _, cable in rows], np.uint64).reshape(-1, 2)
    rates = np.array([(cable.width, cable.speed, cable.reported_by) for _, cable in rows], np.uint8).reshape(-1, 3)
    return LinkColumns(
        a_node=ends[:, 0],
        a_port=ends[:, 1].astype(np.int16),
        b_node=ends[:, 2],
        b_port=ends[:, 3].astype(np.int16),
        a_port_guid=guids[:, 0],
        b_port_guid=guids[:, 1],
        width=rates[:, 0],
        speed=rates[:, 1],
        reported_by=rates[:, 2],
    )
