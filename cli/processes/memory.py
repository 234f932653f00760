"""Memory of a process that runs on every node: what its start used is given back, and threads share one heap."""

from __future__ import annotations

import ctypes
import gc

_MALLOPT_ARENA_MAX = -8
"""From glibc's malloc.h."""


def share_one_heap() -> None:
    """Threads that come and go would each fragment a heap of its own. Before the first thread; only glibc has more."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MALLOPT_ARENA_MAX, 1)


def give_back() -> None:
    """Once everything is loaded: free what the start used, and let no search for garbage look at the rest again."""
    gc.collect()
    gc.freeze()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
