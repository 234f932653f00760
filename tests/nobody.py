"""Lets a test look at files as a user who may search no folder that is closed to him."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534


def closed(parent: Path) -> Path:
    """A folder that only root may search; whoever runs the tests removes it all the same."""
    folder = parent / "closed"
    folder.mkdir(mode=0o000)
    return folder


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without root's rights, where there are any: root may search every folder.

    What is not imported by now may be out of reach inside, so run once before what imports late.
    """
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
