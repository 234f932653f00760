"""Lost links that outlived a restart, as known cables again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from discovery.reports import HOST, SWITCH, Peer, SwitchPort, SwitchReport
from topology.cabling import KnownCabling
from topology.links import End, Link
from topology.rivals import Cable, Words, cable_of
from topology.told import Told


def remember(links: Iterable[Link], told: Mapping[str, Told], hosts: Mapping[End, Peer]) -> KnownCabling:
    """Lost links that outlived a restart, as known cables. `hosts`: ports of the nodes, as a switch would tell them.

    What a lost link was made of is not remembered: it is taken to be as most others at that switch, or anywhere.
    """
    switches = {found.guid: found.report for found in told.values()}
    usual = _usual(switches)
    cables: dict[Cable, Words] = {}
    for lower, upper in links:
        below = switches.get(lower.guid)
        peer = _as_peer(below, lower) if below is not None else hosts.get(lower)
        if upper.guid in switches and peer is not None:
            made = usual.get((upper.guid, peer.kind)) or usual.get((0, peer.kind)) or _Make()
            peer = replace(peer, deviceId=made.device) if peer.kind == HOST else peer
            port = SwitchPort(number=upper.port, width=made.width, speed=made.speed, peer=peer)
            cables[cable_of(lower, upper)] = ((upper.guid, port),)
    return KnownCabling(otherwise=cables)


class _Make(NamedTuple):
    """What a cable is made of, and the silicon at its far end."""

    width: int | None = None
    speed: str | None = None
    device: int | None = None


def _usual(switches: Mapping[int, SwitchReport]) -> dict[tuple[int, str], _Make]:
    """How most cables of a switch (0: of all of them) to one kind of peer are made."""
    counts: dict[tuple[int, str], Counter[_Make]] = defaultdict(Counter)
    for guid, report in switches.items():
        for port in report.ports:
            if port.peer is not None:
                made = _Make(port.width, port.speed, port.peer.deviceId)
                counts[guid, port.peer.kind][made] += 1
                counts[0, port.peer.kind][made] += 1
    return {key: count.most_common(1)[0][0] for key, count in counts.items()}


def _as_peer(report: SwitchReport, end: End) -> Peer:
    return Peer(
        kind=SWITCH,
        guid=report.guid,
        systemImageGuid=report.systemImageGuid,
        chassisId=report.chassisId,
        description=report.description,
        port=end.port,
        deviceId=report.deviceId,
    )
