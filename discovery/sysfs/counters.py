"""The error counters of an InfiniBand port.

The kernel answers each from the PortCounters of the InfiniBand specification, whose error counters have 4, 8 or 16 bits
and stop at their end: there they count no more, so what they say is unknown. A larger value comes from a driver that
counts wider, and counts. `N/A (no PMA)` and everything else that is no number is unknown too.
"""

from __future__ import annotations

from discovery.errors import AbsentSourceError, EvidenceError
from discovery.samples import Counters
from discovery.source import Source
from discovery.sysfs.attributes import MAX_BYTES, as_number
from discovery.sysfs.found import Pause

FILES = {
    "symbol_errors": ("symbol_error", 16),
    "link_error_recovery": ("link_error_recovery", 8),
    "link_downed": ("link_downed", 8),
    "receive_errors": ("port_rcv_errors", 16),
    "local_link_integrity_errors": ("local_link_integrity_errors", 4),
    "excessive_buffer_overrun_errors": ("excessive_buffer_overrun_errors", 4),
}
"""The file of each counter, and its bits."""

LONGEST_PAUSE = 360
"""Looks: an hour at one every ten seconds."""


def read_counters(source: Source, port: str, before: Pause | None) -> tuple[Counters, Pause | None]:
    """The counters below the folder of a port, and how long to leave them alone because they could not be read.

    Where the hardware refuses one (EINVAL, EIO), every further question would be refused and logged as well.
    """
    if before is not None and before.left:
        return Counters(), Pause(before.looks, before.left - 1)
    values: dict[str, int | None] = {}
    for name, (file, bits) in FILES.items():
        try:
            said = source.read(f"{port}/counters/{file}", MAX_BYTES)
        except AbsentSourceError:
            continue
        except EvidenceError:
            looks = min(LONGEST_PAUSE, before.looks * 2) if before is not None else 1
            return Counters(**values), Pause(looks, looks)
        values[name] = _counted(as_number(said.decode("ascii", "replace").strip()), bits)
    return Counters(**values), None


def _counted(value: int | None, bits: int) -> int | None:
    return None if value in (2**bits - 1, 2**32 - 1, 2**64 - 1) else value
