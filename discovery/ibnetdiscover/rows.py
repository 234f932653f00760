"""The rows of a dump before they are joined: one table each for attributes, headers and port lines, in line order.

Both readers fill these tables: `columns` from whole chunks, `lines` from single statements. A text is a pair of offsets
into `Texts`; a GUID is a 64-bit number, 0 where unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from discovery.scan import Problem

MAX_PROBLEMS = 1000
"""So many problems are kept one by one; the rest are counted."""
MAX_TEXT = 160
"""So much of a bad line is shown."""


@dataclass(frozen=True, slots=True, eq=False)
class AttributeRows:
    """`vendid=` and its like. `name` is an AttributeName."""

    DTYPES: ClassVar = (np.int64, np.uint8, np.uint64)

    line: NDArray[np.int64]
    name: NDArray[np.uint8]
    value: NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class HeaderRows:
    """Node headers. `kind` is a NodeKind, or UNKNOWN_KIND."""

    DTYPES: ClassVar = (np.int64, np.uint8, np.uint16, np.uint64, np.int64, np.int64)

    line: NDArray[np.int64]
    kind: NDArray[np.uint8]
    ports: NDArray[np.uint16]
    guid: NDArray[np.uint64]
    text_start: NDArray[np.int64]
    text_end: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class PortRows:
    """Port lines, as the near end tells them. The text is the peer's description."""

    DTYPES: ClassVar = (
        *(np.int64, np.uint8, np.uint64, np.uint8, np.uint64, np.uint8, np.uint64),
        *(np.uint8, np.uint8, np.int64, np.int64),
    )

    line: NDArray[np.int64]
    port: NDArray[np.uint8]
    port_guid: NDArray[np.uint64]
    peer_kind: NDArray[np.uint8]
    peer: NDArray[np.uint64]
    peer_port: NDArray[np.uint8]
    peer_port_guid: NDArray[np.uint64]
    width: NDArray[np.uint8]
    speed: NDArray[np.uint8]
    text_start: NDArray[np.int64]
    text_end: NDArray[np.int64]


@dataclass(slots=True)
class Problems:
    """The lines that could not be used, in bounded memory."""

    kept: list[Problem] = field(default_factory=list)
    more: int = 0

    def add(self, line: int, text: bytes, reason: str) -> None:
        """Note one line; its text is cut to what a reader needs to recognise it."""
        if len(self.kept) < MAX_PROBLEMS:
            self.kept.append(Problem(line, text[:MAX_TEXT].decode(errors="backslashreplace"), reason))
        else:
            self.more += 1

    def in_order(self) -> tuple[Problem, ...]:
        """All of them by line, and how many more there were."""
        ordered = sorted(self.kept, key=lambda problem: problem.line)
        if self.more:
            ordered.append(Problem(0, "", f"{self.more} more lines could not be used"))
        return tuple(ordered)


@dataclass(slots=True)
class Texts:
    """Descriptions: slices of the dump itself, or of what was read apart from it."""

    dump: bytes
    apart: bytearray = field(default_factory=bytearray)
    _line_starts: NDArray[np.int64] | None = None

    def keep(self, text: bytes) -> tuple[int, int]:
        """Keep a text that is no plain slice of the dump; its offsets."""
        start = len(self.dump) + len(self.apart)
        self.apart += text
        return start, start + len(text)

    def line(self, number: int) -> bytes:
        """A line of the dump, counted from 1."""
        if self._line_starts is None:
            newlines = np.flatnonzero(np.frombuffer(self.dump, np.uint8) == ord("\n"))
            self._line_starts = np.concatenate(([0], newlines + 1))
        start = int(self._line_starts[number - 1])
        end = self.dump.find(b"\n", start)
        return self.dump[start : end if end >= 0 else None]

    def decode(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> list[str]:
        """The texts; bytes that are no UTF-8 are shown as `\\xe9`, so that different names stay different."""
        dump, apart, border = self.dump, self.apart, len(self.dump)
        return [
            (dump[start:end] if start < border else bytes(apart[start - border : end - border])).decode(
                errors="backslashreplace"
            )
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
        ]


@dataclass(slots=True)
class Tables:
    """Everything that was read out of one dump; a list of tables holds the parts, in any order."""

    texts: Texts
    attributes: list[AttributeRows] = field(default_factory=list)
    headers: list[HeaderRows] = field(default_factory=list)
    ports: list[PortRows] = field(default_factory=list)
    broken_headers: list[int] = field(default_factory=list)
    """Lines that open a node which could not be read: what follows belongs to no other node."""
    problems: Problems = field(default_factory=Problems)
    spelled: dict[int, str] = field(default_factory=dict)
    complete: bool = True
    marked: bool = False
    """Some line carries a mark of `--diff`."""

    def refuse(self, lines: NDArray[np.int64], reason: str) -> None:
        """Note lines that could be read but not used."""
        room = max(0, MAX_PROBLEMS - len(self.problems.kept))
        for line in lines[:room].tolist():
            self.problems.add(line, self.texts.line(line), reason)
        self.problems.more += len(lines[room:])


Rows = TypeVar("Rows", AttributeRows, HeaderRows, PortRows)


def from_tuples(kind: type[Rows], rows: Sequence[tuple[int, ...]]) -> Rows:
    """Columns from rows, each in the order of the table's fields."""
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(fields(kind))
    return kind(*(np.array(column, dtype) for column, dtype in zip(columns, kind.DTYPES, strict=True)))


def joined(kind: type[Rows], parts: Iterable[Rows]) -> Rows:
    """One table of all parts, by line."""
    filled = [part for part in parts if len(part.line)]
    if not filled:
        return from_tuples(kind, ())
    whole = kind(*(np.concatenate([getattr(part, column.name) for part in filled]) for column in fields(kind)))
    if np.all(whole.line[1:] >= whole.line[:-1]):
        return whole
    return chosen(whole, np.argsort(whole.line, kind="stable"))


def chosen(rows: Rows, which: NDArray[np.intp] | NDArray[np.bool_]) -> Rows:
    """Some of the rows, by index or by mask."""
    return type(rows)(*(getattr(rows, column.name)[which] for column in fields(rows)))
