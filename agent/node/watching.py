"""One probe over time: its time limit, and its last good evidence, which stays when the probe fails.

A probe is plain code that may block, in a driver or a daemon of somebody else. Each runs in a thread of its own, which
nobody waits for longer than the limit, and of which there is never a second one: a probe that hangs costs one thread.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Generic, TypeVar

from discovery.probing import Probed, failed
from discovery.reports import ABSENT, FAILED, FOUND, ProbeOutcome

T = TypeVar("T")

PENDING = ""
"""The outcome of a probe before the end of its first look; no report tells it."""
MAX_REASON = 240
"""Characters of a reason in a report."""


@dataclass(frozen=True, slots=True)
class Kept(Generic[T]):
    """What is known by one probe: how its last look went, and the evidence of its last good one."""

    name: str
    outcome: str
    reason: str | None = None
    evidence: T | None = None
    since: datetime | None = None
    """When the evidence was seen."""
    clock: float | None = None
    """The same, as `PortSample.clock`."""
    seconds: float = 0.0
    """How long the last look took."""

    @property
    def fresh(self) -> bool:
        """Whether the last look went well."""
        return self.outcome in (FOUND, ABSENT)

    @property
    def told(self) -> ProbeOutcome:
        """As the report tells it. Of old evidence it says from when it is: that changes no report, as an age would."""
        reason = clip(self.reason, MAX_REASON)
        if not self.fresh and self.since is not None and self.evidence is not None:
            reason = f"{reason or 'it failed'}; what is reported was seen at {self.since:%Y-%m-%dT%H:%M:%SZ}"
        return ProbeOutcome(name=self.name, outcome=self.outcome, reason=reason)

    def age(self, now: datetime) -> float | None:
        """Seconds since the evidence was seen."""
        return None if self.since is None else max(0.0, (now - self.since).total_seconds())

    def then(self, probed: Probed[T], at: datetime, seconds: float, clock: float | None = None) -> Kept[T]:
        """After one more look, which began at that moment. Absent is an answer; only a failure keeps what was."""
        if probed.outcome == FAILED:
            return replace(self, outcome=FAILED, reason=probed.reason, seconds=seconds)
        return Kept(self.name, probed.outcome, probed.reason, probed.found, at, clock, seconds)


def not_yet(name: str) -> Kept[T]:
    """Before the end of the first look."""
    return Kept(name, PENDING)


@dataclass(slots=True)
class Watched(Generic[T]):
    """One probe. `ask` runs in a thread; it may take any time, raise anything, and never come back."""

    name: str
    ask: Callable[[], Probed[T]]
    limit: float
    """Seconds after which nobody waits for it any longer."""
    every: float = 0.0
    """Seconds between two looks at least; until then the last one counts."""
    every_absent: float = 0.0
    """The same while there is nothing of its kind."""
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    kept: Kept[T] = field(init=False)
    _flight: asyncio.Future[Probed[T]] | None = None
    _began: datetime | None = None
    _begins: float = float("-inf")

    def __post_init__(self) -> None:
        self.kept = not_yet(self.name)

    @property
    def late(self) -> bool:
        """Whether the last look is open beyond its limit, or has ended since."""
        return self._flight is not None and self._time() - self._begins > self.limit

    @property
    def due(self) -> bool:
        """Whether a look would begin now."""
        every = max(self.every, self.every_absent) if self.kept.outcome == ABSENT else self.every
        return self._flight is None and self._time() - self._begins >= every

    async def look(self) -> Kept[T]:
        """Ask, unless it is too early or the last question is open. Never raises, never waits beyond the limit."""
        if self._flight is not None:
            return self._of_one_that_hangs(self._flight)
        if not self.due:
            return self.kept
        self._begins, self._began = self._time(), self.now()
        flight = self._flight = self._start()
        await asyncio.wait({flight}, timeout=self.limit)
        if not flight.done():
            self.kept = replace(
                self.kept, outcome=FAILED, reason=f"no answer within {self.limit:g} s", seconds=self.limit
            )
            return self.kept
        return self._keep(flight.result())

    def _of_one_that_hangs(self, flight: asyncio.Future[Probed[T]]) -> Kept[T]:
        """A late answer counts: it is newer than what is kept."""
        if flight.done():
            return self._keep(flight.result())
        assert self._began is not None
        reason = f"no answer since {self._began:%Y-%m-%dT%H:%M:%SZ}"
        self.kept = replace(self.kept, outcome=FAILED, reason=reason, seconds=self._time() - self._begins)
        return self.kept

    def _keep(self, probed: Probed[T]) -> Kept[T]:
        assert self._began is not None
        self._flight = None
        self.kept = self.kept.then(probed, self._began, self._time() - self._begins, self._begins)
        return self.kept

    def _start(self) -> asyncio.Future[Probed[T]]:
        loop = asyncio.get_running_loop()
        flight: asyncio.Future[Probed[T]] = loop.create_future()

        def work() -> None:
            answer = _answer_of(self.name, self.ask)
            if not loop.is_closed():
                loop.call_soon_threadsafe(_land, flight, answer)

        threading.Thread(target=work, name=f"probe-{self.name}", daemon=True).start()
        return flight

    def _time(self) -> float:
        return asyncio.get_running_loop().time()


def _answer_of(name: str, ask: Callable[[], Probed[T]]) -> Probed[T]:
    """A probe answers; one that raises is broken, and hides none of the others."""
    try:
        return ask()
    except Exception as error:
        return failed(name, f"it broke: {type(error).__name__}: {error}")


def _land(flight: asyncio.Future[Probed[T]], answer: Probed[T]) -> None:
    if not flight.done():
        flight.set_result(answer)


def clip(text: str | None, most: int) -> str | None:
    """The text, shortened where it is longer."""
    return text if text is None or len(text) <= most else text[: most - 1] + "…"
