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


def wrong(topic: str, what: str, advice: str) -> Finding:
    """To be mended; the advice says how."""
    return Finding(topic, WRONG, f"{what}; {advice}")


def unknown(topic: str, what: str, advice: str) -> Finding:
    """Not to be seen by us; the advice says how it would be."""
    return Finding(topic, UNKNOWN, f"{what}; {advice}")


def named(names: list[str], most: int = 5) -> str:
    """The first few of them, and how many more there are."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
