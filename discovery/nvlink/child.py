"""A look at NVML in a process of its own, which is cut off where it hangs (see `discovery.nvlink.nvml` for why).

It is `discovery.nvlink.__main__`, and writes one `GpuLook` as JSON on standard output.
"""

from __future__ import annotations

import sys

import msgspec

from discovery.commands import Answer, CommandError, Commands
from discovery.nvlink.gpus import GpuLook
from discovery.reports import FAILED

CHILD = (sys.executable, "-P", "-m", "discovery.nvlink")
"""-P: nothing is imported from the folder that the agent happens to run in."""


def look(commands: Commands, seconds: float) -> GpuLook:
    """Never raises; blocks up to `seconds` and two more."""
    try:
        return _decoded(commands.run(CHILD, seconds))
    except CommandError as error:
        return GpuLook(outcome=FAILED, reason=f"NVML: {error}; see `nvidia-smi` and `dmesg` on the node")


def _decoded(answer: Answer) -> GpuLook:
    try:
        return msgspec.json.decode(answer.output, type=GpuLook)
    except msgspec.MsgspecError as error:
        died = f"was ended by signal {-answer.code}" if answer.code < 0 else f"ended with {answer.code}"
        return GpuLook(outcome=FAILED, reason=f"the process that asks NVML {died} and said nothing of use ({error})")
