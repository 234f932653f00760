"""A sweeper that is to stop does not wait for the sweep that is under way, and writes nothing of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agent.sweeper.ethernet.asking import Roster
from agent.sweeper.judging import View
from agent.sweeper.reading import Sweep
from agent.sweeper.running import Sweeper, SweeperSettings
from discovery.identity import Guid
from discovery.probing import Probed
from discovery.reports import SweepReport, SwitchReport
from discovery.snmp import SwitchTables, Target
from kube.errors import ApiError
from kube.resources import SWEEP_REPORTS
from kube.tenure import ALONE
from tests.cli.processes.conftest import raise_kinds

PATIENCE = 10.0


@dataclass
class Slow:
    """A fabric that takes an hour to sweep."""

    begun: asyncio.Event = field(default_factory=asyncio.Event)
    ended: bool = False

    async def read(self, own: Mapping[str, SwitchReport]) -> Sweep:
        self.begun.set()
        try:
            await asyncio.sleep(3600)
        finally:
            self.ended = True
        return Sweep(View(frozenset({Guid("00000000000000aa")})))


class Nobody:
    """Looks at nothing."""

    def begins(self) -> None: ...
    def rests(self) -> None: ...
    def swept(self, report: SweepReport, seconds: float) -> None: ...
    def wrote(self, verb: str, error: ApiError | None) -> None: ...


async def test_a_sweep_that_is_under_way_is_given_up(tmp_path: Path) -> None:
    async with raise_kinds(tmp_path) as (client, _):
        stop, reader = asyncio.Event(), Slow()
        running = asyncio.create_task(Sweeper(client, reader, SweeperSettings(), stop, ALONE, Nobody()).run())
        async with asyncio.timeout(PATIENCE):
            await reader.begun.wait()
            stop.set()
            await running
        assert reader.ended
        assert not (await client.list(SWEEP_REPORTS)).items


async def test_switches_that_lose_the_first_word_to_end_get_another() -> None:
    deaf = 0

    async def ask(target: Target) -> Probed[SwitchTables]:
        nonlocal deaf
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                deaf += 1
                if deaf > 1:
                    raise

    async with asyncio.timeout(PATIENCE):
        one = await Roster().ask_all((Target("10.0.0.1"),), ask, 0.01)
    assert (one.late, deaf) == (1, 2)
