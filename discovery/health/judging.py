"""One sample of one port judged, after all those before it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from discovery.health.errors import RECOVERY, Gauges, begin_anew, measure
from discovery.health.flaps import Flaps, Step, count
from discovery.health.history import History
from discovery.health.link import LinkState, follow
from discovery.health.thresholds import Thresholds
from discovery.health.verdict import (
    BOND_LEG_DOWN,
    LINK_ERROR_RECOVERY,
    LINK_FLAPPING,
    LINK_NOT_UP,
    NEVER_UP,
    NOT_READABLE,
    SYMBOL_ERRORS,
    TOO_MANY_SYMBOL_ERRORS,
    WAITING_FOR_SUBNET_MANAGER,
    Verdict,
)
from discovery.reports import DEGRADED, DOWN, FLAPPING, UNKNOWN, UNPROVISIONED, UP
from discovery.samples import LINK_DOWN, LINK_UP, LINK_WAITING, PortSample

DEFAULT = Thresholds()
_UP = Verdict(UP)


def judge(sample: PortSample, history: History, thresholds: Thresholds = DEFAULT) -> tuple[Verdict, History]:
    """The port's verdict after the sample, and what to remember for the next one.

    A sample older than the last one is late and changes nothing; a second one in a row says that the clock was set
    back, and is judged as if no time had passed. Where samples have a `clock`, the time of day may jump as it likes.
    """
    elapsed = _elapsed(sample, history)
    if elapsed is None:
        return history.verdict, replace(history, strayed=sample.at)
    history = _begun(sample, history, elapsed, thresholds)
    clock = history.clock + elapsed
    link = follow(history.link, sample, clock, thresholds)
    flaps = history.flaps
    if sample.link is not None:
        flaps = count(flaps, _step(sample, history, clock, elapsed, thresholds), thresholds)
    was_up = history.link.seen == LINK_UP and history.link.blanks == 0
    watched = elapsed if was_up and sample.link == LINK_UP else None
    gauges = measure(history.gauges, sample.counters, watched, thresholds)
    last_up, seen_up = _last_up(sample, history, link)
    verdict = _verdict(link, flaps, gauges, history, thresholds, ever_up=last_up is not None)
    if verdict == history.verdict:
        verdict = history.verdict
    return verdict, History(
        verdict=verdict,
        last_up=last_up,
        seen_up=seen_up,
        at=sample.at,
        sampled=sample.clock,
        clock=clock,
        incarnation=history.incarnation,
        continues=history.continues,
        quiet=max(0.0, history.quiet - elapsed),
        link=link,
        flaps=flaps,
        gauges=gauges,
    )


def _elapsed(sample: PortSample, history: History) -> float | None:
    """Seconds since the last sample; None: this one is late."""
    at = sample.at
    if history.at is None:
        return 0.0
    if sample.clock is not None and history.sampled is not None and sample.clock > history.sampled:
        return sample.clock - history.sampled
    if at >= history.at:
        return (at - history.at).total_seconds()
    if history.strayed is not None and at > history.strayed:
        return (at - history.strayed).total_seconds()
    return None


def _begun(sample: PortSample, history: History, elapsed: float, thresholds: Thresholds) -> History:
    """The history at the begin of the sample. Another incarnation begins quietly; so does the first sample of all, but
    for what is known to go on: of that only the boot of the host may still be young."""
    begins = history.at is None
    if not begins and sample.incarnation in (None, history.incarnation):
        return history
    quiet = thresholds.begin_quiet
    if begins and history.continues:
        quiet = max(0.0, quiet - sample.clock) if sample.clock is not None else 0.0
    return replace(
        history,
        incarnation=sample.incarnation,
        continues=history.continues or not begins,
        quiet=quiet + elapsed,
        flaps=replace(history.flaps, losses=None, late=0),
        gauges=begin_anew(history.gauges),
    )


def _step(sample: PortSample, history: History, clock: float, elapsed: float, thresholds: Thresholds) -> Step:
    """A port that comes up for the first time flaps as little as one that has just begun anew."""
    return Step(
        clock=clock,
        elapsed=min(elapsed, thresholds.longest_gap),
        missing=sample.link == LINK_DOWN or bool(sample.legs_down),
        up=sample.link == LINK_UP,
        losses=sample.counters.link_downed,
        quiet=history.last_up is None or (history.quiet > 0.0 and history.quiet >= elapsed),
    )


def _last_up(sample: PortSample, history: History, link: LinkState) -> tuple[datetime | None, datetime | None]:
    """What the report says, and when it was really seen up last."""
    up = sample.link == LINK_UP
    seen_up = sample.at if up else history.seen_up
    if up and (history.last_up is None or history.link.standing != LINK_UP):
        return sample.at, seen_up
    return history.last_up if link.standing == history.link.standing else seen_up or history.last_up, seen_up


def _verdict(
    link: LinkState, flaps: Flaps, gauges: Gauges, history: History, thresholds: Thresholds, *, ever_up: bool
) -> Verdict:
    if link.blanks:
        return Verdict(UNKNOWN, NOT_READABLE) if link.blanks >= thresholds.unreadable_samples else history.verdict
    if link.standing is None:
        return history.verdict if history.verdict.word == UNKNOWN else Verdict(UNKNOWN)
    if link.standing == LINK_DOWN:
        return Verdict(DOWN, link.reason or LINK_NOT_UP) if ever_up else Verdict(UNPROVISIONED, NEVER_UP)
    if any(gauge.dead for gauge in gauges.values()):
        return Verdict(DOWN, TOO_MANY_SYMBOL_ERRORS)
    if flaps.flapping:
        return Verdict(FLAPPING, LINK_FLAPPING)
    reason = _degraded(gauges)
    if reason is None and link.leg_misses >= thresholds.down_samples:
        reason = BOND_LEG_DOWN
    if reason is not None:
        return Verdict(DEGRADED, reason)
    return Verdict(UNKNOWN, WAITING_FOR_SUBNET_MANAGER) if link.standing == LINK_WAITING else _UP


def _degraded(gauges: Gauges) -> str | None:
    names = [name for name, gauge in gauges.items() if gauge.degraded]
    if not names:
        return None
    return LINK_ERROR_RECOVERY if names == [RECOVERY] else SYMBOL_ERRORS
