"""An SNMP agent (v2c) that answers from a table, or as a test wants it to: late, cut off, in circles, with anything."""

from __future__ import annotations

import asyncio
import bisect
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import cast

Oid = tuple[int, ...]
Row = tuple[Oid, int, bytes]
"""OID, BER tag and content."""

INTEGER, OCTETS, NULL, IDENTIFIER, SEQUENCE = 0x02, 0x04, 0x05, 0x06, 0x30
COUNTER, GAUGE, TICKS, NO_SUCH_INSTANCE, END_OF_VIEW = 0x41, 0x42, 0x43, 0x81, 0x82
GET, GET_NEXT, RESPONSE, GET_BULK = 0xA0, 0xA1, 0xA2, 0xA5
COMMUNITY = b"public"


@dataclass(frozen=True, slots=True)
class Request:
    """What a client asks."""

    kind: int
    number: int
    community: bytes
    repetitions: int
    oids: tuple[Oid, ...]


@dataclass(slots=True)
class Agent:
    """One that answers on `port`; `answer` makes the datagrams of each request."""

    answer: Callable[[Request], Sequence[bytes]]
    port: int = 0
    asked: list[Request] = field(default_factory=list)


def oid(text: str) -> Oid:
    return tuple(map(int, text.split(".")))


def row(name: str, value: int | bytes) -> Row:
    """A row with an integer or with octets."""
    return (oid(name), INTEGER, integer(value)) if isinstance(value, int) else (oid(name), OCTETS, value)


def integer(value: int) -> bytes:
    return value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True)


def response(request: Request, rows: Sequence[Row], error: int = 0) -> bytes:
    """One whole datagram."""
    bindings = b"".join(_tlv(SEQUENCE, _tlv(IDENTIFIER, _packed(name)) + _tlv(tag, value)) for name, tag, value in rows)
    pdu = _tlv(INTEGER, integer(request.number)) + _tlv(INTEGER, integer(error)) + _tlv(INTEGER, b"\0")
    body = _tlv(INTEGER, b"\1") + _tlv(OCTETS, request.community) + _tlv(RESPONSE, pdu + _tlv(SEQUENCE, bindings))
    return _tlv(SEQUENCE, body)


def from_table(table: Sequence[Row], most: int = 40) -> Callable[[Request], list[bytes]]:
    """Answers of an honest agent that holds these rows."""
    rows = sorted(table)
    names = [name for name, _, _ in rows]
    by_name: Mapping[Oid, Row] = {found[0]: found for found in rows}

    def answer(request: Request) -> list[bytes]:
        if request.community != COMMUNITY:
            return []
        if request.kind == GET:
            return [response(request, [by_name.get(one, (one, NO_SUCH_INSTANCE, b"")) for one in request.oids])]
        count = min(most, request.repetitions) if request.kind == GET_BULK else 1
        begin = bisect.bisect_right(names, request.oids[0])
        found = rows[begin : begin + count]
        return [response(request, found or [(request.oids[0], END_OF_VIEW, b"")])]

    return answer


@asynccontextmanager
async def agent(answer: Callable[[Request], Sequence[bytes]]) -> AsyncIterator[Agent]:
    """One that answers on a free port of 127.0.0.1."""
    playing = Agent(answer)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(lambda: _Protocol(playing), local_addr=("127.0.0.1", 0))
    playing.port = transport.get_extra_info("sockname")[1]
    try:
        yield playing
    finally:
        transport.close()


class _Protocol(asyncio.DatagramProtocol):
    def __init__(self, playing: Agent) -> None:
        self._agent = playing

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        if data == b"\0":  # what is no request has no answer
            return
        request = read_request(data)
        self._agent.asked.append(request)
        for datagram in self._agent.answer(request):
            self._transport.sendto(datagram, addr)


def read_request(data: bytes) -> Request:
    """A request of SNMP v2c."""
    _, message = next(_parts(data))
    (_, _), (_, community), (kind, pdu) = _parts(message)
    (_, number), (_, _), (_, repetitions), (_, bindings) = _parts(pdu)
    names = tuple(_unpacked(next(_parts(binding))[1]) for _, binding in _parts(bindings))
    return Request(
        kind, int.from_bytes(number, "big", signed=True), community, int.from_bytes(repetitions, "big"), names
    )


def _tlv(tag: int, content: bytes) -> bytes:
    size = len(content)
    if size < 0x80:
        return bytes((tag, size)) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(length))) + length + content


def _parts(data: bytes) -> Iterator[tuple[int, bytes]]:
    while data:
        tag, size, start = data[0], data[1], 2
        if size & 0x80:
            start = 2 + (size & 0x7F)
            size = int.from_bytes(data[2:start], "big")
        yield tag, data[start : start + size]
        data = data[start + size :]


def _packed(name: Oid) -> bytes:
    packed = bytearray()
    for number in (name[0] * 40 + name[1], *name[2:]):
        groups = [number & 0x7F]
        while number := number >> 7:
            groups.append(0x80 | number & 0x7F)
        packed += bytes(reversed(groups))
    return bytes(packed)


def _unpacked(packed: bytes) -> Oid:
    numbers, number = list[int](), 0
    for byte in packed:
        number = number << 7 | byte & 0x7F
        if not byte & 0x80:
            numbers.append(number)
            number = 0
    first = min(numbers[0] // 40, 2)
    return (first, numbers[0] - first * 40, *numbers[1:])
