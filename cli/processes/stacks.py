"""What a running process waits for: told on SIGUSR1, so that one that stands still can be asked why."""

from __future__ import annotations

import asyncio
import faulthandler
import signal
import sys
from collections.abc import Iterator
from typing import Any

import structlog

log = structlog.get_logger(__name__)

ASKED = signal.SIGUSR1


def tell_when_asked() -> None:
    """From now on, on the running loop: every thread's stack in plain text, then a line of the log for every task.

    The threads are told even where the loop itself hangs; stderr has to be a file or a pipe of the system.
    """
    asyncio.get_running_loop().add_signal_handler(ASKED, tell_tasks)
    try:
        faulthandler.register(ASKED, file=sys.stderr, all_threads=True, chain=True)
    except (OSError, ValueError):
        return  # no such stderr: the tasks are told all the same


def tell_tasks() -> None:
    """One line a task: its name and where it waits, the innermost call last."""
    for task in asyncio.all_tasks():
        log.info("task", task=task.get_name(), waits=list(_calls(task.get_coro())))


def _calls(waiting: Any) -> Iterator[str]:  # noqa: ANN401 - a coroutine, a generator, or what these wait for
    """A suspended coroutine knows its own frame only, and whom it waits for."""
    while waiting is not None:
        kind = next((kind for kind in ("cr", "gi", "ag") if hasattr(waiting, f"{kind}_frame")), None)
        if kind is None:
            return
        frame = getattr(waiting, f"{kind}_frame")
        if frame is not None:
            yield f"{frame.f_code.co_filename}:{frame.f_lineno} {frame.f_code.co_qualname}"
        waiting = getattr(waiting, "gi_yieldfrom" if kind == "gi" else f"{kind}_await")
