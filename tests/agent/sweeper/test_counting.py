"""Counters of many switches within a limit of time; a script plays perfquery, by LID.

What the real perfquery reads of a played fabric is in test_end_to_end.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agent.sweeper.infiniband import counting
from agent.sweeper.infiniband.counting import Asked, Count, Counted, CounterReader
from discovery.identity import Guid
from discovery.samples import Counters

CLASSIC = "printf '# Port counters: Lid %s port 3 (CapMask: 0x1300)\\nSymbolErrorCounter:......7\\n' $lid"
_EXTENDED = "printf '# Port extended counters: Lid %s port 3 (CapMask: 0x5300"
EXTENDED = f"{_EXTENDED} CapMask2: 0x2)\\nSymbolErrorCounter:..70000\\n' $lid"
NONE = f"{_EXTENDED} CapMask2: 0x0)\\nPortXmitData:..9\\n' $lid"


def switches(*lids: int) -> list[Asked]:
    return [Asked(Guid(f"{lid:016x}"), lid, (3, 4), ("-C", "mlx5_0")) for lid in lids]


class Tool:
    """Extended counters only of LIDs from 100 on; LID 13 never answers, LID 14 says no."""

    def __init__(self, folder: Path) -> None:
        self.path, self.log = folder / "perfquery", folder / "log"
        self.path.write_text(f"""#!/bin/sh
echo "$@" >> {self.log}
for word; do last=$before; before=$word; done
lid=$last
[ $lid = 13 ] && exec sleep 60
[ $lid = 14 ] && echo "ibwarn: [$$] mad_rpc: _do_madrpc failed; dport (Lid 14)" >&2 && exit 255
if [ "$1" = -x ]; then if [ $lid -ge 100 ]; then {EXTENDED}; else {NONE}; fi; else {CLASSIC}; fi
""")
        self.path.chmod(0o755)

    def calls(self) -> list[str]:
        """Of all runs since the last time that this was asked."""
        calls = self.log.read_text().splitlines()
        self.log.unlink()
        return calls

    def reader(self, time_limit: float = 10.0, period: float = 0.0) -> CounterReader:
        return CounterReader(Count(str(self.path), period, time_limit))


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    return Tool(tmp_path)


async def read(reader: CounterReader, *lids: int) -> Counted:
    counted = await reader.read(switches(*lids))
    assert counted is not None
    return counted


async def test_64_bits_come_first_and_a_switch_that_has_none_is_asked_for_16_from_then_on(tool: Tool) -> None:
    reader = tool.reader()
    counted = await read(reader, 7, 100)
    assert counted.counters == {
        (Guid(f"{7:016x}"), 3): Counters(symbol_errors=7),
        (Guid(f"{100:016x}"), 3): Counters(symbol_errors=70000),
    }
    assert (counted.switches, counted.failures, counted.late) == (2, (), 0)
    assert sorted(tool.calls()) == [
        "-C mlx5_0 -l 7 3,4", "-x -C mlx5_0 -l 100 3,4", "-x -C mlx5_0 -l 7 3,4",
    ]  # fmt: skip
    await read(reader, 7, 100)
    assert sorted(tool.calls()) == ["-C mlx5_0 -l 7 3,4", "-x -C mlx5_0 -l 100 3,4"]


async def test_counters_are_never_cleared(tool: Tool) -> None:
    await read(tool.reader(), *range(1, 9))
    words = {word for call in tool.calls() for word in call.split() if word.startswith("-")}
    assert words == {"-C", "-l", "-x"}


async def test_a_switch_that_never_answers_hides_no_other_one(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "_SECONDS_A_SWITCH", 0.3)
    counted = await read(tool.reader(), *range(10, 30))
    assert counted.switches == 18
    assert counted.failed == 2
    assert sorted(counted.failures) == [
        "switch 000000000000000d, LID 13: it gave no answer in time",
        "switch 000000000000000e, LID 14: ibwarn: mad_rpc: _do_madrpc failed; dport (Lid 14)",
    ]


async def test_switches_that_there_was_no_time_for_come_first_the_next_time(
    tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "AT_ONCE", 1)
    reader = tool.reader(time_limit=0.5)
    first = await read(reader, 5, 13, 20, 30)
    assert (first.late, first.failed) == (2, 1)
    tool.calls()
    second = await read(reader, 5, 13, 20, 30)
    assert {lid for _, *_, lid, _ in map(str.split, tool.calls())} >= {"20", "30"}
    assert second.switches >= 2


async def test_they_are_read_once_a_period_and_not_at_all_without_a_tool(tool: Tool) -> None:
    reader = tool.reader(period=3600.0)
    assert await reader.read(switches(7)) is not None
    assert await reader.read(switches(7)) is None
    assert await CounterReader(Count("", 0.0)).read(switches(7)) is None
    assert await tool.reader().read([]) is None


async def test_a_tool_that_is_not_there_fails_for_each_switch_and_raises_nothing(tmp_path: Path) -> None:
    counted = await read(CounterReader(Count(str(tmp_path / "none"), 0.0)), 7, 8)
    assert (counted.switches, counted.failed) == (0, 2)
    assert "No such file or directory" in counted.failures[0]


async def test_a_tool_that_prints_without_end_is_cut_off(tool: Tool) -> None:
    tool.path.write_text("#!/bin/sh\nexec yes\n")
    async with asyncio.timeout(30):
        counted = await read(tool.reader(), 7)
    assert (counted.switches, counted.failed) == (0, 1)
