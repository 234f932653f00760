"""One line of ibnetdiscover's output, read tolerantly: bytes in, statements out.

Knows how a line may be spelled and nothing about what the lines together mean. The forms are those of rdma-core's
infiniband-diags/ibnetdiscover.c, and what happens to them in terminal logs, mails and processed dumps: blanks may be
missing or doubled anywhere between two tokens. Node descriptions are up to 64 bytes of anything, quotes not escaped, so
a description reaches to the last quote of its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

from discovery.scan import NodeKind, Speed

MAX_LINE_BYTES = 2000
"""The longest true line has some 300 bytes; more is not looked at."""
MAX_PORT = 254
"""Port numbers have 8 bits; 0 is a switch's management port and 255 is reserved (IBTA volume 1, 17.2.1)."""

UNKNOWN_KIND = 255
"""The kind of a peer that the tool itself did not know (`?-`)."""


class AttributeName(IntEnum):
    """The lines in front of a node's header."""

    VENDOR = 0
    DEVICE = 1
    SYSTEM = 2
    SWITCH = 3
    HOST = 4
    ROUTER = 5


@dataclass(frozen=True, slots=True)
class Attribute:
    """`devid=0xd2f2`: a property of the node whose header follows. `value` is without `0x`."""

    name: AttributeName
    value: bytes


@dataclass(frozen=True, slots=True)
class Header:
    """`Switch 65 "S-…" # "…"`: a node. `kind` is a NodeKind; `ports` 0 is unknown."""

    kind: int
    ports: int
    identity: bytes
    description: bytes


@dataclass(frozen=True, slots=True)
class PortLine:
    """`[1] "H-…"[1](…) # "…" lid 9 4xNDR`: one end of a cable. Empty bytes and 0 are unknown."""

    port: int
    port_identity: bytes
    peer_kind: int
    peer: bytes
    peer_port: int
    peer_port_identity: bytes
    peer_description: bytes
    width: int
    speed: int


@dataclass(frozen=True, slots=True)
class ToolError:
    """A message of the tool that some part of the fabric did not answer."""


@dataclass(frozen=True, slots=True)
class Marked:
    """The line carries a mark of `--diff`."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The line says nothing that can be used. `opens_node`: it was meant as a header, so what follows is not the
    previous node's."""

    reason: str
    opens_node: bool = False


Statement = Attribute | Header | PortLine | ToolError | Marked | Unreadable

_ATTRIBUTES = {
    b"vendid": AttributeName.VENDOR,
    b"devid": AttributeName.DEVICE,
    b"sysimgguid": AttributeName.SYSTEM,
    b"switchguid": AttributeName.SWITCH,
    b"caguid": AttributeName.HOST,
    b"rtguid": AttributeName.ROUTER,
}
_KIND_OF_WORD = {b"switch": NodeKind.SWITCH, b"ca": NodeKind.HOST, b"rt": NodeKind.ROUTER, b"sw": NodeKind.SWITCH}
_KIND_OF_LETTER = {b"S": NodeKind.SWITCH, b"H": NodeKind.HOST, b"R": NodeKind.ROUTER}
_SPEEDS = {speed.name.encode(): int(speed) for speed in Speed if Speed.UNKNOWN < speed <= Speed.XDR}
_WIDTHS = frozenset({1, 2, 4, 8, 12})

_ATTRIBUTE = re.compile(
    rb"(vendid|devid|sysimgguid|switchguid|caguid|rtguid)\s*+=\s*+(?:0[xX])?+([^\s(#]++)\s*+(?:[(#].*)?", re.DOTALL
)
_NUMBER = re.compile(rb"[0-9a-fA-F]{1,8}")
_HEADER = re.compile(
    rb"(?i:(switch|ca|rt))\s*+(\d{1,5})\s*+"
    rb'"[HSR?]-([^"]++)"\s*+'
    rb'(?:\#[^"]*+"(.*)"([^"]*+))?',
    re.DOTALL | re.VERBOSE,
)
_EXTERNAL_PORT = rb"(?:\[ext\s*+\d++\]\s*+)?"
_PORT_GUID = rb'(?:\(([^()"]*+)\)\s*+)?'
_PORT_LINE = re.compile(
    rb"\[(\d{1,5})\]\s*+" + _EXTERNAL_PORT + _PORT_GUID + rb'"(.)-([^"]++)"\s*+'
    rb"\[(\d{1,5})\]\s*+" + _EXTERNAL_PORT + _PORT_GUID + rb'(?:\#[^"]*+"(.*)"([^"]*+))?',
    re.DOTALL,
)
_RATE = re.compile(rb"(?<!\S)(?:(\d{1,2})x|\?\?)\s*+(\?\?\?|[A-Z]{3}(?:10)?)(?![A-Z0-9])")
_LIST_END = rb"(CA|SW|RT|\?\?)\s*+(\d++)\s++(\d{1,5})\s++0x([0-9a-fA-F]{1,16})"
_LIST_LINE = re.compile(
    _LIST_END + rb"\s++(\d{1,2}x|\?\?)\s*+(\?\?\?|[A-Z]{3}(?:10)?)\s*+"
    rb"(?:-\s*+" + _LIST_END + rb"\s*+\(\s*+'(.*)'\s*-\s*'(.*)'\s*+\)|'(.*)')",
    re.DOTALL,
)
_LIST_START = re.compile(_LIST_END)
_TOOL_ERROR = re.compile(
    rb"(?:src/)?[a-z_]{1,40}\.c:\d{1,6}[;:] |ibwarn: |ibpanic: |ibnetdiscover: |umad \(|\(DR path |bad status \d"
)
_HEADING = re.compile(rb"(?:Non-)?Chassis\b|Hostname:|(?:Max|Reported max) .*hops|Initiated from |Topology file:")
_ESCAPE = re.compile(rb"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07)|\x07|\x08")


