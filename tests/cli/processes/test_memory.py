"""What a process does with its memory, as the kernel tells it of one that was started for this."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT

HUGE_PAGE, UNTOUCHED = 2048, 65536
"""Kilobytes."""
PROGRAM = """
import json, mmap, os, sys
from pathlib import Path
from cli.processes.memory import give_back, lie_together, share_one_heap

def kilobytes():
    rows = (line.split() for line in Path("/proc/self/smaps_rollup").read_text().splitlines()[1:])
    return {row[0].rstrip(":"): int(row[1]) for row in rows}

share_one_heap()
kept = [str(number) for number in range(700_000)]
odd = os.open(sys.argv[1].encode() + b"/\\xff\\xe2\\x80\\xa8 rw-p 00000000 00:00 0", os.O_RDWR | os.O_CREAT)
os.truncate(odd, 4096)
odd_name_mapped = mmap.mmap(odd, 4096)
untouched = mmap.mmap(-1, 64 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
untouched[0] = untouched[32 << 20] = 1
give_back()
before = kilobytes()
lie_together()
after = kilobytes()
assert kept == [str(number) for number in range(700_000)] and untouched[32 << 20] == 1
print(json.dumps([before, after]))
"""


def test_what_is_in_use_lies_together_and_what_is_not_takes_no_more(tmp_path: Path) -> None:
    if tuple(int(part) for part in platform.release().split(".")[:2]) < (6, 1):
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("needs Linux 6.1, for MADV_COLLAPSE")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    before, after = json.loads(done.stdout)
    assert after["AnonHugePages"] >= before["AnonHugePages"]
    assert after["AnonHugePages"] >= 4 * HUGE_PAGE  # of 700,000 strings, 38 MB or more
    assert after["Rss"] < before["Rss"] + UNTOUCHED / 4
