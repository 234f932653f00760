"""When a process counts as well and as ready, over HTTP."""

from __future__ import annotations

from dataclasses import dataclass

import aiohttp
import pytest
from prometheus_client import CollectorRegistry

from cli.ending import CommandError
from cli.processes.authentication import Open
from cli.processes.health import Health
from cli.processes.metrics import ProcessMetrics
from cli.processes.sections import Http
from cli.processes.serving import served
from kube.tenure import ALONE


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def test_it_is_unwell_when_looks_fail_to_come_but_not_while_none_is_due() -> None:
    clock = Clock()
    health = Health(stale_after=300.0, clock=clock)
    clock.now = 1000.0
    assert health.trouble() == ""
    health.beat()
    clock.now = 1300.0
    assert health.trouble() == ""
    clock.now = 1301.0
    assert health.trouble() == "the last look or write was 301 s ago, more than 300 s"
    health.rest()
    assert health.trouble() == ""


def test_it_is_unwell_when_nobody_renews_the_lease() -> None:
    health = Health(300.0, electing=lambda: False)
    assert "Lease" in health.trouble()
    health.stopping = True
    assert health.trouble() == ""


def test_it_is_not_ready_while_nobody_knows_who_holds_the_lease() -> None:
    told = "nobody knows who holds the Lease"
    health = Health(300.0, synced=True, unseen=lambda: told)
    assert health.unready() == "nobody knows who holds the Lease"
    told = ""
    assert health.unready() == ""


async def test_it_says_so_over_http() -> None:
    clock, registry = Clock(), CollectorRegistry()
    health = Health(300.0, clock)
    ProcessMetrics(registry, ALONE)
    async with (
        served(Http(listen="127.0.0.1:0"), health, registry, Open()) as address,
        aiohttp.ClientSession(f"http://{address}") as session,
    ):

        async def ask(path: str) -> tuple[int, str]:
            async with session.get(path) as answer:
                return answer.status, await answer.text()

        assert await ask("/healthz") == (200, "ok\n")
        assert await ask("/readyz") == (503, "the caches are not whole yet\n")
        health.synced = True
        assert await ask("/readyz") == (200, "ok\n")
        health.beat()
        clock.now = 400.0
        assert (await ask("/healthz"))[0] == 503
        health.stopping = True
        assert await ask("/readyz") == (503, "stopping\n")
        status, text = await ask("/metrics")
        assert status == 200
        assert "hyperscout_leader 1.0\n" in text
        assert (await ask("/metrics/nothing"))[0] == 404
        async with session.post("/metrics") as answer:
            assert answer.status == 405
        with pytest.raises(CommandError, match="to a free address"):
            async with served(Http(listen=address), health, registry, Open()):
                pass
