"""All subnets of one sweep as one view, beside what is known: what stays unknown is kept as it was last seen. Pure.

A port that gave no answer keeps its last cable, a switch behind one its last report: the sweep proves nothing about
them. Everything else that is known and not seen is lost, however much went wrong elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agent.sweeper.infiniband.reading import Subnet
from agent.sweeper.infiniband.subnets import Runs
from agent.sweeper.judging import View
from agent.sweeper.reading import Sweep
from discovery.conversion import report_names
from discovery.descriptions import host_name
from discovery.ibnetdiscover.unanswered import EVERY_PORT
from discovery.identity import Guid
from discovery.reports import HOST, SWITCH, Peer, SwitchPort, SwitchReport
from discovery.vantage import OwnPort

_MOST_NOTES = 10

End = tuple[Guid, int]
Reports = Mapping[Guid, SwitchReport]


@dataclass(frozen=True, slots=True)
class Merged:
    """The sweep, and what the next steps ask of it."""

    sweep: Sweep
    unsure: frozenset[End]
    """Ports of which it is not known whether they have a link. Number EVERY_PORT: all of the switch."""


def merge(runs: Runs, own: Mapping[str, SwitchReport]) -> Merged:
    """One view of all. `own`: the reports that stand, by name."""
    subnets = runs.subnets
    known = {report.guid: report for report in own.values() if report.guid}
    seen, poor = _seen(subnets)
    doubts = _doubts(subnets)
    cabled = {(peer.guid, peer.port) for report in seen.values() for port in report.ports if (peer := port.peer)}
    names = _descriptions(subnets, known)
    whole = {
        guid: _named(_kept(report, known.get(guid), doubts.get(guid, {}), cabled), known.get(guid), names)
        for guid, report in seen.items()
    }
    spared = _behind(whole, known, doubts)
    named = _object_names(whole, own)
    told = [f"{subnet.port}: {reason}" for subnet in subnets for reason in subnet.trouble]
    view = View(
        switches=frozenset(whole),
        hosts=_hosts([*whole.values(), *(known[guid] for guid in sorted(spared))]),
        trouble=(*told, *runs.trouble, *_cut_off(runs.idle, known, whole)),
        spared=spared,
        notes=(*runs.notes, *_notes(doubts, {**known, **whole})),
    )
    # One subnet that failed leaves the others' reports to be written.
    apart = any(subnet.whole for subnet in subnets) and bool(view.trouble)
    few = frozenset(name for name, report in named.items() if report.guid in poor)
    sweep = Sweep(view, named, few, apart, runs.version)
    return Merged(sweep, frozenset((guid, port) for guid, ports in doubts.items() for port in ports))


def _seen(subnets: Sequence[Subnet]) -> tuple[dict[Guid, SwitchReport], set[Guid]]:
    """Every switch once, and those of which only a subnet in trouble tells."""
    seen: dict[Guid, SwitchReport] = {}
    poor: set[Guid] = set()
    for subnet in sorted(subnets, key=lambda subnet: not subnet.whole):
        for report in subnet.reports:
            if report.guid is not None and report.guid not in seen:
                seen[report.guid] = report
                if not subnet.whole:
                    poor.add(report.guid)
    return seen, poor


def _doubts(subnets: Sequence[Subnet]) -> dict[Guid, dict[int, str]]:
    doubts: dict[Guid, dict[int, str]] = {}
    for subnet in subnets:
        for guid, ports in subnet.doubt.ports.items():
            doubts.setdefault(guid, {}).update(ports)
    return doubts


def _kept(
    report: SwitchReport, last: SwitchReport | None, doubt: Mapping[int, str], cabled: Collection[tuple[object, object]]
) -> SwitchReport:
    """With the last cable of every port in doubt, unless that cable is seen somewhere else now."""
    if last is None or not doubt:
        return report
    ports = {port.number: port for port in report.ports}
    for before in last.ports:
        if before.number not in doubt and EVERY_PORT not in doubt:
            continue
        now, peer = ports.get(before.number), before.peer
        if now is not None:
            ports[before.number] = _filled(now, before)
        elif peer is not None and (peer.guid, peer.port) not in cabled:
            ports[before.number] = before
    return replace(report, ports=tuple(ports[number] for number in sorted(ports)))


def _filled(now: SwitchPort, before: SwitchPort) -> SwitchPort:
    """What the port itself did not tell, as it last did; of the same cable only."""
    if now.peer is None or before.peer is None:
        return now
    if (now.peer.guid, now.peer.port) != (before.peer.guid, before.peer.port):
        return now
    return replace(now, width=now.width or before.width, speed=now.speed or before.speed)


def _descriptions(subnets: Sequence[Subnet], known: Reports) -> dict[Guid, str]:
    """The last descriptions of nodes that did not give theirs."""
    nameless = {guid for subnet in subnets for guid in subnet.doubt.nameless}
    if not nameless:
        return {}
    last = {report.guid: report.description for report in known.values()}
    last.update(
        (peer.guid, peer.description)
        for report in known.values()
        for port in report.ports
        if (peer := port.peer) is not None and peer.guid not in known
    )
    return {guid: text for guid in nameless if (text := last.get(guid))}


def _named(report: SwitchReport, last: SwitchReport | None, names: Mapping[Guid, str]) -> SwitchReport:
    if not names:
        return report
    ports = tuple(_named_port(port, names) for port in report.ports)
    if last is None or report.guid not in names:
        return replace(report, ports=ports)
    return replace(
        report, description=report.description or last.description, model=report.model or last.model, ports=ports
    )


def _named_port(port: SwitchPort, names: Mapping[Guid, str]) -> SwitchPort:
    peer = port.peer
    if peer is None or peer.guid is None or peer.description or peer.guid not in names:
        return port
    return replace(port, peer=replace(peer, description=names[peer.guid]))


def _behind(seen: Reports, known: Reports, doubts: Mapping[Guid, Mapping[int, str]]) -> frozenset[Guid]:
    """Known switches that were not reached and hang, as far as is known, behind a port in doubt."""
    found: set[Guid] = set()
    ahead = [
        guid
        for near, ports in doubts.items()
        if near in known
        for number, guid in _switches_at(known[near])
        if number in ports or EVERY_PORT in ports
    ]
    while ahead:
        guid = ahead.pop()
        if guid in known and guid not in seen and guid not in found:
            found.add(guid)
            ahead += [beyond for _, beyond in _switches_at(known[guid])]
    return frozenset(found)


def _switches_at(report: SwitchReport) -> Iterator[tuple[int, Guid]]:
    for port in report.ports:
        if port.peer is not None and port.peer.kind == SWITCH and port.peer.guid is not None:
            yield port.number, port.peer.guid


def _object_names(seen: Reports, own: Mapping[str, SwitchReport]) -> dict[str, SwitchReport]:
    """By object name. Known switches count for the names, too: a box keeps its ASICs' names while one is not seen."""
    others = [report for report in own.values() if report.guid and report.guid not in seen]
    named = zip(report_names([*seen.values(), *others]), seen.values(), strict=False)
    return dict(named)


