"""One port watched: samples of ten seconds and the verdicts that come of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from discovery.health import History, Thresholds, Verdict, judge
from discovery.samples import LINK_UP, Counters, PortSample

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass(slots=True)
class Watch:
    """A port, its counters, and the time."""

    history: History = field(default_factory=History)
    thresholds: Thresholds = field(default_factory=Thresholds)
    now: datetime = NOON
    clock: float | None = None
    """As `PortSample.clock`, where the port has one."""
    every: float = 10.0
    counters: Counters = field(default_factory=Counters)
    incarnation: str | None = "boot-1"
    words: list[str] = field(default_factory=list)
    """Verdicts, one for each time that they changed."""

    def see(
        self, link: str | None = LINK_UP, *, times: int = 1, legs_down: int = 0, reason: str | None = None
    ) -> Verdict:
        """So many samples in a row, the first one a step after the last."""
        for _ in range(times):
            self.now += timedelta(seconds=self.every)
            self.clock = self.clock + self.every if self.clock is not None else None
            verdict = self.sample(
                PortSample(
                    at=self.now,
                    clock=self.clock,
                    link=link,
                    reason=reason,
                    counters=self.counters,
                    incarnation=self.incarnation,
                    legs_down=legs_down,
                )
            )
        return verdict

    def sample(self, sample: PortSample) -> Verdict:
        """One sample of the caller's own."""
        verdict, self.history = judge(sample, self.history, self.thresholds)
        if not self.words or self.words[-1] != verdict.word:
            self.words.append(verdict.word)
        return verdict

    def passes(
        self, hours: float = 0.0, minutes: float = 0.0, seconds: float = 0.0, link: str | None = LINK_UP
    ) -> Verdict:
        """The same link for so long."""
        return self.see(link, times=round((hours * 3600 + minutes * 60 + seconds) / self.every))

    def errors(self, **rises: int) -> None:
        """The counters rise by so much."""
        self.counters = replace(
            self.counters, **{name: (getattr(self.counters, name) or 0) + by for name, by in rises.items()}
        )


def settled(**settings: float) -> Watch:
    """A port that has been up for a good while, with all counters at zero."""
    watch = Watch(counters=Counters(symbol_errors=0, link_error_recovery=0, link_downed=0))
    watch.every = 600.0
    watch.passes(hours=2)
    watch.every = settings.get("every", 10.0)
    watch.words.clear()
    return watch
