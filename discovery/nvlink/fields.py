"""Which of NVML's fields say how one NVLink is, and which of its error counters count. Source: nvml.h, NVML_FI_DEV_*.

Counted as errors is what a link could not repair by itself: what passed its error correction (CRC errors, and symbol
errors where there are such) and packets that came in wrong. A replay is the answer to a CRC error that is counted
already, and errors that the far end marked belong to another link.
"""

from __future__ import annotations

from collections.abc import Mapping

LINK_COUNT = 91
"""Of the GPU: how many links it has."""
STATE = 165
ACTIVE_STATES: Mapping[int, bool] = {0: False, 1: True, 2: True, 3: False}
"""Inactive, active, sleeping, and active but closed to traffic; others are unknown."""

CRC, RECEIVE, LOCAL_INTEGRITY, SYMBOL = 163, 208, 211, 221
ERRORS = (CRC, RECEIVE, LOCAL_INTEGRITY, SYMBOL)
"""The first up to NVLink 4 (Hopper), the others from NVLink 5 (Blackwell)."""
RECOVERIES = (162, 215)
"""Likewise: of the old counter, and of all events whatever came of them."""
LOSSES = (214,)
"""Recoveries that failed; from NVLink 5."""
OF_A_LINK = (STATE, *ERRORS, *RECOVERIES, *LOSSES)

OLD_RECOVERY, OLD_CRC = 1, 2
"""Counters of `nvmlDeviceGetNvLinkErrorCounter`, for drivers that know none of the fields."""


def total(told: Mapping[int, int | None], wanted: tuple[int, ...]) -> int | None:
    """The sum of those; None where none of them is known."""
    known = [value for field in wanted if (value := told.get(field)) is not None]
    return sum(known) if known else None
