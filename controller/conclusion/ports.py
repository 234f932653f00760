"""Ports that are neither up nor lost, by the reports of all nodes: never up so far, or waiting for a subnet manager.

An agent knows its own node only. Whether a port that never was up is missed shows by the same port of its peers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TypeVar

from discovery.health import WAITING_FOR_SUBNET_MANAGER
from discovery.reports import DEGRADED, DOWN, FLAPPING, UNPROVISIONED, UP, NodeReport, Port
from kube.types import NodeReportObject
from topology.hierarchy import Hierarchy
from topology.told import number_of_identity

_T = TypeVar("_T")

PortName = tuple[str, int]
"""Device and port."""

_HAS_LINK = frozenset({UP, DEGRADED, FLAPPING})
_NO_LINK = frozenset({DOWN, UNPROVISIONED})
_ONCE = datetime.fromtimestamp(0, UTC)
_NAMED = 3
_CALM = 600.0
"""Seconds without a port that waits before the next one is told again."""


@dataclass(frozen=True, slots=True)
class _Ports:
    """Of one node."""

    used: frozenset[PortName]
    """Up once, at least."""
    unused: frozenset[PortName]
    """Without a link, and without any record of one."""
    waiting: int


@dataclass(frozen=True, slots=True, eq=False)
class Ports:
    """Of all nodes, and what the next look goes on from. A mapping that comes out the same is the same object."""

    reports: Sequence[NodeReportObject] = ()
    was_up: frozenset[int] = frozenset()
    used: Mapping[str, frozenset[PortName]] = field(default_factory=dict)
    unused: Mapping[str, frozenset[PortName]] = field(default_factory=dict)
    """By node that has any."""
    waiting: Mapping[str, int] = field(default_factory=dict)
    """By node that has any: how many."""


def read_ports(last: Ports | None, reports: Sequence[NodeReportObject], was_up: frozenset[int]) -> Ports:
    """Read the reports that changed. `was_up`: GUIDs of ports that were up once, as far as that is remembered."""
    if last is None or len(last.reports) != len(reports) or last.was_up is not was_up:
        last, changed = Ports(), list(reports)
    else:
        changed = [now for before, now in zip(last.reports, reports, strict=True) if before.spec is not now.spec]
    new = {guid for found in changed for guid in _ever_up(found.spec)} - was_up
    was_up = was_up | new if new else was_up
    read = {found.metadata.name: _read(found.spec, was_up) for found in changed}
    return Ports(
        reports=reports,
        was_up=was_up,
        used=_with(last.used, {node: ports.used for node, ports in read.items()}),
        unused=_with(last.unused, {node: ports.unused for node, ports in read.items()}),
        waiting=_with(last.waiting, {node: ports.waiting for node, ports in read.items()}),
    )


def _with(last: Mapping[str, _T], now: Mapping[str, _T]) -> Mapping[str, _T]:
    """With what is read now; nodes of which there is nothing to tell are left out."""
    if all(last.get(node) == found or (not found and node not in last) for node, found in now.items()):
        return last
    return {node: found for node, found in {**last, **now}.items() if found}


def _ever_up(report: NodeReport) -> Iterator[int]:
    for port in report.ports:
        if port.portGuid and (port.lastUp is not None or port.verdict in _HAS_LINK):
            yield number_of_identity(port.portGuid)


def _read(report: NodeReport, was_up: frozenset[int]) -> _Ports:
    used = frozenset((port.device, port.port) for port in report.ports if was_once_up(port, was_up))
    unused = frozenset((port.device, port.port) for port in report.ports if port.verdict in _NO_LINK) - used
    waiting = sum(port.reason == WAITING_FOR_SUBNET_MANAGER for port in report.ports)
    return _Ports(used, unused, waiting)


def was_once_up(port: Port, was_up: frozenset[int]) -> bool:
    """Whether there is any record that the port was up: in its report, or here by its GUID."""
    if port.lastUp is not None or port.verdict in _HAS_LINK:
        return True
    return port.portGuid is not None and number_of_identity(port.portGuid) in was_up


def recalled(report: NodeReport, was_up: frozenset[int]) -> NodeReport:
    """The report as if its agent remembered every port that was up once: one of those is down, and no new one."""
    if all(port.lastUp is not None or not was_once_up(port, was_up) for port in report.ports):
        return report
    return replace(report, ports=tuple(_recalled(port) if was_once_up(port, was_up) else port for port in report.ports))


def _recalled(port: Port) -> Port:
    """When it was is not known any more."""
    word = DOWN if port.verdict == UNPROVISIONED else port.verdict
    return replace(port, lastUp=port.lastUp or _ONCE, verdict=word)


def units_of(hierarchy: Hierarchy) -> tuple[tuple[str, ...], ...]:
    """The nodes of every domain of leaves: those that are cabled alike."""
    return tuple(found.nodes for found in hierarchy.hyper_nodes if found.tier_name == "leaf")


def never_up(
    unused: Mapping[str, frozenset[PortName]], used: Mapping[str, frozenset[PortName]], units: Iterable[Sequence[str]]
) -> dict[str, tuple[str, ...]]:
    """By node its ports that never were up although at least half of the same ports of its peers were.

    The others have no cable because nobody meant them to have one.
    """
    found = dict[str, tuple[str, ...]]()
    if not unused:
        return found
    for unit in units:
        among = [node for node in unit if node in unused]
        if not among:
            continue
        have, lack = _count(unit, used), _count(unit, unused)
        for node in among:
            missed = [port for port in sorted(unused[node]) if have.get(port, 0) >= max(1, lack[port] - 1)]
            if missed:
                found[node] = tuple(f"{device}/{number}" for device, number in missed)
    return found


def _count(unit: Iterable[str], ports: Mapping[str, frozenset[PortName]]) -> dict[PortName, int]:
    counted: dict[PortName, int] = defaultdict(int)
    for node in unit:
        for port in ports.get(node, ()):
            counted[port] += 1
    return counted


@dataclass(frozen=True, slots=True)
class Waiting:
    """A fabric whose ports wait for their subnet manager: when the last one did, and what is said of it, once."""

    at: float
    sentence: str


def note_waiting(last: Mapping[str, Waiting], ports: Ports, hierarchy: Hierarchy, now: float) -> Mapping[str, Waiting]:
    """By root, until no port of its fabric has waited for a while: a subnet manager that fails over is one event."""
    kept = {root: waiting for root, waiting in last.items() if now - waiting.at <= _CALM}
    if not ports.waiting:
        return kept
    for root in hierarchy.hyper_nodes:
        nodes = [node for node in root.nodes if node in ports.waiting] if root.parent is None else []
        if nodes:
            before = kept.get(root.name)
            kept[root.name] = Waiting(now, before.sentence if before is not None else _waits(nodes, ports))
    return kept


def _waits(nodes: Sequence[str], ports: Ports) -> str:
    count = sum(ports.waiting[node] for node in nodes)
    some = ", ".join(nodes[:_NAMED]) + (f" and {len(nodes) - _NAMED} more nodes" if len(nodes) > _NAMED else "")
    they_wait = "port with a working cable waits" if count == 1 else "ports with a working cable wait"
    return f"{count} {they_wait} for the subnet manager ({some}): check that one runs for this fabric"
