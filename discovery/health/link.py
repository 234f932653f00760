"""Whether there is a link, from one sample to the next: what is seen once is not yet so."""

from __future__ import annotations

from dataclasses import dataclass, replace

from discovery.health.thresholds import Thresholds
from discovery.samples import LINK_DOWN, LINK_UP, LINK_WAITING, PortSample


@dataclass(frozen=True, slots=True)
class LinkState:
    """The link of one port as it stands. Times are seconds of the history's clock."""

    standing: str | None = None
    """Up, Down or Waiting, as it counts; None until that is known."""
    seen: str | None = None
    """The same in the last sample that told it."""
    reason: str | None = None
    """Of Down."""
    misses: int = 0
    """Samples without a link since the last one with it."""
    missed_at: float = 0.0
    """When the last one was that counted."""
    waiting_since: float | None = None
    blanks: int = 0
    """Samples in a row that did not tell."""
    leg_misses: int = 0
    """Samples in a row without all legs of the bond."""
    leg_missed_at: float = 0.0


UP_AND_WELL = LinkState(standing=LINK_UP, seen=LINK_UP)


def follow(last: LinkState, sample: PortSample, clock: float, thresholds: Thresholds) -> LinkState:
    """The link after one more sample."""
    if sample.link is None:
        return replace(last, blanks=last.blanks + 1)
    if sample.link == LINK_DOWN:
        return _down(last, sample, clock, thresholds)
    if sample.link == LINK_WAITING:
        return _waiting(last, clock, thresholds)
    if not sample.legs_down:
        return UP_AND_WELL
    legs, at = _missed(last.leg_misses, last.leg_missed_at, clock, thresholds)
    return replace(UP_AND_WELL, leg_misses=legs, leg_missed_at=at)


def _down(last: LinkState, sample: PortSample, clock: float, thresholds: Thresholds) -> LinkState:
    misses, at = _missed(last.misses, last.missed_at, clock, thresholds)
    now = replace(last, seen=LINK_DOWN, misses=misses, missed_at=at, waiting_since=None, blanks=0)
    if misses < thresholds.down_samples and last.standing != LINK_DOWN:
        return now
    return replace(now, standing=LINK_DOWN, reason=sample.reason, leg_misses=0)


def _waiting(last: LinkState, clock: float, thresholds: Thresholds) -> LinkState:
    """Misses stay: a link that comes and goes and never gets up is not there."""
    since = last.waiting_since if last.waiting_since is not None else clock
    now = replace(last, seen=LINK_WAITING, waiting_since=since, blanks=0)
    if clock - since <= thresholds.waiting:
        return now
    return replace(now, standing=LINK_WAITING, reason=None, misses=0, leg_misses=0)


def _missed(misses: int, at: float, clock: float, thresholds: Thresholds) -> tuple[int, float]:
    """One more; not if the last one is too near. No more are counted than have to be."""
    if misses and clock - at < thresholds.sample_spacing:
        return misses, at
    return min(misses + 1, thresholds.down_samples), clock