def read(line: bytes) -> tuple[Statement, ...]:
    """Read one line (no line ends inside). Nothing to say (blank lines, comments, headings): an empty tuple."""
    line = line.strip()
    if not line or line.startswith(b"#"):
        return ()
    if len(line) > MAX_LINE_BYTES:
        return (Unreadable(f"longer than {MAX_LINE_BYTES} bytes, which no line of ibnetdiscover is"),)
    statements = _read_known(line)
    if statements is None:
        statements = _read_disturbed(line)
    return statements


def _read_known(line: bytes) -> tuple[Statement, ...] | None:
    """The line as one of the tool's forms; None where it is none of them."""
    if line.startswith(b"["):
        return _read_port_line(line)
    if match := _ATTRIBUTE.fullmatch(line):
        return (_attribute(_ATTRIBUTES[match[1]], match[2]),)
    if match := _HEADER.fullmatch(line):
        return _header(match)
    if match := _LIST_LINE.fullmatch(line):
        return _list_line(match)
    return () if _HEADING.match(line) else None


def _read_disturbed(line: bytes) -> tuple[Statement, ...]:
    """The line behind marks of `--diff`, terminal control sequences, or with a message of the tool in it."""
    if line.startswith(b"<"):
        return (Marked(),)
    if line.startswith(b">"):
        return (Marked(), *read(line[1:]))
    plain = _ESCAPE.sub(b"", line).removeprefix(b"\xef\xbb\xbf")
    if plain != line:
        return read(plain)
    if error := _TOOL_ERROR.search(line):
        return (*read(line[: error.start()]), ToolError())
    return (_unreadable(line),)


def _attribute(name: AttributeName, value: bytes) -> Statement:
    if name <= AttributeName.DEVICE and not _NUMBER.fullmatch(value):
        return Unreadable("the value is no hexadecimal number of at most 32 bits")
    return Attribute(name, value)


def _header(match: re.Match[bytes]) -> tuple[Statement, ...]:
    ports = int(match[2])
    if ports > MAX_PORT:
        return (Unreadable(f"a node has at most {MAX_PORT} ports", opens_node=True),)
    header = Header(_KIND_OF_WORD[match[1].lower()], ports, match[3], match[4] or b"")
    return (header, *_tail_error(match[5]))


def _read_port_line(line: bytes) -> tuple[Statement, ...] | None:
    match = _PORT_LINE.fullmatch(line)
    if match is None:
        return None
    port, peer_port = int(match[1]), int(match[5])
    if not 0 < port <= MAX_PORT or not 0 < peer_port <= MAX_PORT:
        return (Unreadable(f"a cable's port number lies between 1 and {MAX_PORT}"),)
    kind = _KIND_OF_LETTER.get(match[3], UNKNOWN_KIND)
    rate = _last_rate(match[8] or b"")
    line_read = PortLine(port, match[2] or b"", kind, match[4], peer_port, match[6] or b"", match[7] or b"", *rate)
    return (line_read, *_tail_error(match[8]))


def _list_line(match: re.Match[bytes]) -> tuple[Statement, ...]:
    """A line of `-p`: the port's own node and, where a cable is plugged, its peer.

    The list gives port GUIDs only, so a two-port adapter shows as two nodes here.
    """
    kind, _, port, guid, width, speed, peer_word, _, peer_port, peer, name, peer_name, lone_name = match.groups()
    own = Header(_KIND_OF_WORD.get(kind.lower(), UNKNOWN_KIND), 0, guid, lone_name if name is None else name)
    if peer is None:
        return (own,)
    if not 0 < int(port) <= MAX_PORT or not 0 < int(peer_port) <= MAX_PORT:
        return (own, Unreadable(f"a cable's port number lies between 1 and {MAX_PORT}"))
    peer_kind = _KIND_OF_WORD.get(peer_word.lower(), UNKNOWN_KIND)
    rate = _rate(width.rstrip(b"x"), speed)
    return (own, PortLine(int(port), guid, peer_kind, peer, int(peer_port), peer, peer_name, *rate))


def _last_rate(tail: bytes) -> tuple[int, int]:
    """Width and speed out of ` lid 9 4xNDR s=1 w=2`; both may be missing."""
    width, speed = 0, 0
    for match in _RATE.finditer(tail):
        width, speed = _rate(match[1] or b"", match[2])
    return width, speed


def _rate(width: bytes, speed: bytes) -> tuple[int, int]:
    lanes = int(width) if width.isdigit() else 0
    return lanes if lanes in _WIDTHS else 0, _SPEEDS.get(speed, Speed.UNKNOWN)


def _tail_error(tail: bytes | None) -> tuple[Statement, ...]:
    """A message of the tool that was written behind a line before its line end."""
    return (ToolError(),) if tail and _TOOL_ERROR.search(tail) else ()


def _unreadable(line: bytes) -> Unreadable:
    if re.match(rb"\[\d", line):
        return Unreadable('no port line: expected [port] "S-guid"[port] # "description" lid N rate')
    if re.match(rb'(?i:switch|ca|rt)\s*\d*\s*"', line):
        return Unreadable('no node header: expected Switch ports "S-guid" # "description"', opens_node=True)
    if _LIST_START.match(line):
        return Unreadable("no entry of a port list: expected the node's name in single quotes")
    return Unreadable("not a line of ibnetdiscover")
