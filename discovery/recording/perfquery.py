"""The counters of switch ports as perfquery prints them, many switches in one text, moment over moment."""

from __future__ import annotations

import re
from collections.abc import Iterator

_HEAD = re.compile(r"# Port (?:extended )?counters: Lid \d+ port \d+")


def laid_over(before: str, now: str) -> str:
    """Both texts, where a later block takes the place of an earlier one of the same port."""
    blocks = dict(_blocks(before))
    blocks.update(_blocks(now))
    return "".join(blocks.values())


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Head of each block, and the block. What comes before the first is none."""
    head, lines = "", list[str]()
    for line in text.splitlines(keepends=True):
        if match := _HEAD.match(line):
            if head:
                yield head, "".join(lines)
            head, lines = match[0], []
        lines.append(line)
    if head:
        yield head, "".join(lines)
