"""Sweeps an InfiniBand fabric with the discovery tool."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from agent.sweeper.reading import Sweep, read_output
from agent.sweeper.tool import ToolError, run_tool, tool_version
from discovery.reports import SwitchReport


@dataclass(slots=True)
class ToolReader:
    """An `agent.sweeper.running.Reader`; the time limit is in seconds."""

    command: tuple[str, ...]
    fabric: str
    time_limit: float = 120.0
    _version: str | None = None

    async def read(self, own: Mapping[str, SwitchReport]) -> Sweep:
        """As `Reader.read`."""
        try:
            if self._version is None:
                self._version = await tool_version(self.command)
            output = await run_tool(self.command, self.time_limit)
        except ToolError as error:
            return Sweep.failed(str(error))
        sweep = await asyncio.to_thread(read_output, output, self.fabric)
        return replace(sweep, tool_version=self._version)
