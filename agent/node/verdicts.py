"""A port's verdict from samples of its state: three in a row without a link are Down, one with it is Up.

Pure: samples and their times are arguments. What is unknown in a sample changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from discovery.reports import DOWN, UNKNOWN, UP, Port

SAMPLES_TO_DOWN = 3
LINK_DOWN, WAITING = "PhysicalLinkDown", "WaitingForSubnetManager"

PortKey = tuple[str, int]
"""Device and port."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One port as it was judged last."""

    verdict: str = UNKNOWN
    reason: str | None = None
    misses: int = 0
    """Samples in a row without a link."""
    last_up: datetime | None = None
    """While it is up: since when; so that a port that stays up changes no report."""
    seen_up: datetime | None = None
    """The last sample in which it was up."""


@dataclass(frozen=True, slots=True)
class Standings:
    """All ports, by device and port."""

    ports: Mapping[PortKey, Standing] = field(default_factory=dict)

    @staticmethod
    def of(reported: Iterable[Port]) -> Standings:
        """What an earlier report remembers: a restart forgets no port that was up."""
        return Standings({(port.device, port.port): Standing(last_up=port.lastUp) for port in reported})


def judge(sampled: Iterable[Port], before: Standings, now: datetime) -> tuple[tuple[Port, ...], Standings]:
    """The ports of one sample with their verdicts, and what to remember; also of ports that are gone."""
    standings = dict(before.ports)
    judged = []
    for port in sampled:
        standing = _judge(port, standings.get((port.device, port.port), Standing()), now)
        standings[port.device, port.port] = standing
        judged.append(replace(port, verdict=standing.verdict, reason=standing.reason, lastUp=standing.last_up))
    return tuple(judged), Standings(standings)


def _judge(port: Port, last: Standing, now: datetime) -> Standing:
    if port.state is None or port.physicalState is None:
        return replace(last, verdict=UNKNOWN, reason=None)
    if port.physicalState == "LinkUp" and port.state == "Active":
        since = last.last_up if last.verdict == UP and last.last_up is not None else now
        return Standing(UP, None, 0, since, now)
    last = replace(last, last_up=last.seen_up or last.last_up)
    if port.physicalState == "LinkUp":
        return replace(last, verdict=UNKNOWN, reason=WAITING, misses=0)
    misses = last.misses + 1
    if misses < SAMPLES_TO_DOWN:
        return replace(last, misses=misses)
    return replace(last, verdict=DOWN, reason=LINK_DOWN, misses=misses)
