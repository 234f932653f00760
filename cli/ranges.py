"""Many names in few characters: `c[01-04,06]` for c01, c02, c03, c04 and c06, and only for these."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

RANGES_SHOWN = 12
"""Ranges and single numbers in one list; the names beyond are counted."""

_NUMBER = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class _Range:
    """Numbers without a gap, as they are written: 08 to 11."""

    first: str
    last: str

    @property
    def text(self) -> str:
        return self.first if self.first == self.last else f"{self.first}-{self.last}"

    @property
    def count(self) -> int:
        return 1 if self.first == self.last else int(self.last) - int(self.first) + 1


def compressed(names: Iterable[str], most: int = RANGES_SHOWN) -> str:
    """All the names, those that differ in one number together; after `most` ranges `and N more`."""
    distinct = sorted(set(names))
    families = _families(distinct)
    shown: list[str] = []
    room, covered = most, 0
    for (before, after), numbers in families.items():
        ranges = list(_ranges(numbers))[:room]
        room -= len(ranges)
        if not ranges:
            break
        covered += sum(one.count for one in ranges)
        body = ",".join(one.text for one in ranges)
        shown.append(f"{before}{body if len(numbers) == 1 else f'[{body}]'}{after}")
    rest = len(distinct) - covered
    return ", ".join(shown) + (f" and {rest:,} more" if rest else "")


def _families(names: Sequence[str]) -> dict[tuple[str, str], list[str]]:
    """By what stands before and behind one number: the numbers there. Of the numbers in a name the one that joins most.

    A name without a number is a family of its own, with "" as its number.
    """
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name in names:
        for match in _NUMBER.finditer(name):
            found[name[: match.start()], name[match.end() :]].add(match[0])
    chosen: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name in names:
        cuts = [(name[: match.start()], name[match.end() :], match[0]) for match in _NUMBER.finditer(name)]
        # Of equals the last: it counts the nodes of a rack, those before count racks and rows.
        before, after, number = max(reversed(cuts), key=lambda cut: len(found[cut[0], cut[1]]), default=(name, "", ""))
        chosen[before, after].append(number)
    return chosen


def _ranges(numbers: Sequence[str]) -> Iterator[_Range]:
    """The numbers as ranges, ascending; 9 and 10 are neighbours, and 09 and 10, but not 9 and 010."""
    if numbers == [""]:
        yield _Range("", "")
        return
    ordered = sorted(numbers, key=lambda number: (int(number), len(number)))
    first = last = ordered[0]
    for number in ordered[1:]:
        if number != str(int(last) + 1).zfill(len(first)):
            yield _Range(first, last)
            first = number
        last = number
    yield _Range(first, last)
