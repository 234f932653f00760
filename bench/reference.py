"""The measuring that benchmarks share: alternating runs, the best of several, ratios with their limits, peak memory."""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROUNDS = 7
MEGABYTE = 1_000_000


def split_every_line(path: Path) -> None:
    """The reference for readers of text: read the file in binary, split() every line, keep nothing."""
    with path.open("rb") as file:
        for line in file:
            line.split()


def best_of(tasks: Mapping[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """The shortest run of each task in seconds. The tasks take turns, so that a slow moment hits them all alike."""
    best = dict.fromkeys(tasks, float("inf"))
    for _ in range(rounds):
        for name, task in tasks.items():
            gc.collect()
            begin = time.perf_counter()
            kept = task()
            best[name] = min(best[name], time.perf_counter() - begin)
            del kept
    return best


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure and the limit that it must keep to."""

    name: str
    value: float
    limit: float
    unit: str = "x"

    @property
    def over(self) -> bool:
        return self.value > self.limit

    def __str__(self) -> str:
        verdict = "OVER" if self.over else "ok"
        return f"{self.name:<44} {self.value:8,.2f} {self.unit:<3} limit {self.limit:,g}  {verdict}"


def report(figures: Sequence[Figure]) -> int:
    """Print the figures; the exit code: 1 if one of them is over its limit."""
    for figure in figures:
        print(figure, flush=True)
    return int(any(figure.over for figure in figures))


def peak_megabytes(module: str, *arguments: str) -> float:
    """Peak resident memory of `python -m MODULE ARGUMENTS`, which prints nothing but its own `peak_kilobytes()`."""
    done = subprocess.run([sys.executable, "-m", module, *arguments], check=True, capture_output=True, text=True)
    return int(done.stdout) * 1024 / MEGABYTE


def peak_kilobytes() -> int:
    """Peak resident memory of this process so far.

    Read from VmHWM, not from getrusage: ru_maxrss of a child begins with the peak of the process that started it.
    """
    status = Path("/proc/self/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")))
