"""The raw receiver: hears LLDP on the interfaces that it is given, and tells when something changed.

It costs nothing while nothing is sent. Whatever is sent, it reads a bounded number of frames a second and port, keeps a
bounded number of neighbours, and counts what it drops, by reason.
"""

from __future__ import annotations

import asyncio
import errno
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from discovery.lldp.frames import Unusable, read_frame
from discovery.lldp.heard import FullError, Heard
from discovery.lldp.neighbours import Neighbours
from discovery.lldp.opening import Opener
from discovery.lldp.port import GROUPS, Port
from discovery.probing import Probed, absent, failed, found

NAME = "lldp"
FRAMES_A_SECOND, BURST = 20, 60
"""Of one port. A management network of 500 speakers sends 17 a second."""
PAUSE = 1.0
"""Seconds for which a port that sends more is not read."""
HELD = 5.0
"""Seconds: where frames are lost, silence says nothing for so long."""
TOLD = 600.0
"""Seconds for which the probe tells that it dropped something."""
MAX_TOLD = 4
"""So many ports are told of by name."""

OWN, FOREIGN, TOO_MANY_FRAMES, TOO_MANY_NEIGHBOURS, BAD_TLV = (
    "own", "not for us", "too many frames", "too many neighbours", "malformed TLV",
)  # fmt: skip
"""Why a frame, or a part of it, is dropped; beside the reasons of `discovery.lldp.frames`."""
GONE, NO_ANSWER = "there is no such interface", "the kernel does not answer; see dmesg"
"""Why an interface is not listened on, beside a missing right."""
_PACKET_OTHERHOST, _PACKET_OUTGOING = 3, 4


@dataclass(slots=True)
class _Listened:
    """A port, and how many frames of it may be read at once."""

    port: Port
    at: float
    carrier: bool
    """At the last look."""
    tokens: float = BURST
    resuming: asyncio.TimerHandle | None = None

    def refill(self, now: float) -> None:
        self.tokens = min(BURST, self.tokens + (now - self.at) * FRAMES_A_SECOND)
        self.at = now


