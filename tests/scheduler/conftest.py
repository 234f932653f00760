"""The cluster that the scheduler's tests work on."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.scheduler.lab import Lab, a_lab


@pytest.fixture
async def lab() -> AsyncIterator[Lab]:
    async with a_lab() as one:
        yield one