def _cut_off(idle: Sequence[OwnPort], known: Reports, seen: Reports) -> Iterator[str]:
    """Ports of this host that were cabled to a switch which nobody reached now: there is a subnet behind them."""
    guids = {port.port_guid: port for port in idle if port.port_guid is not None}
    lost = {
        peer.portGuid
        for guid, report in (known.items() if guids else ())
        for port in report.ports
        if guid not in seen and (peer := port.peer) is not None and peer.portGuid in guids
    }
    for found in lost:
        port = guids[found]
        yield f"{port} is {port.state or 'unreadable'}: the subnet behind it was not swept"


def _hosts(reports: Sequence[SwitchReport]) -> int:
    """Machines by name; an adapter that names none counts as one."""
    peers = {peer.guid: peer for report in reports for port in report.ports if (peer := port.peer) and _is_host(peer)}
    return len({host_name(peer.description or "")[0] or peer.guid for peer in peers.values()})


def _is_host(peer: Peer) -> bool:
    return peer.kind == HOST


def _notes(doubts: Mapping[Guid, Mapping[int, str]], reports: Reports) -> Iterator[str]:
    """The ports that gave no answer, by the names of their switches."""
    rows = sorted((guid, port, reason) for guid, ports in doubts.items() for port, reason in ports.items())
    for guid, port, reason in rows[:_MOST_NOTES]:
        report = reports.get(guid)
        switch = (report.description if report is not None else None) or guid
        what = f"behind port {port} of" if port != EVERY_PORT else "from"
        yield f"no answer {what} {switch} ({reason}): it counts as it was last seen"
    if len(rows) > _MOST_NOTES:
        yield f"no answer behind {len(rows) - _MOST_NOTES} more ports"
