"""What an operator may set about the verdicts of ports, on nodes and on switches alike."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cli.processes.sections import Count, Seconds, Section, Share
from discovery.health import Thresholds

_DEFAULT = Thresholds()
Least = Annotated[float, Field(ge=0)]


class PortHealth(Section):
    """When a port is Down, Degraded or Flapping, and when no more (`discovery.health.Thresholds`)."""

    down_samples: Count = Field(
        default=_DEFAULT.down_samples, description="So many looks in a row without a link are Down"
    )
    sample_spacing: Least = Field(
        default=_DEFAULT.sample_spacing, description="Looks nearer to each other than so many seconds count as one"
    )
    unreadable_samples: Count = Field(
        default=_DEFAULT.unreadable_samples, description="So many looks in a row that cannot be read are Unknown"
    )
    waiting: Seconds = Field(
        default=_DEFAULT.waiting, description="Seconds in Init or Armed before a port waits for its subnet manager"
    )
    degraded_errors: Least = Field(
        default=_DEFAULT.degraded_errors, description="Symbol errors an hour; more are Degraded"
    )
    degraded_recoveries: Least = Field(
        default=_DEFAULT.degraded_recoveries, description="Link error recoveries an hour; more are Degraded"
    )
    degraded_period: Seconds = Field(
        default=_DEFAULT.degraded_period, description="Over so many seconds, before it is Degraded and before it is not"
    )
    down_errors: Least = Field(
        default=_DEFAULT.down_errors, description="Symbol errors a second; more are as bad as Down"
    )
    down_errors_period: Seconds = Field(default=_DEFAULT.down_errors_period, description="Over so many seconds")
    down_errors_hold: Least = Field(
        default=_DEFAULT.down_errors_hold, description="Seconds with few errors before that is over"
    )
    clearing_share: Share = Field(
        default=_DEFAULT.clearing_share, description="Share of the errors at which it counts as over"
    )
    flaps: Count = Field(default=_DEFAULT.flaps, description="So many times up again within flapsPeriod are Flapping")
    flaps_period: Seconds = Field(default=_DEFAULT.flaps_period, description="Seconds")
    slow_flaps: Count = Field(default=_DEFAULT.slow_flaps, description="So are so many within slowFlapsPeriod")
    slow_flaps_period: Seconds = Field(default=_DEFAULT.slow_flaps_period, description="Seconds")
    flapping_hold: Least = Field(
        default=_DEFAULT.flapping_hold, description="Seconds up without another one before it is not Flapping any more"
    )
    begin_quiet: Least = Field(
        default=_DEFAULT.begin_quiet, description="Seconds after a boot or a reload of the driver in which none counts"
    )
    longest_gap: Seconds = Field(
        default=_DEFAULT.longest_gap, description="Seconds between two looks that count as watched, at most"
    )

    def thresholds(self) -> Thresholds:
        """As the state machine takes them."""
        return Thresholds(**self.model_dump())
