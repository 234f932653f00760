"""Which of NVML's fields say how one NVLink is, and which of its error counters count. Source: nvml.h, NVML_FI_DEV_*.

Counted is what a link could not repair by itself: what passed its error correction (CRC errors; symbol errors where
there are such), and losses of the link. A replay is the answer to a CRC error that is counted already; errors that the
far end marked belong to another link; a recovery that went well on NVLink 5 is the link's own work.
"""

from __future__ import annotations

from collections.abc import Mapping

LINK_COUNT = 91
"""Of the GPU: how many links it has."""
STATE = 165
ACTIVE_STATES: Mapping[int, bool] = {0: False, 1: True, 2: True, 3: False}
"""Inactive, active, sleeping, and active but closed to traffic; others are unknown."""

RECOVERY, CRC = 162, 163
"""Up to NVLink 4 (Hopper)."""
RECEIVE, LOCAL_INTEGRITY, RECOVERY_FAILED, SYMBOL = 208, 211, 214, 221
"""From NVLink 5 (Blackwell)."""
ERRORS = (RECOVERY, CRC, RECEIVE, LOCAL_INTEGRITY, RECOVERY_FAILED, SYMBOL)

OLD_COUNTERS = (1, 2)
"""Recovery and CRC (flits) of `nvmlDeviceGetNvLinkErrorCounter`, for drivers that know none of the fields."""


def total(counters: Mapping[int, int | None]) -> int | None:
    """Their sum; None where none of them is known."""
    known = [value for value in counters.values() if value is not None]
    return sum(known) if known else None
