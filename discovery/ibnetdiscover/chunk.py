"""A piece of a dump as an array of bytes, and how numbers and words are read at many positions of it at once.

A chunk has `PAD` line ends on both sides, so that a look around any position in it stays inside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PAD = 48

Bytes = NDArray[np.uint8]
Positions = NDArray[np.int64]
Mask = NDArray[np.bool_]
Words = NDArray[np.uint64]
"""Bytes, eight at a time, in the machine's own order."""

_NEWLINE, _RETURN, _QUOTE = 10, 13, 34
NOTHING = 0x80
"""What a table says of a byte that it does not know."""
_NOTHINGS = np.uint64(0x8080_8080_8080_8080)


def table(entries: dict[str, int], default: int = NOTHING) -> Bytes:
    """A value for every byte."""
    values = np.full(256, default, np.uint8)
    for character, value in entries.items():
        values[ord(character)] = value
    return values


def _keep(most: int, width: int) -> Words:
    """For every number of digits up to `most`, the mask that keeps so many at the right of `width` bytes."""
    mask = np.zeros((most + 1, width), np.uint8)
    for digits in range(1, most + 1):
        mask[digits, -digits:] = 0xFF
    return mask.view(np.uint64)


_HEX = table({digit: int(digit, 16) for digit in "0123456789abcdefABCDEF"})
_DECIMAL = table({str(digit): digit for digit in range(10)})
_KEEP_5, _KEEP_16 = _keep(5, 8), _keep(16, 16)


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

    def digit_at(self, positions: Positions) -> Mask:
        """Where a decimal digit stands."""
        return np.not_equal(_DECIMAL[self.text[positions]], NOTHING)

    def decimal(self, starts: Positions, ends: Positions) -> tuple[NDArray[np.int64], Mask]:
        """The number of one to five digits between the positions, and where it is one."""
        digits, good = self._right_aligned(starts, ends, _DECIMAL, _KEEP_5)
        return digits[:, 3:] @ np.array([10_000, 1_000, 100, 10, 1]), good

    def hexadecimal(self, starts: Positions, ends: Positions) -> tuple[NDArray[np.uint64], Mask]:
        """The number of one to sixteen hexadecimal digits between the positions, and where it is one."""
        digits, good = self._right_aligned(starts, ends, _HEX, _KEEP_16)
        octets = (digits[:, ::2] << 4) | digits[:, 1::2]
        return octets.view(">u8")[:, 0].astype(np.uint64), good

    def _right_aligned(self, starts: Positions, ends: Positions, digit_of: Bytes, keep: Words) -> tuple[Bytes, Mask]:
        """The digits between the positions, with zeros in front, and where they are digits indeed and not too many."""
        width, most = keep.shape[1] * 8, len(keep) - 1
        digits = digit_of.take(self.at(ends - width, width))
        words, length = digits.view(np.uint64), ends - starts
        words &= keep[np.clip(length, 0, most)]
        return digits, (length > 0) & (length <= most) & _none_set(words & _NOTHINGS)

    def with_inner_return(self) -> Mask:
        """The lines with a carriage return that is not part of their line end."""
        found = np.zeros(len(self.starts), np.bool_)
        returns = np.flatnonzero(self.text == _RETURN)
        inner = returns[self.text[returns + 1] != _NEWLINE]
        found[np.searchsorted(self.starts, inner, side="right") - 1] = True
        return found


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
