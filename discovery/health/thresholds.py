"""When a port is what: every threshold and time of the verdicts, with its documented default."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """What an operator may decide of it. Times are in seconds; "above" is more than."""

    down_samples: int = 3
    """So many samples in a row without a link are Down; also one without all legs of a bond is Degraded after them."""
    sample_spacing: float = 1.0
    """Samples nearer to each other are one look at the same thing: they do not add to those."""
    unreadable_samples: int = 3
    """So many samples in a row that cannot be read are Unknown; until then the last verdict stands."""
    waiting: float = 120.0
    """A link in Init or Armed for longer waits for its subnet manager: Unknown."""

    degraded_errors: float = 120.0
    """Symbol errors an hour (FEC-uncorrectable blocks, NVLink errors alike): above is Degraded."""
    degraded_recoveries: float = 300.0
    """Link error recoveries an hour (5 a minute): above is Degraded."""
    degraded_period: float = 3600.0
    """So long, on average, and not by one burst: before it is Degraded, and at half of it or less before it is not."""
    down_errors: float = 10.0
    """Symbol errors a second: above is as bad as Down."""
    down_errors_period: float = 60.0
    """So long, on average, and not by one burst."""
    down_errors_hold: float = 600.0
    """So long at half of it or less before it is not as bad as Down any more."""
    clearing_share: float = 0.5
    """That half."""

    flaps: int = 3
    """So many times up again ..."""
    flaps_period: float = 3600.0
    """... within this are Flapping;"""
    slow_flaps: int = 3
    """or so many ..."""
    slow_flaps_period: float = 43200.0
    """... within this."""
    flapping_hold: float = 1800.0
    """So long up without a new one before it is not Flapping any more; nothing of before counts then."""
    begin_quiet: float = 900.0
    """What happens within this after a changed boot id or a reload of the driver is no flap."""
    longest_gap: float = 900.0
    """Between two samples at most so much counts as time in which the port was watched."""
