"""Whether a link has too many errors: by how much its counters rise while it is up, never by what they stand at.

A counter that falls was reset and begins anew; one that is missing or saturated says nothing, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from discovery.health.meter import Meter
from discovery.health.thresholds import Thresholds
from discovery.samples import Counters

_HOUR = 3600.0
RECOVERY = "link_error_recovery"
SYMBOLS = "symbol_errors"
_NAMES = (SYMBOLS, "uncorrectable_blocks", "nvlink_errors", RECOVERY)
"""The counters that count. Each by itself: one error shows in several of them."""


@dataclass(frozen=True, slots=True)
class Rates:
    """How one counter rises, where it does, and what it is held to be for that."""

    slow: Meter
    fast: Meter
    degraded: bool = False
    dead: bool = False
    """As bad as down."""
    eased: float = 0.0
    """Seconds since it is less bad than that."""


NOT_WATCHED = Meter.clean(0.0)
HELD_DEGRADED = Rates(NOT_WATCHED, NOT_WATCHED, degraded=True)
HELD_DEAD = Rates(NOT_WATCHED, NOT_WATCHED, dead=True)
"""As an earlier report said: until something else is known."""


@dataclass(frozen=True, slots=True)
class Gauge:
    """One counter."""

    value: int | None = None
    """As it was last read; None: it begins anew."""
    unread: float = 0.0
    """Seconds since then in which the link was up."""
    clean: float = 0.0
    """Seconds without an error, while `rates` is None."""
    rates: Rates | None = None

    @property
    def degraded(self) -> bool:
        return self.rates is not None and self.rates.degraded

    @property
    def dead(self) -> bool:
        return self.rates is not None and self.rates.dead


Gauges = Mapping[str, Gauge]
"""By name of the counter, those that were ever read or say something."""


def measure(last: Gauges, counters: Counters, elapsed: float | None, thresholds: Thresholds) -> Gauges:
    """The counters after one more sample. `elapsed`: seconds since the last one, if the link was up all that time."""
    return dict(_measured(_placed(last, counters), counters, elapsed, thresholds))


def begin_anew(last: Gauges) -> Gauges:
    """The counters before the first sample after a boot or a reload: what they stand at then says nothing."""
    return {name: replace(gauge, value=None, unread=0.0) for name, gauge in last.items()}


def hold(gauges: Gauges, held: Gauges) -> Gauges:
    """The counters, held for as bad as a report says where they do not say so themselves yet."""
    found = dict(gauges)
    for name, told in held.items():
        others = (other for other in gauges if other != RECOVERY)
        place = next(others, name) if name == SYMBOLS and name not in gauges else name
        mine = found.get(place)
        found[place] = _held(mine, told) if mine is not None else told
    return found


def _held(mine: Gauge, told: Gauge) -> Gauge:
    rates = mine.rates or Rates(Meter.clean(mine.clean), Meter.clean(mine.clean))
    worse = replace(rates, degraded=rates.degraded or told.degraded, dead=rates.dead or told.dead)
    return replace(mine, rates=worse)


def _placed(last: Gauges, counters: Counters) -> Gauges:
    """A verdict of a report does not say which counter it is of: where there are no symbol errors, it is of another."""
    held = last.get(SYMBOLS)
    if held is None or held.rates is None or held.value is not None or counters.symbol_errors is not None:
        return last
    others = (name for name in _NAMES if name not in last and name != RECOVERY)
    other = next((name for name in others if getattr(counters, name) is not None), None)
    if other is None:
        return last
    return {**{name: gauge for name, gauge in last.items() if name != SYMBOLS}, other: held}


def _measured(
    last: Gauges, counters: Counters, elapsed: float | None, thresholds: Thresholds
) -> Iterator[tuple[str, Gauge]]:
    for name in _NAMES:
        value: int | None = getattr(counters, name)
        gauge = last.get(name)
        if gauge is not None:
            yield name, _next(gauge, name, value, elapsed, thresholds)
        elif value is not None:
            yield name, Gauge(value)


def _next(last: Gauge, name: str, value: int | None, elapsed: float | None, thresholds: Thresholds) -> Gauge:
    if value is None:
        return replace(last, unread=last.unread + (elapsed or 0.0))
    if elapsed is None or last.value is None or value < last.value:
        return replace(last, value=value, unread=0.0)
    rise, seconds = value - last.value, elapsed + last.unread
    if last.rates is None and not rise:
        return Gauge(value, clean=last.clean + seconds)
    rates = _rise(last, name, rise, seconds, thresholds)
    if rates.slow.flat and not (rates.degraded or rates.dead):
        return Gauge(value, clean=rates.slow.watched)
    return Gauge(value, rates=rates)


def _rise(last: Gauge, name: str, rise: int, seconds: float, thresholds: Thresholds) -> Rates:
    before = last.rates or Rates(Meter.clean(last.clean), Meter.clean(last.clean))
    rates = replace(
        before,
        slow=before.slow.then(seconds, rise, thresholds.degraded_period),
        fast=before.fast.then(seconds, rise, thresholds.down_errors_period),
    )
    rates = replace(rates, degraded=_is_degraded(rates, name, thresholds))
    return rates if name == RECOVERY else _dead(rates, seconds, thresholds)


def _is_degraded(rates: Rates, name: str, thresholds: Thresholds) -> bool:
    period = thresholds.degraded_period
    hourly = thresholds.degraded_recoveries if name == RECOVERY else thresholds.degraded_errors
    allowed = hourly * period / _HOUR
    if rates.degraded:
        return not rates.slow.below(allowed * thresholds.clearing_share, period)
    return bool(rates.slow.above(allowed, period))


def _dead(rates: Rates, seconds: float, thresholds: Thresholds) -> Rates:
    period = thresholds.down_errors_period
    allowed = thresholds.down_errors * period
    if not rates.dead:
        return replace(rates, dead=bool(rates.fast.above(allowed, period)), eased=0.0)
    if not rates.fast.below(allowed * thresholds.clearing_share, period):
        return replace(rates, eased=0.0)
    eased = rates.eased + seconds
    return replace(rates, dead=eased < thresholds.down_errors_hold, eased=eased)
