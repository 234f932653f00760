"""The lines that ibnetdiscover itself writes, read a chunk at a time in numpy columns.

Only the exact spelling is known here: a line is taken if every byte of it that matters is where the tool puts it, and
left to the tolerant grammar otherwise. So this module may know less than the grammar, but never anything else; a
differential test holds the two equal.

A chunk is an array of bytes with `PAD` line ends on both sides, so that a look around any position stays inside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from discovery.ibnetdiscover.grammar import MAX_LINE_BYTES, MAX_PORT, AttributeName
from discovery.ibnetdiscover.rows import AttributeRows, HeaderRows, PortRows, chosen
from discovery.scan import NodeKind, Speed

PAD = 48

Bytes = NDArray[np.uint8]
Positions = NDArray[np.int64]
Mask = NDArray[np.bool_]

_NEWLINE, _RETURN, _QUOTE, _BLANK, _TAB = 10, 13, 34, 32, 9
_NO_DIGIT = 255


def _table(entries: dict[str, int], default: int) -> Bytes:
    table = np.full(256, default, np.uint8)
    for character, value in entries.items():
        table[ord(character)] = value
    return table


_HEX = _table({digit: int(digit, 16) for digit in "0123456789abcdefABCDEF"}, _NO_DIGIT)
_DECIMAL = _table({str(digit): digit for digit in range(10)}, _NO_DIGIT)
_KINDS = _table({"S": NodeKind.SWITCH, "H": NodeKind.HOST, "R": NodeKind.ROUTER, "C": NodeKind.HOST}, _NO_DIGIT)
_SPEEDS = _table({speed.name[0]: speed for speed in Speed if speed.name[1:] == "DR"}, 0)
_WIDTHS = _table({"1": 1, "2": 2, "4": 4, "8": 8}, 0)
_ATTRIBUTES = (
    (b"vendid=0x", AttributeName.VENDOR),
    (b"devid=0x", AttributeName.DEVICE),
    (b"sysimgguid=0x", AttributeName.SYSTEM),
    (b"switchguid=0x", AttributeName.SWITCH),
    (b"caguid=0x", AttributeName.HOST),
    (b"rtguid=0x", AttributeName.ROUTER),
)


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """The bytes of some whole lines, and where the lines and their quotes are.

    `offset` added to a position gives the position in the dump; line 0 of the chunk is line `first_line` of the dump.
    """

    text: Bytes
    offset: int
    first_line: int
    starts: Positions
    ends: Positions
    """Before the line end, CR LF or LF."""
    marks: Positions
    """Positions of all quotes and line ends."""
    first_mark: Positions
    """For every line the index in `marks` of its first quote (of its line end, if it has none)."""
    quotes: NDArray[np.int64]
    """How many quotes each line has."""

    def at(self, positions: Positions, width: int) -> Bytes:
        """The `width` bytes that begin at each position, one row each."""
        rows: Bytes = sliding_window_view(self.text, width)[positions]
        return rows

    def says(self, positions: Positions, literal: bytes) -> Mask:
        """Where exactly this stands at the position."""
        return np.asarray((self.at(positions, len(literal)) == np.frombuffer(literal, np.uint8)).all(axis=1))


def split(data: bytes, start: int, end: int, first_line: int) -> Chunk:
    """The chunk of `data[start:end]`, which begins at a line's start and ends behind a line end (or with the data)."""
    text = np.full(end - start + 2 * PAD, _NEWLINE, np.uint8)
    text[PAD : PAD + end - start] = np.frombuffer(data, np.uint8, end - start, start)
    stop = PAD + end - start + (data[end - 1] != _NEWLINE)
    is_mark = text[:stop] == _NEWLINE
    is_mark |= text[:stop] == _QUOTE
    marks = np.flatnonzero(is_mark)
    marks = marks[np.searchsorted(marks, PAD) :]
    line_marks = np.flatnonzero(text[marks] == _NEWLINE)
    ends = marks[line_marks]
    starts = np.concatenate(([PAD], ends[:-1] + 1))
    first_mark = np.concatenate(([0], line_marks[:-1] + 1))
    ends = ends - ((text[ends - 1] == _RETURN) & (ends > starts))
    return Chunk(text, start - PAD, first_line, starts, ends, marks, first_mark, line_marks - first_mark)


@dataclass(frozen=True, slots=True, eq=False)
class ChunkRows:
    """What a chunk says, and which of its lines (counted in the chunk) are for the tolerant grammar."""

    attributes: AttributeRows
    headers: HeaderRows
    ports: PortRows
    rest: NDArray[np.intp]


