"""Reads the error counters of switch ports with perfquery: bounded in time, a few switches side by side, never cleared.

One run a switch, so that one whose performance agent is dead costs its own time and hides nobody else's counters:
ibqueryerrors, one run a subnet, waits for every port of it in turn. perfquery goes by LID, so it needs what every
working subnet has: LIDs and routes, set by a subnet manager. The 64-bit counters (PortCountersExtended) come first; a
switch that has no error counters among them is asked for the 16-bit ones, from the next time on at once.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from agent.sweeper.infiniband.merging import End
from agent.sweeper.tool import ToolError, run_tool
from discovery.identity import Guid
from discovery.portcounters import read_perfquery
from discovery.samples import Counters

AT_ONCE = 4
_MOST_OUTPUT = 1 << 20
_MOST_FAILURES = 5
_SECONDS_A_SWITCH = 10.0
_PROCESS = re.compile(r"\[\d+\] ")
"""The tool's number of its process, in front of its words: the same failure is the same sentence."""


@dataclass(frozen=True, slots=True)
class Count:
    """How counters are read. Times are in seconds."""

    program: str = "perfquery"
    """Empty: they are not."""
    period: float = 300.0
    """At most so often."""
    time_limit: float = 30.0
    """Of all switches together; those that it was too short for come first the next time."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A switch to be read."""

    guid: Guid
    lid: int
    ports: tuple[int, ...]
    origin: tuple[str, ...]
    """The tool's options for the port that it is reached from."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What was read."""

    counters: Mapping[End, Counters] = field(default_factory=dict)
    switches: int = 0
    failures: tuple[str, ...] = ()
    """Some of them, in sentences."""
    failed: int = 0
    late: int = 0
    """Switches that there was no time for."""
    seconds: float = 0.0


@dataclass(slots=True)
class CounterReader:
    """Reads again and again, at most every period."""

    count: Count
    _at: float | None = None
    _turn: dict[Guid, int] = field(default_factory=dict)
    """When each switch was last read, in turns."""
    _narrow: set[Guid] = field(default_factory=set)
    """Switches without 64-bit error counters."""

    async def read(self, asked: Sequence[Asked]) -> Counted | None:
        """The counters of these switches; None where it is too early. Never raises."""
        begin = asyncio.get_running_loop().time()
        if not (self.count.program and asked) or (self._at is not None and begin - self._at < self.count.period):
            return None
        self._at = begin
        there = {one.guid for one in asked}
        self._turn = {guid: turn for guid, turn in self._turn.items() if guid in there}
        self._narrow &= there
        waiting = iter(sorted(asked, key=lambda one: (self._turn.get(one.guid, 0), one.guid)))
        reading = _Reading(self.count, begin + self.count.time_limit, self._narrow)
        await asyncio.gather(*(reading.work(waiting) for _ in range(AT_ONCE)))
        turn = max(self._turn.values(), default=0) + 1
        self._turn.update((guid, turn) for guid in reading.done)
        return Counted(
            reading.counters,
            len({guid for guid, _ in reading.counters}),
            tuple(reading.failures[:_MOST_FAILURES]),
            len(reading.failures),
            len(there - reading.done),
            asyncio.get_running_loop().time() - begin,
        )


@dataclass(slots=True)
class _Reading:
    """One round."""

    count: Count
    until: float
    narrow: set[Guid]
    counters: dict[End, Counters] = field(default_factory=dict)
    done: set[Guid] = field(default_factory=set)
    failures: list[str] = field(default_factory=list)

    async def work(self, waiting: Iterable[Asked]) -> None:
        """Switch after switch, until none waits or the time is over."""
        clock = asyncio.get_running_loop().time
        for one in waiting:
            if clock() >= self.until:
                return
            self.done.add(one.guid)
            ports: Mapping[int, Counters] = {}
            why = ""
            if one.guid not in self.narrow:
                ports, why = await self._ask(one, "-x")
                if not ports and not why:
                    self.narrow.add(one.guid)
            if not ports:
                ports, why = await self._ask(one)
            self.counters.update(((one.guid, port), found) for port, found in ports.items())
            if why:
                self.failures.append(f"switch {one.guid}, LID {one.lid}: {why}")

    async def _ask(self, one: Asked, *options: str) -> tuple[Mapping[int, Counters], str]:
        """Its counters, and what went wrong."""
        left = self.until - asyncio.get_running_loop().time()
        if left <= 0:
            return {}, "no time was left"
        ports = ",".join(map(str, one.ports))
        command = (self.count.program, *options, *one.origin, "-l", str(one.lid), ports)
        try:
            output = await run_tool(command, min(left, _SECONDS_A_SWITCH), _MOST_OUTPUT)
        except ToolError as error:
            return {}, str(error)
        found = read_perfquery(output.map.decode("ascii", "replace"), one.lid)
        wanted = {port: counters for port, counters in found.items() if port in one.ports}
        if output.code == 0:
            return wanted, ""
        words = _PROCESS.sub("", output.words).strip().splitlines()
        return wanted, words[-1][:200] if words and output.code is not None else "it gave no answer in time"
