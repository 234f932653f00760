"""What processes cost, against what the kernel itself says of them."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from discovery.usage import usage


def test_memory_and_processor_time_are_those_of_the_process() -> None:
    before = usage()
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    assert before.memory == pytest.approx(resident, rel=0.2)
    assert before.cpu == pytest.approx(time.process_time(), abs=1.0)
    assert usage(os.getppid()).memory > 0
    while time.process_time() < before.cpu + 0.05:
        pass
    assert usage().cpu > before.cpu


def test_a_process_that_is_gone_is_an_error() -> None:
    with pytest.raises(ProcessLookupError):
        usage(2**22 - 1)
