"""One agent asked over the network: values and bounded walks, with time-outs and repeated requests.

Agents lose datagrams, answer in circles, without end or with anything at all. A walk is given up where its object ids
do not rise, or where it holds more than is taken; what came until then is kept, and the reason is told.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import TYPE_CHECKING, TypeVar

from discovery.snmp.credentials import Community, Credentials
from discovery.snmp.targets import Target

if TYPE_CHECKING:
    from gufo.snmp.aio import SnmpSession

Value = int | str | bytes | float | bool | None
"""As gufo-snmp decodes them: integers, octets, object ids and addresses as text."""
Index = tuple[int, ...]
"""What stands behind a column in the object id of a row."""
Answer = TypeVar("Answer")

LOOP, TOO_MUCH, SILENT, LATE, ERROR, INCOMPLETE = "loop", "too-much", "silent", "late", "error", "incomplete"
"""Kinds of flaws: object ids that do not rise, more than is taken, no answer to a repeated request, all time used up,
an error in place of an answer, rows that lack what they are known by."""
NO_ANSWER = "no answer"
"""Agents say nothing to whom they do not know or may not tell: it is the same as no agent."""
REFUSED = "refused: no SNMP agent is at that port"
_REFUSED_SECONDS = 0.5
_PANIC = "PanicException"
"""Of the client's decoder, at a datagram that it cannot bear. It is no Exception."""


class Unanswered(Exception):  # noqa: N818 - it is no error of ours
    """The agent does not answer, or not us; the message says what to look at."""


