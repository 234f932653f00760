"""The process that asks NVML: one `GpuLook` as JSON on standard output (see `discovery.nvlink.child`)."""

from __future__ import annotations

import signal
import sys

import msgspec

from discovery.nvlink import nvml

ENDS_ITSELF = 300
"""Seconds: where nobody is left to end it."""


def main() -> None:
    """One look."""
    signal.alarm(ENDS_ITSELF)
    sys.stdout.buffer.write(msgspec.json.encode(nvml.look()))


if __name__ == "__main__":
    main()
