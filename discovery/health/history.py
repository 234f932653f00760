"""What is remembered of a port between two samples: bounded, and begun from what its last report says."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

from discovery.health.errors import HELD_DEAD, HELD_DEGRADED, RECOVERY, SYMBOLS, Gauge, Gauges
from discovery.health.flaps import Flaps
from discovery.health.link import LinkState
from discovery.health.verdict import BOND_LEG_DOWN, LINK_ERROR_RECOVERY, TOO_MANY_SYMBOL_ERRORS, Verdict
from discovery.reports import DEGRADED, DOWN, FLAPPING, UNKNOWN, UNPROVISIONED, UP, Port
from discovery.samples import LINK_DOWN, LINK_UP

_LINK_OF = {UP: LINK_UP, DEGRADED: LINK_UP, FLAPPING: LINK_UP, DOWN: LINK_DOWN, UNPROVISIONED: LINK_DOWN}


@dataclass(frozen=True, slots=True)
class History:
    """One port. Times within are seconds of a clock of its own, that runs with the samples and never back."""

    verdict: Verdict = field(default_factory=Verdict)
    last_up: datetime | None = None
    """For the report's `lastUp`. While the port is up: since when; else when it was last seen up; null: never. It
    changes only where the verdict may change as well, so that a port that stays as it is changes no report."""
    seen_up: datetime | None = None
    """The last sample in which it was up."""
    at: datetime | None = None
    """The last sample."""
    strayed: datetime | None = None
    """A sample older than that: one is late, two in a row are a clock that was set back."""
    clock: float = 0.0
    incarnation: str | None = None
    quiet: float = 0.0
    """So many seconds from now nothing that happens is a flap."""
    link: LinkState = field(default_factory=LinkState)
    flaps: Flaps = field(default_factory=Flaps)
    gauges: Gauges = field(default_factory=dict)

    @staticmethod
    def of(port: Port) -> History:
        """What the last report of this very port (the same GUID) remembers: a restart or reboot forgets nothing."""
        if port.verdict == UNKNOWN:
            return History(verdict=Verdict(UNKNOWN, port.reason), last_up=port.lastUp)
        dead = port.verdict == DOWN and port.reason == TOO_MANY_SYMBOL_ERRORS
        link = LinkState(
            standing=LINK_UP if dead else _LINK_OF.get(port.verdict),
            reason=port.reason if port.verdict == DOWN else None,
        )
        gauges: Gauges = {}
        if dead:
            gauges = {SYMBOLS: Gauge(rates=HELD_DEAD)}
        elif port.verdict == DEGRADED and port.reason != BOND_LEG_DOWN:
            gauges = {RECOVERY if port.reason == LINK_ERROR_RECOVERY else SYMBOLS: Gauge(rates=HELD_DEGRADED)}
        return History(
            verdict=Verdict(port.verdict, port.reason),
            last_up=port.lastUp,
            link=link,
            flaps=Flaps(flapping=port.verdict == FLAPPING),
            gauges=gauges,
        )

    def recalling(self, port: Port) -> History:
        """This history where the last report is read only now: a port that was up once was."""
        return replace(self, last_up=port.lastUp) if self.last_up is None and port.lastUp is not None else self
