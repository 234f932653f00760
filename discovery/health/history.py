"""What is remembered of a port between two samples: bounded, and begun from what its last report says."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

from discovery.health.errors import HELD_DEAD, HELD_DEGRADED, RECOVERY, SYMBOLS, Gauge, Gauges, hold
from discovery.health.flaps import Flaps
from discovery.health.link import LinkState
from discovery.health.verdict import BOND_LEG_DOWN, LINK_ERROR_RECOVERY, TOO_MANY_SYMBOL_ERRORS, Verdict
from discovery.reports import DEGRADED, DOWN, FLAPPING, UNKNOWN, UNPROVISIONED, UP, Port
from discovery.samples import LINK_DOWN, LINK_UP

_YOUNG = 120.0
"""Seconds for which a history does not know better since when its port is up."""
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
    sampled: float | None = None
    """Its `clock`."""
    strayed: datetime | None = None
    """A sample older than that: one is late, two in a row are a clock that was set back."""
    clock: float = 0.0
    incarnation: str | None = None
    continues: bool = False
    """Whether it is known in which incarnation it began: a process that starts is no new one."""
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
        """This history where the last report is read only now, whenever that is. What it saw itself counts more of the
        link; what it did not come to see yet of flaps and errors is held as the report says."""
        told = History.of(port)
        link, flaps = self.link, self.flaps
        if link.standing is None:
            link = replace(link, standing=told.link.standing, reason=link.reason or told.link.reason)
        if told.flaps.flapping and not flaps.flapping:
            flaps = replace(flaps, flapping=True, calm=0.0)
        return replace(
            self,
            verdict=told.verdict if self.link.standing is None and self.verdict == Verdict() else self.verdict,
            last_up=port.lastUp if self.last_up is None or (port.lastUp and self.clock < _YOUNG) else self.last_up,
            link=link,
            flaps=flaps,
            gauges=hold(self.gauges, told.gauges),
        )

    def going_on(self) -> History:
        """This history where it is known by now that its incarnation is that of before: it is quiet no longer, unless
        the host has just booted."""
        if self.continues:
            return self
        left = self.quiet + self.clock - self.sampled if self.sampled is not None else 0.0
        return replace(self, continues=True, quiet=max(0.0, left))
