"""Many switches asked side by side; those that do not answer are left alone for longer and longer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from discovery.probing import Probed, failed
from discovery.snmp import PROBE, SwitchTables, Target

Ask = Callable[[Target], Awaitable[Probed[SwitchTables]]]


@dataclass(frozen=True, slots=True)
class Patience:
    """How many are asked at once, and how often one that does not answer. Times are in seconds."""

    at_once: int = 32
    first_pause: float = 600.0
    """After the second sweep without an answer, doubled with every further one."""
    longest_known: float = 900.0
    """Of a switch that answered once."""
    longest: float = 3600.0
    """Of an address that never did."""


@dataclass(frozen=True, slots=True)
class Round:
    """What came of all targets of one sweep."""

    answers: Mapping[Target, Probed[SwitchTables]]
    """Those that answered, in the order of the targets."""
    silent: Mapping[Target, str]
    """The others, and why."""
    left_alone: int = 0
    """So many of them were not asked this time."""
    late: int = 0
    """So many were cut off by the time limit."""

    @property
    def targets(self) -> int:
        """All of them."""
        return len(self.answers) + len(self.silent)


_END_SECONDS = 0.5


@dataclass(slots=True)
class _Silence:
    times: int
    until: float
    reason: str


@dataclass(slots=True)
class Roster:
    """What is remembered of the targets between sweeps."""

    patience: Patience = field(default_factory=Patience)
    _silent: dict[Target, _Silence] = field(default_factory=dict)
    _known: set[Target] = field(default_factory=set)
    """Those that answered once."""

    async def ask_all(self, targets: Sequence[Target], ask: Ask, seconds: float) -> Round:
        """One round, cut off after so many seconds. `ask` never raises."""
        now = asyncio.get_running_loop().time()
        due = [target for target in targets if target not in self._silent or self._silent[target].until <= now]
        given = await _gather(due, ask, self.patience.at_once, seconds)
        answers = {target: given[target] for target in targets if target in given and given[target].found is not None}
        self._known = (self._known | answers.keys()) & set(targets)
        self._note(given, anybody=bool(answers))
        silent = {target: self._reason(target, given.get(target)) for target in targets if target not in answers}
        return Round(answers, silent, len(targets) - len(due), len(due) - len(given))

    def _note(self, given: Mapping[Target, Probed[SwitchTables]], *, anybody: bool) -> None:
        """Where nobody answers, that is our own trouble and nobody is left alone for it."""
        now = asyncio.get_running_loop().time()
        for target, probed in given.items():
            if probed.found is not None:
                self._silent.pop(target, None)
                continue
            before = self._silent.get(target)
            times = before.times + 1 if before is not None else 1
            pause = self._pause(target, times) if anybody else 0.0
            self._silent[target] = _Silence(times if anybody else 0, now + pause, probed.reason or "")

    def _pause(self, target: Target, times: int) -> float:
        longest = self.patience.longest_known if target in self._known else self.patience.longest
        return min(self.patience.first_pause * 2.0 ** min(times - 2, 16), longest) if times > 1 else 0.0

    def _reason(self, target: Target, probed: Probed[SwitchTables] | None) -> str:
        if probed is not None:
            return probed.reason or "no answer"
        silence = self._silent.get(target)
        return silence.reason if silence is not None else "the sweep's time was used up"


async def _gather(
    targets: Sequence[Target], ask: Ask, at_once: int, seconds: float
) -> dict[Target, Probed[SwitchTables]]:
    """What those gave that were done in time."""
    given: dict[Target, Probed[SwitchTables]] = {}
    waiting = iter(targets)
    over = False

    async def work() -> None:
        for target in waiting:
            if over:  # its cancellation was lost
                return
            try:
                given[target] = await ask(target)
            except Exception as error:  # a fault of ours must not cost the other switches
                given[target] = failed(PROBE, f"{type(error).__name__}: {error}")

    workers = [asyncio.create_task(work()) for _ in range(min(at_once, len(targets)))]
    try:
        if workers:
            await asyncio.wait(workers, timeout=seconds)
    finally:
        over = True
        await _end(workers)
    return given


async def _end(workers: Sequence[asyncio.Task[None]]) -> None:
    """Cancelled again where that was lost: `asyncio.wait_for` of Python 3.11 drops one that comes with its result."""
    left = {worker for worker in workers if not worker.done()}
    while left:
        for worker in left:
            worker.cancel()
        _, left = await asyncio.wait(left, timeout=_END_SECONDS)
