"""Which boot of the machine this is, from a procfs."""

from __future__ import annotations

from discovery.source import Source
from discovery.sysfs.attributes import text

BOOT_ID = "sys/kernel/random/boot_id"


def read_boot_id(proc: Source) -> str | None:
    """A UUID that the kernel draws at its start; None where it cannot be read. `proc` is rooted at `/proc`."""
    return text(proc, BOOT_ID)
