"""Memory of a process that runs on every node: what its start used is given back, and what is left lies together."""

from __future__ import annotations

import ctypes
import gc
import mmap
import re
from collections.abc import Iterator
from pathlib import Path

_MALLOPT_ARENA_MAX = -8
"""From glibc's malloc.h."""
_MADV_COLLAPSE = 25
"""From Linux's mman-common.h, since 6.1; it asks whatever is set for transparent huge pages."""
_OURS = re.compile(rb"^([0-9a-f]+)-([0-9a-f]+) rw-p [0-9a-f]+ [0-9a-f:]+ 0 *(?:\[heap\])?$", re.MULTILINE)
"""A line of proc_pid_maps(5): where, and no file behind it. Names of files may hold any byte."""
_HUGE_PAGE = 1 << 21
_USUAL_PAGE = 4096
"""Bytes; where pages are larger a huge one is too large for a process as small as ours."""


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


def lie_together() -> None:
    """Put what is in use into huge pages, where the kernel has them.

    Who wakes every ten seconds finds its memory cold. On a virtual machine a page that lies alone then costs as much as
    2 MiB that lie together (docs/benchmarks.md, `bench agent`).
    """
    if mmap.PAGESIZE != _USUAL_PAGE:
        return
    system = ctypes.CDLL(None)
    if not hasattr(system, "madvise") or not hasattr(system, "mincore"):
        return
    for address in _stretches():
        if _resident(system, address) * 2 >= _HUGE_PAGE:
            system.madvise(ctypes.c_void_p(address), ctypes.c_size_t(_HUGE_PAGE), _MADV_COLLAPSE)  # it may say no


def _stretches() -> Iterator[int]:
    """Where a huge page has room in memory of our own that no file is behind: proc_pid_maps(5)."""
    try:
        maps = Path("/proc/self/maps").read_bytes()
    except OSError:
        return
    for line in _OURS.finditer(maps):
        begin, end = (int(address, 16) for address in line.groups())
        yield from range(-(-begin // _HUGE_PAGE) * _HUGE_PAGE, end - _HUGE_PAGE + 1, _HUGE_PAGE)


def _resident(system: ctypes.CDLL, address: int) -> int:
    """Bytes of this stretch that are in memory, by mincore(2): a stack that was never filled would only grow."""
    pages = (ctypes.c_ubyte * (_HUGE_PAGE // _USUAL_PAGE))()
    if system.mincore(ctypes.c_void_p(address), ctypes.c_size_t(_HUGE_PAGE), pages):
        return 0
    return sum(page & 1 for page in pages) * _USUAL_PAGE
