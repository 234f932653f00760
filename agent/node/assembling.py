"""The NodeReport of what is known of a node: which interfaces count, and how large a report may be. Pure.

What does not fit is left out by a fixed order, and the reason of the probe that found it says so: first long names and
the neighbours of an interface that has too many, then interfaces without an RDMA device, then those with one, then
ports.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import msgspec

from agent.node.evidence import LLDP, NETLINK, SYSFS, Evidence
from agent.node.watching import clip
from agent.publishing import compact
from discovery.lldp.neighbours import MAX_NEIGHBOURS
from discovery.netlink import Link
from discovery.reports import MAX_INTERFACES, MAX_PORTS, Interface, Neighbour, NodeReport, NvLink, Port

T = TypeVar("T")

MAX_REPORT = 16_000
"""Bytes of the spec as compact JSON."""
MAX_INTERFACE = 390
"""Bytes of one interface; the rules allow 400, of which a comma is one."""
_ROOM_TO_TELL = 200
"""Bytes for the sentences about what was left out."""
MAX_NAME = 64
"""Characters of what a neighbour calls itself and its port. Longer ids are cut, for a cut id is still one."""
_SHORTER_NAMES = (MAX_NAME, 32, 16, 0)
"""Where several neighbours do not fit, what they call themselves becomes shorter first, and goes at last."""


@dataclass(frozen=True, slots=True)
class Assembled:
    """A report, and how many things of a kind it leaves out because they do not fit."""

    report: NodeReport
    left_out: dict[str, int] = field(default_factory=dict)


def assemble(evidence: Evidence, ports: Sequence[Port], nvlink: NvLink | None) -> Assembled:
    """The report at that moment, with verdicts as they are given."""
    whole = interfaces_of(evidence)
    interfaces = [_fitting(interface) for interface in whole]
    left_out = {"neighbours": _heard(whole) - _heard(interfaces)}
    report = NodeReport(
        ports=tuple(ports[:MAX_PORTS]),
        interfaces=tuple(interfaces[:MAX_INTERFACES]),
        nvlink=nvlink,
        probes=tuple(kept.told for kept in evidence.kept),
        bootId=evidence.boot_id,
        heartbeat=evidence.at.replace(microsecond=0),
    )
    report = _bounded(report)
    left_out |= {"ports": len(ports) - len(report.ports), "interfaces": len(interfaces) - len(report.interfaces)}
    left_out = {kind: number for kind, number in left_out.items() if number}
    return Assembled(_telling(report, left_out), left_out)


def interfaces_of(evidence: Evidence) -> list[Interface]:
    """Those that have an RDMA device or a neighbour, the former first; each in the order of the kernel."""
    links = {link.name: link for link in evidence.counting}
    rdma, neighbours, bonds = evidence.rdma_devices, evidence.neighbours, evidence.bonds
    names = [*rdma, *(name for name in (*links, *neighbours) if name not in rdma and neighbours.get(name))]
    found = (
        _interface(name, links.get(name), rdma.get(name), neighbours.get(name, ())) for name in dict.fromkeys(names)
    )
    return [one if one.bond else replace(one, bond=bonds.get(one.name)) for one in found]


def _interface(name: str, link: Link | None, rdma: str | None, neighbours: tuple[Neighbour, ...]) -> Interface:
    if link is None:
        return Interface(name=name, rdmaDevice=rdma, neighbours=neighbours)
    return Interface(
        name=name,
        mac=link.mac,
        speed=link.speed,
        carrier=link.carrier,
        bond=link.bond,
        rdmaDevice=rdma,
        neighbours=neighbours,
    )


def _heard(interfaces: Sequence[Interface]) -> int:
    return sum(len(interface.neighbours) for interface in interfaces)


def _fitting(interface: Interface) -> Interface:
    """No larger than an interface may be. One neighbour is told in any case; of several all or none, for of some the
    reader would believe what nobody may believe of all. As many as are kept at most may be some, too."""
    several = len(interface.neighbours) > 1
    if several and len(interface.neighbours) < MAX_NEIGHBOURS:
        shorter = (_named(interface, most) for most in _SHORTER_NAMES)
        fitting = next((one for one in shorter if _size(one) <= MAX_INTERFACE), None)
        return fitting or replace(interface, neighbours=())
    return replace(interface, neighbours=()) if several else _named(interface, MAX_NAME)


def _named(interface: Interface, most: int) -> Interface:
    """With so many characters of what its neighbours call themselves."""
    told = tuple(
        replace(
            neighbour,
            portId=clip(neighbour.portId, MAX_NAME),
            systemName=clip(neighbour.systemName, most) if most else None,
        )
        for neighbour in interface.neighbours
    )
    return replace(interface, neighbours=told)


def _bounded(report: NodeReport) -> NodeReport:
    """Interfaces from the end (those with an RDMA device stand first), then ports, until the rest fits."""
    if report_size(report) <= MAX_REPORT:
        return report
    interfaces = _most(report.interfaces, lambda first: replace(report, interfaces=first))
    report = replace(report, interfaces=interfaces)
    return replace(report, ports=_most(report.ports, lambda first: replace(report, ports=first)))


def _most(found: tuple[T, ...], with_first: Callable[[tuple[T, ...]], NodeReport]) -> tuple[T, ...]:
    """As many of the first as fit."""
    low, high = 0, len(found)
    while low < high:
        middle = (low + high + 1) // 2
        if report_size(with_first(found[:middle])) <= MAX_REPORT - _ROOM_TO_TELL:
            low = middle
        else:
            high = middle - 1
    return found[:low]


def _telling(report: NodeReport, left_out: dict[str, int]) -> NodeReport:
    """What was left out, beside the probe that found it."""
    finders = {"ports": SYSFS, "interfaces": NETLINK, "neighbours": LLDP}
    reasons = {finders[kind]: f"{number} {kind} do not fit into the report" for kind, number in left_out.items()}
    probes = tuple(
        replace(probe, reason="; ".join(filter(None, (reasons.get(probe.name), probe.reason))) or None)
        for probe in report.probes
    )
    return replace(report, probes=probes)


def report_size(report: NodeReport) -> int:
    """Bytes of the spec as compact JSON."""
    return len(msgspec.json.encode(compact(report)))


def _size(interface: Interface) -> int:
    return len(msgspec.json.encode(compact(NodeReport(interfaces=(interface,))))) - len('{"interfaces":[]}')
