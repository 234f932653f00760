"""Python's search for garbage in cycles, kept cheap in a process that holds millions of objects which are in none.

A full search looks at every object that was ever kept, and comes again each time a quarter has been added: while the
reports of 10,000 nodes are read that is half of the work, and a pause of seconds. What a look has made and keeps is set
aside instead, and no search looks at it again; it is freed as ever when nobody holds it any more.
"""

from __future__ import annotations

import gc

_YOUNG, _MIDDLE, _OLD = 50_000, 20, 100
"""New objects before a search among them; such searches before one among what they left; these before a full one."""


def search_seldom() -> None:
    """From now on."""
    gc.set_threshold(_YOUNG, _MIDDLE, _OLD)


def set_aside() -> None:
    """After a million new objects: free what is garbage among them, and look at the rest no more."""
    if gc.get_count()[2]:
        gc.collect()
        gc.freeze()
