"""Watches in virtual time: bookmarks, and how long a quiet one sleeps."""

from __future__ import annotations

import asyncio
import json

import pytest

from kube.embedded.kinds import BUILT_IN, PODS
from kube.embedded.rendering import View
from kube.embedded.selectors import Selector
from kube.embedded.store import History, Store
from kube.embedded.watches import Watch, follow

POD = next(kind for kind in BUILT_IN if kind.resource == PODS)
pytestmark = pytest.mark.looptime


def watch(start: int, bookmarks: bool, timeout: float) -> Watch:
    """A watch on all pods."""
    return Watch(Selector(), View(POD), None, start, bookmarks=bookmarks, timeout=timeout)


async def types(store: Store, wanted: Watch) -> list[str]:
    """The types of all events of a watch until it ends; a bookmark is due every 30 s."""
    lines = [lines async for lines in follow(store, store.shelf(PODS), wanted, 30)]
    return [json.loads(line)["type"] for line in b"".join(lines).splitlines()]


async def test_a_quiet_watch_has_a_bookmark_every_thirty_seconds() -> None:
    store = Store(History())
    assert await types(store, watch(store.revision, bookmarks=True, timeout=95)) == ["BOOKMARK"] * 3
    assert asyncio.get_running_loop().time() == 95


async def test_a_quiet_watch_without_bookmarks_sleeps_until_its_end() -> None:
    store = Store(History())
    async with asyncio.timeout(1_000_001):
        assert await types(store, watch(store.revision, bookmarks=False, timeout=1_000_000)) == []


async def test_a_change_wakes_a_watch_at_once() -> None:
    store = Store(History())
    wanted = watch(store.revision, bookmarks=False, timeout=100)

    async def listen() -> list[float]:
        return [asyncio.get_running_loop().time() async for _ in follow(store, store.shelf(PODS), wanted, 30)]

    listening = asyncio.create_task(listen())
    await asyncio.sleep(7)
    store.put(PODS, ("default", "one"), {"metadata": {"name": "one"}})
    assert await listening == [7]
