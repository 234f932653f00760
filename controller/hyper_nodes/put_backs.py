"""How often a status is put back that somebody else overwrites: at once, then after pauses that double.

Volcano's discoverers overwrite the whole status of objects that they take for theirs, each time they see it change; two
writers without patience would write for ever.
"""

from __future__ import annotations

from dataclasses import dataclass, field

FIRST, LONGEST = 5.0, 600.0
"""Seconds between two put-backs of one object."""


@dataclass(frozen=True, slots=True)
class _Last:
    status: object
    """What should stand, as it was last seen or made to stand."""
    at: float = 0.0
    pause: float = 0.0
    """After the last put-back; 0: there was none."""


@dataclass(slots=True)
class PutBacks:
    """By object's name; `status` is what should stand, of any kind that can be compared. Times are in seconds."""

    _last: dict[str, _Last] = field(default_factory=dict)

    def due(self, name: str, status: object, now: float) -> bool:
        """Whether it may be written now: what is new always may."""
        last = self._last.get(name)
        return last is None or last.status != status or now >= last.at + last.pause

    def stands(self, name: str, status: object) -> None:
        """It was seen to stand so."""
        last = self._last.get(name, _Last(None))
        if last.status != status:
            self._last[name] = _Last(status, last.at, last.pause)

    def wrote(self, name: str, status: object, now: float) -> bool:
        """It was written. True: it stood so already, and was put back."""
        last = self._last.get(name, _Last(None))
        if last.status != status:
            self._last[name] = _Last(status, last.at, last.pause)
            return False
        calm = not last.pause or now - last.at > 2 * last.pause + FIRST
        self._last[name] = _Last(status, now, FIRST if calm else min(2 * last.pause, LONGEST))
        return True
