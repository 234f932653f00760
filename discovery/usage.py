"""What a process of ours costs; asked of the kernel by psutil."""

from __future__ import annotations

from dataclasses import dataclass

import psutil


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Of one process, as it stands."""

    memory: int
    """Resident bytes."""
    cpu: float
    """Seconds of processor time since its start, in user and kernel mode."""


def usage(pid: int | None = None) -> Usage:
    """Of this process, or of another one. Raises ProcessLookupError where there is none."""
    try:
        process = psutil.Process(pid)
        with process.oneshot():
            times = process.cpu_times()
            return Usage(memory=process.memory_info().rss, cpu=times.user + times.system)
    except psutil.NoSuchProcess as error:
        raise ProcessLookupError(f"there is no process {pid}") from error