def read_chunk(chunk: Chunk) -> ChunkRows:
    """Read every line in the tool's own spelling; comments and empty lines say nothing."""
    first = chunk.text[chunk.starts]
    known = (chunk.starts == chunk.ends) | (first == ord("#"))
    regular = ~_has_inner_return(chunk) & (chunk.ends - chunk.starts <= MAX_LINE_BYTES)
    attributes, attribute_lines = _attributes(chunk, np.flatnonzero((chunk.quotes == 0) & regular & ~known))
    four_quotes = (chunk.quotes == 4) & regular
    ports, port_lines = _ports(chunk, np.flatnonzero(four_quotes & (first == ord("["))))
    headers, header_lines = _headers(chunk, np.flatnonzero(four_quotes & (_KINDS[first] != _NO_DIGIT)))
    known &= regular
    for lines in (attribute_lines, port_lines, header_lines):
        known[lines] = True
    return ChunkRows(attributes, headers, ports, np.flatnonzero(~known))


def _has_inner_return(chunk: Chunk) -> Mask:
    """The lines with a carriage return that is not part of their line end."""
    found = np.zeros(len(chunk.starts), bool)
    returns = np.flatnonzero(chunk.text == _RETURN)
    inner = returns[chunk.text[returns + 1] != _NEWLINE]
    if len(inner):
        found[np.searchsorted(chunk.starts, inner, side="right") - 1] = True
    return found


