"""What a sweeper says of its sweeps in the log: a line where something changed, and of its own where one failed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from structlog.testing import capture_logs

from agent.sweeper.infiniband.reading import read_subnet
from agent.sweeper.judging import View
from agent.sweeper.reading import Sweep
from agent.sweeper.running import Sweeper, SweeperSettings
from agent.sweeper.tool import Output
from discovery.identity import Guid
from discovery.reports import SweepReport, SwitchReport, switch_report_name
from kube.errors import ApiError
from kube.tenure import ALONE
from tests.cli.processes.conftest import raise_kinds

LEAF = Guid("00000000000000aa")
REPORT = SwitchReport(guid=LEAF)
WHOLE = Sweep(View(frozenset({LEAF}), 4), {switch_report_name(REPORT): REPORT})


@dataclass
class Played:
    """Gives one sweep after the other; stops the sweeper after the last."""

    sweeps: list[Sweep]
    stop: asyncio.Event = field(default_factory=asyncio.Event)

    async def read(self, own: Mapping[str, SwitchReport]) -> Sweep:
        return self.sweeps.pop(0)

    def begins(self) -> None: ...
    def rests(self) -> None: ...
    def wrote(self, verb: str, error: ApiError | None) -> None: ...

    def swept(self, report: SweepReport, seconds: float) -> None:
        if not self.sweeps:
            self.stop.set()


async def test_a_good_sweep_is_told_where_it_changed_something_and_a_failed_one_by_its_own_name(tmp_path: Path) -> None:
    failed = Sweep.failed("nobody answers")
    played = Played([WHOLE, WHOLE, failed, failed, WHOLE])
    settings = SweeperSettings(period=0.01)
    async with raise_kinds(tmp_path) as (client, _):
        with capture_logs() as logs:
            async with asyncio.timeout(10):
                await Sweeper(client, played, settings, played.stop, ALONE, played).run()
    told = [line for line in logs if line["event"] in ("swept", "the sweep failed")]
    assert [line["event"] for line in told] == ["swept", "the sweep failed", "swept"]
    assert (told[0]["outcome"], told[0]["switches"], told[0]["hosts"], told[0]["missing"]) == ("Complete", 1, 4, 0)
    assert told[0]["seconds"] < 10
    assert (told[1]["log_level"], told[1]["why"]) == ("error", "nobody answers")


def test_a_tool_that_prints_no_map_is_told_in_its_own_words() -> None:
    words = "Warning: the library path is unusual\nlibibumad: no CA was opened\n"
    (said,) = read_subnet(Output(b"\n", words, 0, 1.0), "mlx5_0/1", (), "ib").trouble
    expected = "the tool printed no map; it said: Warning: the library path is unusual libibumad: no CA was opened"
    assert said == expected
    (silent,) = read_subnet(Output(b"", "", 0, 1.0), "mlx5_0/1", (), "ib").trouble
    assert silent == "the tool printed no map and said nothing"