@dataclass(slots=True)
class Listener:
    """Belongs to the event loop that runs when it is made. Times are that loop's, in seconds."""

    dropped: Counter[str] = field(default_factory=Counter)
    """How many frames were not used, by reason; ever since."""
    unheard: dict[str, str] = field(default_factory=dict)
    """Interfaces that cannot be listened on, and why."""
    opener: Opener = field(default_factory=Opener)
    _heard: Heard = field(default_factory=Heard)
    _ports: dict[str, _Listened] = field(default_factory=dict)
    _told: dict[tuple[str, str], float] = field(default_factory=dict)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _ageing: asyncio.TimerHandle | None = None
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)

    def follow(self, interfaces: Iterable[str]) -> None:
        """Listen on exactly these from now on. Call it at every look, and when a link changed: an interface that was
        made anew is listened on anew, one without a cable has no neighbours, one that could not be opened is tried
        again. What another one hears is not disturbed."""
        wanted = dict.fromkeys(interfaces)
        for name, listened in list(self._ports.items()):
            if name not in wanted or not listened.port.is_there():
                self._let_go(name)
            else:
                self._look_at_cable(listened)
        missing = [name for name in wanted if name not in self._ports]
        opened = self.opener.ask(missing)
        self.unheard.clear()
        for name in missing:
            port = opened.get(name)
            if isinstance(port, Port):
                self._listen(port)
            else:
                self.unheard[name] = NO_ANSWER if port is None else _why(port)

    def neighbours(self, now: float | None = None) -> Neighbours:
        """Who is heard on each interface."""
        return self._heard.neighbours(self._loop.time() if now is None else now)

    def probed(self) -> Probed[Neighbours]:
        """The same as a probe's answer: what is dropped or cannot be listened on is told beside it."""
        if not self._ports and not self.unheard:
            return absent(NAME, "no physical network interface")
        if not self._ports and any(reason != GONE for reason in self.unheard.values()):
            return failed(NAME, self._told_unheard())
        told = [text for text in (self._told_unheard(), self._told_dropped()) if text]
        return found(NAME, self.neighbours(), "; ".join(told) or None)

    async def changed(self) -> None:
        """Return once something has changed since this returned last."""
        await self._changed.wait()
        self._changed.clear()

    def hear(self, port: str, data: bytes) -> None:
        """A frame came in on that port."""
        frame = read_frame(data)
        if isinstance(frame, Unusable):
            self._drop(port, frame.reason)
            return
        if frame.skipped:
            self.dropped[BAD_TLV] += frame.skipped
        try:
            self._note(self._heard.take(port, frame, self._loop.time()))
        except FullError:
            self._drop(port, TOO_MANY_NEIGHBOURS)
        self._age()

    def close(self) -> None:
        """Listen no more. What was heard is forgotten."""
        for name in list(self._ports):
            self._let_go(name)
        self.opener.ask(())
        if self._ageing is not None:
            self._ageing.cancel()
            self._ageing = None

    def _listen(self, port: Port) -> None:
        listened = self._ports[port.name] = _Listened(port, self._loop.time(), port.has_carrier())
        self._loop.add_reader(port.socket, self._readable, listened)

    def _look_at_cable(self, listened: _Listened) -> None:
        """Nobody is at the end of a cable that was pulled."""
        before, listened.carrier = listened.carrier, listened.port.has_carrier()
        if before and not listened.carrier:
            self._note(self._heard.forget(listened.port.name))

    def _let_go(self, name: str) -> None:
        listened = self._ports.pop(name)
        self._loop.remove_reader(listened.port.socket)
        if listened.resuming is not None:
            listened.resuming.cancel()
        self.opener.close(listened.port)
        self._note(self._heard.forget(name))

    def _readable(self, listened: _Listened) -> None:
        """Read what is there, up to what the port may send."""
        port = listened.port
        listened.refill(self._loop.time())
        while listened.tokens >= 1:
            try:
                data, kind = port.receive()
            except BlockingIOError:
                return
            except OSError:
                self._down(listened)
                return
            listened.tokens -= 1
            if kind == _PACKET_OUTGOING:
                self.dropped[OWN] += 1
            elif kind == _PACKET_OTHERHOST and data[:6] not in GROUPS:
                self.dropped[FOREIGN] += 1
            else:
                self.hear(port.name, data)
        self._pause(listened)

    def _down(self, listened: _Listened) -> None:
        """The interface went down, or is gone: nobody is at its other end."""
        if listened.port.is_there():
            self._note(self._heard.forget(listened.port.name))
        else:
            self._let_go(listened.port.name)

    def _pause(self, listened: _Listened) -> None:
        """The kernel keeps a few of its frames meanwhile and drops the rest, which costs nothing."""
        self._loop.remove_reader(listened.port.socket)
        self._heard.hold(listened.port.name, self._loop.time() + HELD)
        listened.resuming = self._loop.call_later(PAUSE, self._resume, listened)

    def _resume(self, listened: _Listened) -> None:
        listened.resuming = None
        if lost := listened.port.lost():
            self._drop(listened.port.name, TOO_MANY_FRAMES, lost)
        self._loop.add_reader(listened.port.socket, self._readable, listened)

    def _age(self) -> None:
        """Look again when the next neighbour falls silent."""
        end = self._heard.next_end()
        if end is not None and (self._ageing is None or self._ageing.when() > end):
            if self._ageing is not None:
                self._ageing.cancel()
            self._ageing = self._loop.call_at(end, self._aged)

    def _aged(self) -> None:
        self._ageing = None
        self._note(self._heard.expire(self._loop.time()))
        self._age()

    def _note(self, changed: bool) -> None:
        if changed:
            self._changed.set()

    def _drop(self, port: str, reason: str, frames: int = 1) -> None:
        self.dropped[reason] += frames
        self._told[port, reason] = self._loop.time()

    def _told_unheard(self) -> str:
        return _listing("cannot listen on", self.unheard.items())

    def _told_dropped(self) -> str:
        """Without numbers, which would make another report of every frame."""
        now = self._loop.time()
        self._told = {key: at for key, at in self._told.items() if now - at < TOLD}
        return _listing("frames dropped on", self._told)


def _listing(what: str, pairs: Iterable[tuple[str, str]]) -> str:
    told = [f"{name} ({reason})" for name, reason in sorted(pairs)]
    more = [f"and {len(told) - MAX_TOLD} more"] if len(told) > MAX_TOLD else []
    return f"{what} {', '.join(told[:MAX_TOLD] + more)}" if told else ""


def _why(error: OSError) -> str:
    if error.errno in (errno.EPERM, errno.EACCES):
        return "no right to hear raw frames: give the agent CAP_NET_RAW"
    if error.errno in (errno.ENODEV, errno.ENXIO):
        return GONE
    return error.strerror or str(error)
