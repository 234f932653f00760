"""Rounds of node reports: they stand in for sweeps where nodes alone tell of a fabric, by LLDP.

A round is over when every agent that hears a switch, and still reports, has reported anew since the round began. So
three rounds take about as long as three sweeps, and a single agent that reports often moves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from topology.sweeps import Sweeps

NODES = "node reports"
"""In the place of a sweeper's name, which none can have."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """How many were seen here."""

    count: int = 0
    began: float | None = None
    """When the running one did; None: nobody hears anything."""


def next_round(last: Rounds, oldest: float | None, now: float) -> Rounds:
    """`oldest`: when the agent that is to report next was last heard of; None: nobody hears anything."""
    if oldest is None:
        return replace(last, began=None)
    if last.began is None:
        return replace(last, began=now)
    return Rounds(last.count + 1, now) if oldest > last.began else last


def with_rounds(sweeps: Sweeps, last: Rounds, rounds: Rounds) -> Sweeps:
    """The sweeps with the rounds among them, as those of one more sweeper."""
    if rounds == Rounds():
        return sweeps
    return replace(
        sweeps,
        now={**sweeps.now, NODES: rounds.count},
        before={**sweeps.before, NODES: last.count},
        live=sweeps.live | {NODES} if rounds.began is not None else sweeps.live,
    )
