"""One program that a control plane started: its log, whether it lives, and its end, by its own process id."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

_LAST_LINES = 120


@dataclass(slots=True)
class Process:
    """A program with its arguments; it may be started and ended again and again, its log goes on."""

    name: str
    command: Sequence[str]
    log: Path
    ready: Callable[[], bool]
    """Whether it serves; may raise OSError where it does not yet."""
    _running: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def pid(self) -> int:
        """The process id. Raises RuntimeError where it is not started."""
        if self._running is None:
            raise RuntimeError(f"{self.name} is not started")
        return self._running.pid

    @property
    def alive(self) -> bool:
        """Whether it has been started and not ended yet."""
        return self._running is not None and self._running.poll() is None

    def start(self) -> None:
        """Start it; it ends with the test process even where that is killed."""
        with self.log.open("ab") as log:
            self._running = subprocess.Popen(
                [*_ended_with_us(), *self.command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                cwd=self.log.parent,
            )

    def wait_ready(self, seconds: float = 60.0) -> None:
        """Return once it serves. Raises RuntimeError with the end of its log where it ends or does not come."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self._running is None or self._running.poll() is not None:
                raise RuntimeError(f"{self.name} ended before it served:\n{self.last_words()}")
            with suppress(OSError):
                if self.ready():
                    return
            time.sleep(0.03)
        raise RuntimeError(f"{self.name} does not serve after {seconds:.0f} s:\n{self.last_words()}")

    def stop(self, by: signal.Signals = signal.SIGTERM, seconds: float = 10.0) -> None:
        """End it, and wait for that; killed where it does not end in time. Nothing happens where it has ended."""
        running, self._running = self._running, None
        if running is None:
            return
        with suppress(ProcessLookupError):
            os.kill(running.pid, signal.SIGCONT)
            os.kill(running.pid, by)
        try:
            running.wait(seconds)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()

    def last_words(self) -> str:
        """The end of the log."""
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return "\n".join((f"{self.log}:", *lines[-_LAST_LINES:]))


def _ended_with_us() -> tuple[str, ...]:
    """Linux ends the program when this process dies without a word; where setpriv is missing nothing does."""
    return ("setpriv", "--pdeathsig", "KILL") if shutil.which("setpriv") else ()
