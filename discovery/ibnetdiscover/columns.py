"""The lines that ibnetdiscover itself writes, read a chunk at a time in numpy columns.

Only the exact spelling is known here: a line is taken if every byte of it that matters is where the tool puts it, and
left to the tolerant grammar otherwise. So this module may know less than the grammar, but never anything else; a
differential test holds the two equal.

A chunk is an array of bytes with `PAD` line ends on both sides, so that a look around any position stays inside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discovery.ibnetdiscover.grammar import MAX_LINE_BYTES, MAX_PORT, AttributeName
from discovery.ibnetdiscover.rows import AttributeRows, HeaderRows, PortRows, chosen
from discovery.scan import NodeKind, Speed

PAD = 48

Bytes = NDArray[np.uint8]
Positions = NDArray[np.int64]
Mask = NDArray[np.bool_]
Words = NDArray[np.uint64]
"""Bytes, eight at a time, in the machine's own order."""

_NEWLINE, _RETURN, _QUOTE, _BLANK, _TAB = 10, 13, 34, 32, 9
_NO_DIGIT = 0x80
_NO_DIGITS = np.uint64(0x8080_8080_8080_8080)


def _table(entries: dict[str, int], default: int) -> Bytes:
    table = np.full(256, default, np.uint8)
    for character, value in entries.items():
        table[ord(character)] = value
    return table


def _keep(most: int, width: int) -> Words:
    """For every number of digits up to `most`, the mask that keeps so many at the right of `width` bytes."""
    mask = np.zeros((most + 1, width), np.uint8)
    for digits in range(1, most + 1):
        mask[digits, -digits:] = 0xFF
    return mask.view(np.uint64)


_HEX = _table({digit: int(digit, 16) for digit in "0123456789abcdefABCDEF"}, _NO_DIGIT)
_DECIMAL = _table({str(digit): digit for digit in range(10)}, _NO_DIGIT)
_KINDS = _table({"S": NodeKind.SWITCH, "H": NodeKind.HOST, "R": NodeKind.ROUTER, "C": NodeKind.HOST}, _NO_DIGIT)
_SPEEDS = _table({speed.name[0]: speed for speed in Speed if speed.name[1:] == "DR"}, 0)
_WIDTHS = _table({"1": 1, "2": 2, "4": 4, "8": 8}, 0)
_KEEP_5, _KEEP_16 = _keep(5, 8), _keep(16, 16)
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
        windows = np.ndarray(len(self.text) - width + 1, f"V{width}", self.text, strides=(1,))
        return windows[positions].view(np.uint8).reshape(-1, width)

    def says(self, positions: Positions, literal: bytes) -> Mask:
        """Where exactly this stands at the position."""
        width = -(-len(literal) // 8) * 8
        differs = self.at(positions, width).view(np.uint64)
        differs ^= np.frombuffer(literal.ljust(width, b"\0"), np.uint64)
        differs &= np.frombuffer((b"\xff" * len(literal)).ljust(width, b"\0"), np.uint64)
        return _none_set(differs)


def _none_set(words: Words) -> Mask:
    """The rows in which no bit is set."""
    together = words[:, 0]
    for column in range(1, words.shape[1]):
        together = together | words[:, column]
    return np.equal(together, 0)


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
    # in front of the peer a switch writes a tab; an adapter writes (its port's GUID), a blank and a tab
    port_guid, valid = _port_guid(chunk, bracket + 1, quote[0] - 2)
    good &= np.where(text[bracket + 1] == ord("("), valid, bracket + 2 == quote[0]) & (text[quote[0] - 1] == _TAB)
    peer, valid = _node_guid(chunk, quote[0], quote[1])
    peer_kind = _KINDS[text[quote[0] + 1]]
    good &= valid
    peer_port, peer_bracket, valid = _port_number(chunk, quote[1] + 1)
    good &= valid
    # behind a peer that is no switch stand (its port's GUID) and a blank; then the comment, in which an adapter's own
    # line has `lid N lmc N ` in front of the description: that is not read
    peer_port_guid, valid = _port_guid(chunk, peer_bracket + 1, quote[2] - 5)
    has_guid = text[peer_bracket + 1] == ord("(")
    good &= valid | ~has_guid
    comment = np.where(has_guid, quote[2] - 4, peer_bracket + 1)
    good &= chunk.says(comment, b"\t\t# ") & (comment < quote[2])
    width, speed, valid = _rate(chunk, quote[3] + 1, ends)
    good &= valid
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


def _port_guid(chunk: Chunk, opening: Positions, end: Positions) -> tuple[NDArray[np.uint64], Mask]:
    """The GUID in `(<1 to 16 digits>) ` between the positions; 0 where no bracket opens."""
    guid, good = np.zeros(len(opening), np.uint64), np.zeros(len(opening), np.bool_)
    some = np.flatnonzero(chunk.text[opening] == ord("("))
    begin, closing = opening[some] + 1, end[some] - 1
    guid[some], good[some] = _hexadecimal(chunk, begin, closing)
    good[some] &= chunk.says(closing, b") ")
    return guid, good


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
    digits, good = _right_aligned(chunk, starts, ends, _DECIMAL, _KEEP_5)
    return digits[:, 3:] @ np.array([10_000, 1_000, 100, 10, 1]), good


def _hexadecimal(chunk: Chunk, starts: Positions, ends: Positions) -> tuple[NDArray[np.uint64], Mask]:
    """The number of one to sixteen hexadecimal digits between the positions."""
    digits, good = _right_aligned(chunk, starts, ends, _HEX, _KEEP_16)
    octets = (digits[:, ::2] << 4) | digits[:, 1::2]
    return octets.view(">u8")[:, 0].astype(np.uint64), good


def _right_aligned(chunk: Chunk, starts: Positions, ends: Positions, table: Bytes, keep: Words) -> tuple[Bytes, Mask]:
    """The digits between the positions, with zeros in front, and where they are digits indeed and not too many."""
    width, most = keep.shape[1] * 8, len(keep) - 1
    digits = table.take(chunk.at(ends - width, width))
    words, length = digits.view(np.uint64), ends - starts
    words &= keep[np.clip(length, 0, most)]
    return digits, (length > 0) & (length <= most) & _none_set(words & _NO_DIGITS)
