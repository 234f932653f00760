"""The error counters of a port.

Those in `counters` the kernel answers from the PortCounters of the InfiniBand specification, whose error counters have
4, 8 or 16 bits and stop at their end: there they count no more, so what they say is unknown. A larger value comes from
a driver that counts wider, and counts. `N/A (no PMA)` and everything else that is no number is unknown too.

Of an Ethernet port they say nothing, for its interface counts; what RDMA itself found broken is in `hw_counters`.
"""

from __future__ import annotations

from discovery.errors import AbsentSourceError, EvidenceError, TooLargeError
from discovery.samples import Counters
from discovery.source import Source
from discovery.sysfs.attributes import as_number
from discovery.sysfs.found import ETHERNET, INFINIBAND, Pause
from discovery.sysfs.unclear import MAX_BYTES, Unclear

FILES = {
    INFINIBAND: {
        "symbol_errors": ("counters/symbol_error", 16),
        "link_error_recovery": ("counters/link_error_recovery", 8),
        "link_downed": ("counters/link_downed", 8),
        "receive_errors": ("counters/port_rcv_errors", 16),
        "local_link_integrity_errors": ("counters/local_link_integrity_errors", 4),
        "excessive_buffer_overrun_errors": ("counters/excessive_buffer_overrun_errors", 4),
    },
    # Packets whose invariant checksum (ICRC) was wrong: they were broken where Ethernet's own checksum does not reach.
    ETHERNET: {"receive_errors": ("hw_counters/rx_icrc_encapsulated", 64)},
}
"""By link layer: the file of each counter below the folder of the port, and its bits."""

LONGEST_PAUSE = 360
"""Looks: an hour at one every ten seconds."""


def read_counters(
    source: Source, port: str, layer: str, before: Pause | None, unclear: Unclear
) -> tuple[Counters, Pause | None]:
    """The counters below the folder of a port, and how long to leave them alone because they could not be read.

    Where the hardware refuses one (EINVAL, EIO), every further question would be refused and logged as well. Those that
    are not understood are told where all are read, so that what is told does not change with every pause.
    """
    if before is not None and before.left:
        return Counters(), Pause(before.looks, before.left - 1)
    values: dict[str, int | None] = {}
    for name, (file, bits) in FILES[layer].items():
        try:
            said = source.read(f"{port}/{file}", MAX_BYTES).decode("ascii", "replace").strip()
        except AbsentSourceError:
            continue
        except TooLargeError:
            unclear.too_large(f"{port}/{file}")
            continue
        except EvidenceError:
            unclear.forget(f"{port}/{file}" for file, _ in FILES[layer].values())
            looks = min(LONGEST_PAUSE, before.looks * 2) if before is not None else 1
            return Counters(**values), Pause(looks, looks)
        value = as_number(said)
        if value is None:
            unclear.note(f"{port}/{file}", said)
        values[name] = _counted(value, bits)
    return Counters(**values), None


def _counted(value: int | None, bits: int) -> int | None:
    return None if value in (2**bits - 1, 2**32 - 1, 2**64 - 1) else value
