"""Errors over time: a bounded line through the sums of errors, that rates are read from.

Time is that in which errors were watched: where nobody could count, it stands still, so that nothing is taken for none.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from math import floor

_PARTS = 12
"""So many marks a period has at least."""
_LEAST_IN_A_THIRD = 1 / 4
"""Of what is allowed in a period: no more errors than that in one of its thirds, and the others were a burst."""


@dataclass(frozen=True, slots=True)
class Meter:
    """The line: at so many seconds so many errors in all, from the oldest mark that counts to now."""

    seconds: tuple[float, ...]
    errors: tuple[int, ...]

    @staticmethod
    def clean(seconds: float) -> Meter:
        """So long without any."""
        return Meter((0.0, seconds), (0, 0))

    @property
    def flat(self) -> bool:
        """No error is remembered."""
        return self.errors[0] == self.errors[-1]

    @property
    def watched(self) -> float:
        """The seconds that are remembered."""
        return self.seconds[-1] - self.seconds[0]

    def then(self, seconds: float, errors: int, period: float) -> Meter:
        """The line after so many more seconds with so many more errors; what is older than the period is forgotten."""
        now, total = self.seconds[-1] + seconds, self.errors[-1] + errors
        kept = len(self.seconds)
        if kept > 1 and (self._level(total) or now - self.seconds[-2] < period / _PARTS):
            kept -= 1
        first = max(0, bisect_right(self.seconds, now - period, 0, kept) - 1)
        return Meter((*self.seconds[first:kept], now), (*self.errors[first:kept], total))

    def _level(self, total: int) -> bool:
        return self.errors[-2] == self.errors[-1] == total

    def above(self, errors: float, period: float) -> bool | None:
        """Whether there were more than so many in the period until now, and not all in one burst. None: not yet known.

        A burst lies in one third of the period, or in two where it falls upon their border; never in all three.
        """
        begin = self.seconds[-1] - period
        if begin < self.seconds[0]:
            return None
        sums = (self._at(begin), self._at(begin + period / 3), self._at(begin + period * 2 / 3), self.errors[-1])
        least = min(after - before for before, after in pairwise(sums))
        return floor(sums[-1] - sums[0]) > errors and least > errors * _LEAST_IN_A_THIRD

    def below(self, errors: float, period: float) -> bool:
        """Whether it is known that there were no more than so many in the period until now."""
        begin = self.seconds[-1] - period
        return begin >= self.seconds[0] and floor(self.errors[-1] - self._at(begin)) <= errors

    def _at(self, seconds: float) -> float:
        """The errors until then, as if they came evenly between two marks."""
        after = bisect_right(self.seconds, seconds)
        if after == len(self.seconds):
            return self.errors[-1]
        begin, end = self.seconds[after - 1], self.seconds[after]
        low, high = self.errors[after - 1], self.errors[after]
        return low + (high - low) * (seconds - begin) / (end - begin)
