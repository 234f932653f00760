"""What was heard on each port, and for how long it counts. Times are arguments: seconds of one monotonic clock.

Anybody on the cable may send as anybody, so a sender is ids from one MAC: what another MAC sends with the same ids
neither ends the first nor takes its place.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from discovery.lldp.frames import Frame
from discovery.lldp.neighbours import MAX_NEIGHBOURS, Neighbours, folded, is_adapter
from discovery.reports import Neighbour


class FullError(Exception):
    """The port has as many neighbours as are kept."""


@dataclass(slots=True)
class _Sender:
    neighbour: Neighbour
    until: float
    """When its last frame counts no more."""
    held: float = 0.0
    """It counts until then even so."""

    @property
    def end(self) -> float:
        return max(self.until, self.held)

    @property
    def ids(self) -> tuple[str | None, str | None]:
        return self.neighbour.chassisId, self.neighbour.portId


Senders = dict[tuple[bytes, bytes], _Sender]
"""By MAC and ids."""
MAX_SOURCES = 4
"""So many MACs may send with the same ids."""
MAX_HELD = 300.0
"""Seconds for which a sender counts at most beyond its last frame, where frames are lost."""


@dataclass(slots=True)
class Heard:
    """All ports. A sender that says goodbye, or is silent for longer than its frames count, is gone."""

    _ports: dict[str, Senders] = field(default_factory=dict)

    def take(self, port: str, frame: Frame, now: float) -> bool:
        """A frame came; whether that changed what is known. Raises FullError for one sender too many: those that were
        heard first stay, but an adapter's firmware makes room for what has a name."""
        senders = self._ports.setdefault(port, {})
        key = frame.source, frame.sender
        known = senders.get(key)
        if not frame.ttl:
            return senders.pop(key, None) is not None
        sender = _Sender(frame.neighbour, now + frame.ttl)
        if known is None:
            self._make_room(senders, sender)
        senders[key] = sender
        return known is None or known.end <= now or known.neighbour != frame.neighbour

    def expire(self, now: float) -> bool:
        """Forget who was silent for too long; whether there was anybody."""
        gone = [(senders, key) for senders in self._ports.values() for key, one in senders.items() if one.end <= now]
        for senders, key in gone:
            del senders[key]
        return bool(gone)

    def hold(self, port: str, until: float) -> None:
        """Frames of this port were lost: until then its silence says nothing, but not for ever."""
        for sender in self._ports.get(port, {}).values():
            sender.held = min(until, sender.until + MAX_HELD)

    def forget(self, port: str) -> bool:
        """The port has no cable, or is gone; whether anybody had been heard on it."""
        return bool(self._ports.pop(port, None))

    def next_end(self) -> float | None:
        """When the next sender is gone, if nothing more is heard."""
        return min((one.end for senders in self._ports.values() for one in senders.values()), default=None)

    def neighbours(self, now: float) -> Neighbours:
        """Who counts at that moment."""
        alive = {
            port: folded(one.neighbour for one in senders.values() if one.end > now)
            for port, senders in self._ports.items()
        }
        return {port: neighbours for port, neighbours in alive.items() if neighbours}

    @staticmethod
    def _make_room(senders: Senders, new: _Sender) -> None:
        """Neighbours are counted as they are told: whoever sends much with few ids keeps nobody out."""
        known = Counter(one.ids for one in senders.values())
        if new.ids in known:
            if known[new.ids] >= MAX_SOURCES:
                raise FullError
        elif len(known) >= MAX_NEIGHBOURS:
            named = {one.ids for one in senders.values() if not is_adapter(one.neighbour)}
            adapter = next((ids for ids in known if ids not in named), None)
            if adapter is None or is_adapter(new.neighbour):
                raise FullError
            for key in [key for key, one in senders.items() if one.ids == adapter]:
                del senders[key]