def _attributes(chunk: Chunk, lines: NDArray[np.intp]) -> tuple[AttributeRows, NDArray[np.intp]]:
    starts, ends = chunk.starts[lines], chunk.ends[lines]
    name = np.full(len(lines), _NO_DIGIT, np.uint8)
    begin = starts.copy()
    first = chunk.text[starts]
    for literal, attribute in _ATTRIBUTES:
        some = np.flatnonzero(first == literal[0])
        some = some[chunk.says(starts[some], literal)]
        name[some] = attribute
        begin[some] += len(literal)
    # switchguid=0x<guid>(<port guid>): both have as many digits, or the line is none of the usual
    doubled = name == AttributeName.SWITCH
    value_end = np.where(doubled, begin + (ends - begin - 2) // 2, ends)
    good = (name != _NO_DIGIT) & (~doubled | ((chunk.text[value_end] == ord("(")) & (chunk.text[ends - 1] == ord(")"))))
    value, valid = _hexadecimal(chunk, begin, value_end)
    good &= valid & ((name > AttributeName.DEVICE) | (value_end - begin <= 8))
    taken = lines[good]
    return AttributeRows(taken + chunk.first_line, name[good], value[good]), taken


def _headers(chunk: Chunk, lines: NDArray[np.intp]) -> tuple[HeaderRows, NDArray[np.intp]]:
    starts, ends = chunk.starts[lines], chunk.ends[lines]
    quote = [chunk.marks[chunk.first_mark[lines] + number] for number in range(4)]
    kind = _KINDS[chunk.text[starts]]
    is_switch = chunk.says(starts, b"Switch\t")
    good = is_switch | chunk.says(starts, b"Ca\t") | chunk.says(starts, b"Rt\t")
    ports, valid = _decimal(chunk, starts + np.where(is_switch, 7, 3), quote[0] - 1)
    good &= valid & (ports <= MAX_PORT) & (chunk.text[quote[0] - 1] == _BLANK)
    guid, valid = _node_guid(chunk, quote[0], quote[1])
    good &= valid & chunk.says(quote[1] + 1, b"\t\t# ") & (quote[2] == quote[1] + 5)
    good &= np.where(is_switch, _is_switch_tail(chunk, quote[3] + 1, ends), quote[3] + 1 == ends)
    rows = HeaderRows(
        line=lines + chunk.first_line,
        kind=kind,
        ports=ports.astype(np.uint16),
        guid=guid,
        text_start=quote[2] + 1 + chunk.offset,
        text_end=quote[3] + chunk.offset,
    )
    return chosen(rows, good), lines[good]


def _is_switch_tail(chunk: Chunk, starts: Positions, ends: Positions) -> Mask:
    """` enhanced port 0 lid N lmc N`, or ` base …`."""
    base = chunk.says(starts, b" base port 0 lid ")
    enhanced = chunk.says(starts, b" enhanced port 0 lid ")
    _, valid = _decimal(chunk, starts + np.where(base, 17, 21), ends - 6)
    good: Mask = (base | enhanced) & valid & chunk.says(ends - 6, b" lmc ")
    good &= _DECIMAL[chunk.text[ends - 1]] != _NO_DIGIT
    return good


def _ports(chunk: Chunk, lines: NDArray[np.intp]) -> tuple[PortRows, NDArray[np.intp]]:
    text, starts, ends = chunk.text, chunk.starts[lines], chunk.ends[lines]
    quote = [chunk.marks[chunk.first_mark[lines] + number] for number in range(4)]
    port, bracket, good = _port_number(chunk, starts)
    # a switch writes a tab before the peer; an adapter writes (port guid), a blank and a tab
    plain = (bracket + 1 == quote[0] - 1) & (text[bracket + 1] == _TAB)
    port_guid, own_guid = _guid_in_brackets(chunk, bracket + 1, quote[0] - 3)
    own_guid &= (text[quote[0] - 2] == _BLANK) & (text[quote[0] - 1] == _TAB)
    good &= plain | own_guid
    peer, valid = _node_guid(chunk, quote[0], quote[1])
    peer_kind = _KINDS[text[quote[0] + 1]]
    good &= valid
    peer_port, peer_bracket, valid = _port_number(chunk, quote[1] + 1)
    comment = peer_bracket + 1
    good &= valid
    # behind a peer that is no switch: (port guid) and a blank
    closing = _closing_bracket(text, comment)
    peer_port_guid, with_guid = _guid_in_brackets(chunk, comment, closing)
    with_guid &= text[closing + 1] == _BLANK
    comment = np.where(with_guid, closing + 2, comment)
    # an adapter's own line has ` # lid N lmc N ` in front of the description; whatever stands there is not read
    good &= chunk.says(comment, b"\t\t# ") & (comment < quote[2])
    width, speed, valid = _rate(chunk, quote[3] + 1, ends)
    good &= valid
    port_guid[~own_guid] = 0
    peer_port_guid[~with_guid] = 0
    rows = PortRows(
        line=lines + chunk.first_line,
        port=port,
        port_guid=port_guid,
        peer_kind=peer_kind,
        peer=peer,
        peer_port=peer_port,
        peer_port_guid=peer_port_guid,
        width=width,
        speed=speed,
        text_start=quote[2] + 1 + chunk.offset,
        text_end=quote[3] + chunk.offset,
    )
    return chosen(rows, good), lines[good]


def _port_number(chunk: Chunk, opening: Positions) -> tuple[NDArray[np.uint8], Positions, Mask]:
    """The number in `[n]` at the position, of one to three digits, and where its `]` is."""
    near = chunk.at(opening, 5)
    closing = near == ord("]")
    digits = np.where(closing[:, 2], 1, np.where(closing[:, 3], 2, 3))
    number, valid = _decimal(chunk, opening + 1, opening + 1 + digits)
    good = valid & (near[:, 0] == ord("[")) & (closing[:, 2] | closing[:, 3] | closing[:, 4])
    good &= (number > 0) & (number <= MAX_PORT)
    return number.astype(np.uint8), opening + 1 + digits, good


def _closing_bracket(text: Bytes, opening: Positions) -> Positions:
    """Where the `)` of up to 16 digits must be: behind the last hexadecimal digit."""
    digits = _HEX[sliding_window_view(text, 17)[opening + 1]] == _NO_DIGIT
    closing: Positions = opening + 1 + digits.argmax(axis=1)
    return closing


def _guid_in_brackets(chunk: Chunk, opening: Positions, closing: Positions) -> tuple[NDArray[np.uint64], Mask]:
    value, good = _hexadecimal(chunk, opening + 1, closing)
    return value, good & (chunk.text[opening] == ord("(")) & (chunk.text[closing] == ord(")"))


def _node_guid(chunk: Chunk, opening: Positions, closing: Positions) -> tuple[NDArray[np.uint64], Mask]:
    """The GUID in `"S-<16 digits>"` between two quotes."""
    value, good = _hexadecimal(chunk, opening + 3, closing)
    kind = chunk.text[opening + 1]
    letter = (kind == ord("S")) | (kind == ord("H")) | (kind == ord("R"))
    return value, good & letter & (closing == opening + 19) & (chunk.text[opening + 2] == ord("-"))


def _rate(chunk: Chunk, starts: Positions, ends: Positions) -> tuple[NDArray[np.uint8], NDArray[np.uint8], Mask]:
    """` lid 9 4xNDR` to the end of the line."""
    last = chunk.at(ends - 6, 6)
    width, speed = _WIDTHS[last[:, 1]], _SPEEDS[last[:, 3]]
    _, good = _decimal(chunk, starts + 5, ends - 6)
    good &= (last[:, 0] == _BLANK) & (width > 0) & (last[:, 2] == ord("x")) & (speed > 0)
    good &= (last[:, 4] == ord("D")) & (last[:, 5] == ord("R")) & chunk.says(starts, b" lid ")
    return width, speed, good


def _decimal(chunk: Chunk, starts: Positions, ends: Positions) -> tuple[NDArray[np.int64], Mask]:
    """The number of one to five digits between the positions."""
    digits, good = _right_aligned(chunk, starts, ends, 5, _DECIMAL)
    return digits @ np.array([10_000, 1_000, 100, 10, 1]), good


def _hexadecimal(chunk: Chunk, starts: Positions, ends: Positions) -> tuple[NDArray[np.uint64], Mask]:
    """The number of one to sixteen hexadecimal digits between the positions."""
    digits, good = _right_aligned(chunk, starts, ends, 16, _HEX)
    octets = (digits[:, ::2] << 4) | digits[:, 1::2]
    return octets.view(">u8")[:, 0].astype(np.uint64), good


def _right_aligned(chunk: Chunk, starts: Positions, ends: Positions, width: int, table: Bytes) -> tuple[Bytes, Mask]:
    """The digits between the positions, with zeros in front up to `width`, and where they are digits indeed."""
    digits = table[chunk.at(ends - width, width)]
    length = ends - starts
    digits[np.arange(width) < (width - length)[:, None]] = 0
    return digits, (length > 0) & (length <= width) & (digits != _NO_DIGIT).all(axis=1)
