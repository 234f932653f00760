"""A process of ours as a child of the test: its log as JSON, its HTTP, its signals, its exit code."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from tests.architecture.sources import ROOT

PATIENCE = 20.0
"""Seconds after which a test gives up waiting."""
PROGRAM = "from cli.main import main; raise SystemExit(main())"
QUICK = {
    "cluster.namespace": "default",
    "lease.duration": "1.5",
    "lease.renewDeadline": "1",
    "lease.retryPeriod": "0.1",
}

Line = dict[str, Any]


@dataclass(slots=True)
class Child:
    """One that was started."""

    process: asyncio.subprocess.Process
    lines: list[Line] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    seen: set[int] = field(default_factory=set)

    async def read(self) -> None:
        """Take its log until it ends."""
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            text = line.decode()
            self.lines.append(json.loads(text) if text.startswith("{") else {"event": text.strip()})
            self.news.set()

    async def said(self, event: str, holds: Callable[[Line], bool] = lambda _: True) -> Line:
        """The first line of the log with this event that was not asked for before; threads log in any order."""
        until = asyncio.get_running_loop().time() + PATIENCE
        while True:
            for number, line in enumerate(self.lines):
                if number not in self.seen and line["event"] == event and holds(line):
                    self.seen.add(number)
                    return line
            self.news.clear()
            try:
                async with asyncio.timeout_at(until):
                    await self.news.wait()
            except TimeoutError:
                log = "\n".join(map(str, self.lines))
                raise AssertionError(f"it never said {event!r}:\n{log}") from None

    async def ask(self, path: str) -> tuple[int, str]:
        """Status and text of its HTTP."""
        address = next(line["http"] for line in self.lines if line["event"] == "started")
        async with aiohttp.ClientSession() as session, session.get(f"http://{address}{path}") as answer:
            return answer.status, await answer.text()

    async def figure(self, sample: str) -> float:
        """One sample of its metrics, named with its labels; 0 where there is none."""
        _, text = await self.ask("/metrics")
        found = [line.rpartition(" ")[2] for line in text.splitlines() if line.rpartition(" ")[0] == sample]
        return float(found[0]) if found else 0.0

    def send(self, number: signal.Signals) -> None:
        """To this process alone."""
        os.kill(self.process.pid, number)

    async def ends(self) -> int:
        """Its exit code, when it has ended."""
        async with asyncio.timeout(PATIENCE):
            return await self.process.wait()


@asynccontextmanager
async def child(kubeconfig: Path, name: str, **settings: str) -> AsyncIterator[Child]:
    """Run `hyperscout NAME` with a quick Lease and a free port; killed at the end if it is still there."""
    given = {} if name == "agent" else dict(QUICK)
    given |= {key.replace("__", "."): value for key, value in settings.items()}
    options = [part for key, value in given.items() for part in ("--set", f"{key}={value}")]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM, name, "--kubeconfig", str(kubeconfig), "--listen", "127.0.0.1:0", *options,
        stderr=asyncio.subprocess.PIPE, cwd=ROOT,
        env={key: value for key, value in os.environ.items() if not key.startswith("HYPERSCOUT_")},
    )  # fmt: skip
    found = Child(process)
    reading = asyncio.create_task(found.read())
    try:
        yield found
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        await reading
