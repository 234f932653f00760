"""What was heard on each port, and for how long it counts. Times are arguments: seconds of one monotonic clock."""

from __future__ import annotations

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


@dataclass(slots=True)
class Heard:
    """All ports. A sender that says goodbye, or is silent for longer than its frames count, is gone."""

    _ports: dict[str, dict[bytes, _Sender]] = field(default_factory=dict)

    def take(self, port: str, frame: Frame, now: float) -> bool:
        """A frame came; whether that changed what is known. Raises FullError for one sender too many: those that were
        heard first stay, but an adapter's firmware makes room for what has a name."""
        senders = self._ports.setdefault(port, {})
        known = senders.get(frame.sender)
        if not frame.ttl:
            return senders.pop(frame.sender, None) is not None
        if known is None and len(senders) >= MAX_NEIGHBOURS:
            self._make_room(senders, frame)
        senders[frame.sender] = _Sender(frame.neighbour, now + frame.ttl)
        return known is None or known.until <= now or known.neighbour != frame.neighbour

    def expire(self, now: float) -> bool:
        """Forget who was silent for too long; whether there was anybody."""
        gone = [(senders, key) for senders in self._ports.values() for key, one in senders.items() if one.until <= now]
        for senders, key in gone:
            del senders[key]
        return bool(gone)

    def hold(self, port: str, until: float) -> None:
        """Frames of this port were lost: until then its silence says nothing."""
        for sender in self._ports.get(port, {}).values():
            sender.until = max(sender.until, until)

    def forget(self, port: str) -> bool:
        """The port has no cable, or is gone; whether anybody had been heard on it."""
        return bool(self._ports.pop(port, None))

    def next_end(self) -> float | None:
        """When the next sender is gone, if nothing more is heard."""
        return min((one.until for senders in self._ports.values() for one in senders.values()), default=None)

    def neighbours(self, now: float) -> Neighbours:
        """Who counts at that moment."""
        alive = {
            port: folded(one.neighbour for one in senders.values() if one.until > now)
            for port, senders in self._ports.items()
        }
        return {port: neighbours for port, neighbours in alive.items() if neighbours}

    @staticmethod
    def _make_room(senders: dict[bytes, _Sender], frame: Frame) -> None:
        adapter = next((key for key, one in senders.items() if is_adapter(one.neighbour)), None)
        if adapter is None or is_adapter(frame.neighbour):
            raise FullError
        del senders[adapter]
