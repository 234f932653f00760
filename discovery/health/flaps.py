"""How often a link was lost and came back, by what samples show and by what the counter of lost links adds.

A loss that shows in both is one. What the counter says of an outage that samples see belongs to that outage.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from discovery.health.thresholds import Thresholds


@dataclass(frozen=True, slots=True)
class Flaps:
    """The last times that one link came back, in seconds of the history's clock."""

    times: tuple[float, ...] = ()
    flapping: bool = False
    calm: float = 0.0
    """Seconds up since the last one."""
    losses: int | None = None
    """The counter of lost links at the last sample that had it."""
    outage: bool = False
    """The last sample that told had no link."""
    told: bool = False
    """In this outage the counter rose."""
    late: int = 0
    """Losses that were seen and that the counter has yet to tell."""


@dataclass(frozen=True, slots=True)
class Step:
    """From one sample to the next."""

    clock: float
    elapsed: float
    """Seconds since the last sample, as far as they count."""
    missing: bool
    """There is no link, or a leg of it is missing."""
    up: bool
    """The port is up."""
    losses: int | None
    quiet: bool
    """What happens now is no flap."""


def count(last: Flaps, step: Step, thresholds: Thresholds) -> Flaps:
    """The flaps after one more sample that told of the link."""
    if last.losses == step.losses and last == Flaps(losses=step.losses) and not step.missing:
        return last
    rise = _rise(last.losses, step.losses)
    now = replace(last, losses=step.losses if step.losses is not None else last.losses, late=0)
    if step.missing:
        back = max(0, rise - last.late - 1) if not last.outage else 0
        now = replace(now, outage=True, told=rise > 0 or (last.outage and last.told), calm=0.0)
    elif last.outage:
        back = 1
        now = replace(now, outage=False, told=False, late=int(not (last.told or rise or step.losses is None)))
    else:
        back = max(0, rise - last.late)
    return _with(now, 0 if step.quiet else back, step, thresholds)


def _rise(last: int | None, now: int | None) -> int:
    """By how much the counter rose; one that fell was reset."""
    return max(0, now - last) if last is not None and now is not None else 0


def _with(now: Flaps, back: int, step: Step, thresholds: Thresholds) -> Flaps:
    """With so many more at this moment."""
    most = max(thresholds.flaps, thresholds.slow_flaps)
    oldest = step.clock - max(thresholds.flaps_period, thresholds.slow_flaps_period)
    times = (*now.times, *(step.clock,) * min(back, most))[-most:]
    if times and times[0] < oldest:
        times = tuple(time for time in times if time >= oldest)
    if not now.flapping:
        return replace(now, times=times, flapping=_often(times, step.clock, thresholds), calm=0.0)
    calm = 0.0 if back else now.calm + step.elapsed * step.up
    if calm >= thresholds.flapping_hold:
        return replace(now, times=(), flapping=False, calm=0.0)
    return replace(now, times=times, calm=calm)


def _often(times: tuple[float, ...], clock: float, thresholds: Thresholds) -> bool:
    for least, period in (
        (thresholds.flaps, thresholds.flaps_period),
        (thresholds.slow_flaps, thresholds.slow_flaps_period),
    ):
        if len(times) >= least and clock - times[-least] <= period:
            return True
    return False