class Late(Unanswered):
    """The time for all of one agent is used up."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How patiently one agent is asked, and how much is taken of it."""

    timeout: float = 2.0
    """Seconds to wait for one answer."""
    tries: int = 3
    """Requests until one counts as unanswered."""
    seconds: float = 60.0
    """For all of one agent."""
    repetitions: int = 25
    """Rows asked for at once; more of them make datagrams that networks cut in pieces."""
    rows: int = 100_000
    bytes: int = 16_000_000


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something that was dropped, by kind and in a sentence."""

    kind: str
    text: str


@dataclass(slots=True)
class Walk:
    """The rows of one subtree in order; `flaw` where that is not all of it."""

    rows: list[tuple[Index, Value]] = field(default_factory=list)
    flaw: Flaw | None = None


@dataclass(slots=True)
class Conversation:
    """Requests to one agent, one after the other, within one budget."""

    session: SnmpSession
    bounds: Bounds
    deadline: float
    """By the event loop's clock. It is looked at for every answer: `asyncio.wait_for`, on which the client rests, loses
    a cancellation that comes together with an answer (Python 3.11)."""
    rows: int = 0
    bytes: int = 0

    async def get(self, names: Iterable[str]) -> dict[str, Value]:
        """Those of the scalars that the agent has. Raises Unanswered."""
        wanted = list(names)
        return await self._repeated(lambda: self.session.get_many(wanted))

    async def lacks(self, name: str) -> bool:
        """Whether the agent says that there is no such instance. False: it answers with an error. Raises Unanswered.

        The client ends a walk without a word also where the agent answers with an error; this tells both apart.
        """
        from gufo.snmp import NoSuchInstance

        try:
            await self._repeated(lambda: self.session.get(name))
        except NoSuchInstance:
            return True
        return False

    async def walk(self, base: str, into: Walk, until: Callable[[Value], bool] | None = None) -> None:
        """The subtree, to the first value that `until` likes. Raises Late alone: silence is a flaw."""
        iterator = self.session.getbulk(base, self.bounds.repetitions)

        async def take() -> None:
            """Rows from where the walk stands; after an answer that was lost it is called again."""
            await self._take(base, iterator, into, until)

        try:
            await self._repeated(take)
        except Late:
            raise
        except Unanswered as error:
            into.flaw = Flaw(SILENT, f"{base}: {error}")

    async def _take(
        self,
        base: str,
        iterator: AsyncIterator[tuple[str, Value]],
        into: Walk,
        until: Callable[[Value], bool] | None,
    ) -> None:
        clock, skip = asyncio.get_running_loop().time, len(base) + 1
        last = into.rows[-1][0] if into.rows else ()
        async for name, value in iterator:
            if clock() > self.deadline:
                raise self._late()
            index = tuple(map(int, name[skip:].split("."))) if len(name) > skip else ()
            if index <= last:
                into.flaw = Flaw(LOOP, f"{base}: the object ids do not rise")
                return
            last = index
            into.rows.append((index, value))
            into.flaw = self._unaffordable(base, value)
            if into.flaw is not None or (until is not None and until(value)):
                return

    def _unaffordable(self, base: str, value: Value) -> Flaw | None:
        """Why nothing is taken after this value."""
        self.rows += 1
        self.bytes += len(value) if isinstance(value, bytes | str) else 8
        if self.rows > self.bounds.rows or self.bytes > self.bounds.bytes:
            return Flaw(TOO_MUCH, f"{base}: cut off after {self.rows:,} rows, {self.bytes:,} bytes in all")
        return None

    async def _repeated(self, request: Callable[[], Awaitable[Answer]]) -> Answer:
        """The answer to a request that goes out again where it was lost or came back in pieces."""
        from gufo.snmp import SnmpAuthError, SnmpDecodeError

        trouble, left = "", self.bounds.tries
        while left:
            if asyncio.get_running_loop().time() > self.deadline:
                raise self._late()
            rows = self.rows
            try:
                return await request()
            except TimeoutError:
                trouble = trouble or NO_ANSWER
            except SnmpDecodeError as error:
                trouble = f"an answer that is no SNMP ({error})"
            except SnmpAuthError as error:
                raise Unanswered("the agent refuses the user: look at its name, protocols and passwords") from error
            except OSError as error:
                raise Unanswered(error.strerror or str(error)) from error
            except BaseException as error:
                if type(error).__name__ != _PANIC:
                    raise
                raise Unanswered("an answer that the decoder cannot bear") from error
            left = (left if self.rows == rows else self.bounds.tries) - 1
        raise Unanswered(trouble)

    def _late(self) -> Late:
        return Late(f"cut off after {self.bounds.seconds:g} s")


async def converse(target: Target, credentials: Credentials, bounds: Bounds) -> Conversation:
    """Begin to ask the agent at an address. Raises Unanswered."""
    from gufo.snmp.aio import SnmpSession

    host = ip_address(target.host).exploded
    if isinstance(credentials, Community):
        session = SnmpSession(host, target.port, community=credentials.community, timeout=bounds.timeout)
    else:
        session = SnmpSession(host, target.port, user=credentials.as_user(), timeout=bounds.timeout)
    conversation = Conversation(session, bounds, asyncio.get_running_loop().time() + bounds.seconds)
    await conversation._repeated(session.refresh)
    return conversation


class _Refusal(asyncio.DatagramProtocol):
    """Hears whether a host says that nobody is at the port: the client's socket does not."""

    def __init__(self) -> None:
        self.told = asyncio.get_running_loop().create_future()

    def error_received(self, exc: Exception) -> None:
        if isinstance(exc, ConnectionRefusedError) and not self.told.done():
            self.told.set_result(None)


async def is_refused(target: Target) -> bool:
    """Whether the host says that nobody is at the port: asked by a byte to which no agent answers."""
    loop = asyncio.get_running_loop()
    try:
        transport, refusal = await loop.create_datagram_endpoint(_Refusal, remote_addr=(target.host, target.port))
    except OSError:
        return False
    try:
        transport.sendto(b"\0")
        await asyncio.wait({refusal.told}, timeout=_REFUSED_SECONDS)
        return refusal.told.done()
    finally:
        refusal.told.cancel()
        transport.close()
