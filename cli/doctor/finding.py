"""What one look found: a sentence, and whether it is as it should be."""

from __future__ import annotations

import msgspec

FINE, WRONG, UNKNOWN = "fine", "finding", "unknown"


class Finding(msgspec.Struct, frozen=True):
    """One line of the answer."""

    topic: str
    """version, definitions, accounts, policies, leaders, writers, volcano or evidence."""
    state: str
    """fine, finding (to be mended) or unknown (we may not see it)."""
    sentence: str


def fine(topic: str, sentence: str) -> Finding:
    """As it should be."""
    return Finding(topic, FINE, sentence)


def wrong(topic: str, sentence: str) -> Finding:
    """To be mended; the sentence says how."""
    return Finding(topic, WRONG, sentence)


def unknown(topic: str, sentence: str) -> Finding:
    """Not to be seen by us."""
    return Finding(topic, UNKNOWN, sentence)


def named(names: list[str], most: int = 5) -> str:
    """The first few of them, and how many more there are."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
