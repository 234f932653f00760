"""What is being done, on stderr, once it has taken long: for those who wait in front of a large fabric."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from cli.output import say

LONG = 2.0
"""Seconds after which a phase is named."""
TICK = 0.2


@contextmanager
def phase(what: str, after: float = LONG) -> Iterator[None]:
    """Name what is done inside once it has taken `after` seconds; in a terminal the seconds run."""
    over = threading.Event()
    watch = threading.Thread(target=_watch, args=(what, after, over), name=what, daemon=True)
    watch.start()
    try:
        yield
    finally:
        over.set()
        watch.join()


def _watch(what: str, after: float, over: threading.Event) -> None:
    began = time.monotonic()
    if over.wait(after):
        return
    if sys.stderr is None or not sys.stderr.isatty():
        say(f"{what} ...")
        return
    try:
        while not over.wait(TICK):
            sys.stderr.write(f"\r{what} ... {time.monotonic() - began:.0f} s")
            sys.stderr.flush()
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
    except OSError:
        return
