"""The lines that ibnetdiscover itself writes, read a chunk at a time in numpy columns.

Only the exact spelling is known here: a line is taken if every byte of it that matters is where the tool puts it, and
left to the tolerant grammar otherwise. So this module may know less than the grammar, but never anything else; a
differential test holds the two equal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discovery.ibnetdiscover.chunk import NOTHING, Chunk, Mask, Positions, table
from discovery.ibnetdiscover.grammar import MAX_LINE_BYTES, MAX_PORT, AttributeName
from discovery.ibnetdiscover.rows import AttributeRows, HeaderRows, PortRows, chosen
from discovery.scan import NodeKind, Speed

_BLANK, _TAB = 32, 9
_KINDS = table({"S": NodeKind.SWITCH, "H": NodeKind.HOST, "R": NodeKind.ROUTER, "C": NodeKind.HOST})
_SPEEDS = table({speed.name[0]: speed for speed in Speed if speed.name[1:] == "DR"}, 0)
_WIDTHS = table({"1": 1, "2": 2, "4": 4, "8": 8}, 0)
_ATTRIBUTES = (
    (b"vendid=0x", AttributeName.VENDOR),
    (b"devid=0x", AttributeName.DEVICE),
    (b"sysimgguid=0x", AttributeName.SYSTEM),
    (b"switchguid=0x", AttributeName.SWITCH),
    (b"caguid=0x", AttributeName.HOST),
    (b"rtguid=0x", AttributeName.ROUTER),
)


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
    regular = ~chunk.with_inner_return() & (chunk.ends - chunk.starts <= MAX_LINE_BYTES)
    attributes, attribute_lines = _attributes(chunk, np.flatnonzero((chunk.quotes == 0) & regular & ~known))
    four_quotes = (chunk.quotes == 4) & regular
    ports, port_lines = _ports(chunk, np.flatnonzero(four_quotes & (first == ord("["))))
    headers, header_lines = _headers(chunk, np.flatnonzero(four_quotes & (_KINDS[first] != NOTHING)))
    known &= regular
    for lines in (attribute_lines, port_lines, header_lines):
        known[lines] = True
    return ChunkRows(attributes, headers, ports, np.flatnonzero(~known))


def _attributes(chunk: Chunk, lines: NDArray[np.intp]) -> tuple[AttributeRows, NDArray[np.intp]]:
    starts, ends = chunk.starts[lines], chunk.ends[lines]
    name = np.full(len(lines), NOTHING, np.uint8)
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
    good = (name != NOTHING) & (~doubled | ((chunk.text[value_end] == ord("(")) & (chunk.text[ends - 1] == ord(")"))))
    value, valid = chunk.hexadecimal(begin, value_end)
    good &= valid & ((name > AttributeName.DEVICE) | (value_end - begin <= 8))
    taken = lines[good]
    return AttributeRows(taken + chunk.first_line, name[good], value[good]), taken


def _headers(chunk: Chunk, lines: NDArray[np.intp]) -> tuple[HeaderRows, NDArray[np.intp]]:
    starts, ends = chunk.starts[lines], chunk.ends[lines]
    quote = [chunk.marks[chunk.first_mark[lines] + number] for number in range(4)]
    kind = _KINDS[chunk.text[starts]]
    is_switch = chunk.says(starts, b"Switch\t")
    good = is_switch | chunk.says(starts, b"Ca\t") | chunk.says(starts, b"Rt\t")
    ports, valid = chunk.decimal(starts + np.where(is_switch, 7, 3), quote[0] - 1)
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
    _, valid = chunk.decimal(starts + np.where(base, 17, 21), ends - 6)
    good: Mask = (base | enhanced) & valid & chunk.says(ends - 6, b" lmc ")
    good &= chunk.digit_at(ends - 1)
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
    number, valid = chunk.decimal(opening + 1, opening + 1 + digits)
    good = valid & (near[:, 0] == ord("[")) & (closing[:, 2] | closing[:, 3] | closing[:, 4])
    good &= (number > 0) & (number <= MAX_PORT)
    return number.astype(np.uint8), opening + 1 + digits, good


def _port_guid(chunk: Chunk, opening: Positions, end: Positions) -> tuple[NDArray[np.uint64], Mask]:
    """The GUID in `(<1 to 16 digits>) ` between the positions; 0 where no bracket opens."""
    guid, good = np.zeros(len(opening), np.uint64), np.zeros(len(opening), np.bool_)
    some = np.flatnonzero(chunk.text[opening] == ord("("))
    begin, closing = opening[some] + 1, end[some] - 1
    guid[some], good[some] = chunk.hexadecimal(begin, closing)
    good[some] &= chunk.says(closing, b") ")
    return guid, good


def _node_guid(chunk: Chunk, opening: Positions, closing: Positions) -> tuple[NDArray[np.uint64], Mask]:
    """The GUID in `"S-<16 digits>"` between two quotes."""
    value, good = chunk.hexadecimal(opening + 3, closing)
    kind = chunk.text[opening + 1]
    letter = (kind == ord("S")) | (kind == ord("H")) | (kind == ord("R"))
    return value, good & letter & (closing == opening + 19) & (chunk.text[opening + 2] == ord("-"))


def _rate(chunk: Chunk, starts: Positions, ends: Positions) -> tuple[NDArray[np.uint8], NDArray[np.uint8], Mask]:
    """` lid 9 4xNDR` to the end of the line."""
    last = chunk.at(ends - 6, 6)
    width, speed = _WIDTHS[last[:, 1]], _SPEEDS[last[:, 3]]
    _, good = chunk.decimal(starts + 5, ends - 6)
    good &= (last[:, 0] == _BLANK) & (width > 0) & (last[:, 2] == ord("x")) & (speed > 0)
    good &= (last[:, 4] == ord("D")) & (last[:, 5] == ord("R")) & chunk.says(starts, b" lid ")
    return width, speed, good
