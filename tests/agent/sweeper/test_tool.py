"""The tool is cut off with all that it started; a missing one is a sentence; no output is waited for in vain."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from agent.sweeper.infiniband.reading import read_subnet
from agent.sweeper.tool import ToolError, run_tool, tool_version


def shell(text: str) -> list[str]:
    return ["/bin/sh", "-c", text]


def has_ended(pid: str) -> bool:
    """Though perhaps nobody has asked for its exit code yet."""
    status = Path(f"/proc/{pid.strip()}/stat")
    return not status.exists() or status.read_text().split()[2] == "Z"


async def is_gone(pid: str) -> bool:
    """Whether it ends at once."""
    for _ in range(500):
        if has_ended(pid):
            return True
        await asyncio.sleep(0.01)
    return False


async def test_both_streams_and_the_exit_code_are_told() -> None:
    output = await run_tool(shell("echo map; echo words >&2; exit 3"), 10.0)
    assert (output.map, output.words, output.code) == (b"map\n", "words\n", 3)


async def test_a_tool_that_hangs_is_cut_off_with_its_children_and_what_it_gave_counts(tmp_path: Path) -> None:
    file = tmp_path / "child"
    output = await run_tool(shell(f"echo map; sleep 600 & echo $! > {file}; wait"), 0.5)
    assert (output.map, output.code) == (b"map\n", None)
    assert await is_gone(file.read_text())


async def test_a_child_that_outlives_the_tool_does_not_hold_up_the_sweep(tmp_path: Path) -> None:
    file = tmp_path / "child"
    output = await run_tool(shell(f"echo map; sleep 600 & echo $! > {file}"), 0.5)
    assert output.map == b"map\n"
    assert await is_gone(file.read_text())


async def test_a_child_that_left_the_group_of_the_tool_does_not_hold_up_the_sweep(tmp_path: Path) -> None:
    file = tmp_path / "child"
    output = await run_tool(shell(f"echo map; setsid sleep 600 & echo $! > {file}"), 0.5)
    os.kill(int(file.read_text()), signal.SIGKILL)
    assert output.map == b"map\n"
    assert output.seconds is not None
    assert output.seconds < 60


async def test_a_tool_that_prints_without_end_is_cut_off() -> None:
    output = await run_tool(["/bin/sh", "-c", "yes"], 60.0, 1 << 20)
    assert (output.overflow, output.code, len(output.map)) == (True, None, 1 << 20)
    trouble = read_subnet(output, "mlx5_0/1", (), "f").trouble
    assert trouble == ("the tool was cut off: it printed more than 128 MiB",)


async def test_a_tool_that_is_not_there_is_a_sentence() -> None:
    with pytest.raises(ToolError, match="cannot run /nowhere/ibnetdiscover: No such file or directory; install"):
        await run_tool(["/nowhere/ibnetdiscover"], 1.0)


async def test_the_version_is_the_number_that_the_tool_says(tmp_path: Path) -> None:
    tool = tmp_path / "ibnetdiscover"
    tool.write_text("#!/bin/sh\necho 'ibnetdiscover BUILD VERSION: 43.0.1 Build date: Jan  1 2026'\n")
    tool.chmod(0o755)
    assert await tool_version([str(tool)]) == "43.0.1"
