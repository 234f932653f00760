"""Programs that are asked (nvidia-smi, lldpd's client), each with a limit of time and of what it may say.

A program that cannot even be killed (it waits inside a driver) is left alone, and no other is started beside it until
it is gone.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

MAX_BYTES = 4 << 20
_TO_DIE = 2.0
_STUCK = "an earlier look hangs in a driver and cannot be ended: see `dmesg`, reset the device or reboot the node"


class CommandError(Exception):
    """No answer; the message is a sentence for the operator."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program said and how it ended."""

    code: int
    """Negative: the signal that ended it."""
    output: bytes


@dataclass(slots=True)
class Commands:
    """Runs one program after the other."""

    most_bytes: int = MAX_BYTES
    _stuck: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def run(self, command: Sequence[str], seconds: float) -> Answer:
        """Blocks up to `seconds` and two more. CommandError: it cannot start, says nothing in time, or too much."""
        self._stuck = [process for process in self._stuck if process.poll() is None]
        if self._stuck:
            raise CommandError(_STUCK)
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                process_group=0,
            )
        except OSError as error:
            raise CommandError(f"{command[0]} cannot be started: {error.strerror or error}") from error
        try:
            return self._listen(process, time.monotonic() + seconds)
        except subprocess.TimeoutExpired as error:
            raise CommandError(f"no answer within {seconds:g} s") from error
        finally:
            self._end(process)

    def _listen(self, process: subprocess.Popen[bytes], deadline: float) -> Answer:
        assert process.stdout is not None
        said, size = [], 0
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while True:
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    raise subprocess.TimeoutExpired(process.args, 0)
                part = os.read(process.stdout.fileno(), 1 << 16)
                if not part:
                    break
                said.append(part)
                size += len(part)
                if size > self.most_bytes:
                    raise CommandError(f"it says more than {self.most_bytes:,} bytes, which is the most that is read")
        return Answer(process.wait(max(0.0, deadline - time.monotonic())), b"".join(said))

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Nothing of it is left, nor of what it started, unless it cannot be killed."""
        if process.stdout is not None:
            process.stdout.close()
        if process.returncode is not None:
            return  # waited for: its number may belong to another by now
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        try:
            process.wait(_TO_DIE)
        except subprocess.TimeoutExpired:
            self._stuck.append(process)
