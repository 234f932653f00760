"""Fixtures that every room's tests may use."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

# looptime asks for the current loop also around synchronous hypothesis tests, which would make one that nobody closes
asyncio.set_event_loop(None)

SHARED_DATA = Path(__file__).resolve().parents[1] / ".." / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real captures that stands beside the checkout; a machine without it skips, CI fails."""
    if not SHARED_DATA.is_dir():
        if os.environ.get("CI") == "true":
            pytest.fail("the real captures (../shared/data beside the checkout) are missing")
        pytest.skip("needs the real captures: ../shared/data beside the checkout")
    return SHARED_DATA.resolve()
