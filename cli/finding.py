"""Names as people type them: found in any case and up to the first dot, and what was meant where none is found."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

COMPARED = 20_000
"""Names that a misspelled one is compared with, letter by letter; beyond that only parts of names are looked for."""
SUGGESTED = 3


def find_name(typed: str, known: Iterable[str]) -> str | None:
    """The one name that is meant: as it stands, in another case, or the only one equal up to the first dot."""
    names = frozenset(known)
    if typed in names:
        return typed
    wanted = typed.lower()
    whole = [name for name in names if name.lower() == wanted]
    found = whole or [name for name in names if _short(name.lower()) == _short(wanted)]
    return found[0] if len(found) == 1 else None


def did_you_mean(typed: str, known: Iterable[str]) -> str:
    """`; did you mean a, b?`, to be put behind a sentence; "" where nothing is near."""
    by_lower = {name.lower(): name for name in sorted(known)}
    wanted = typed.lower()
    near = get_close_matches(wanted, by_lower, n=SUGGESTED, cutoff=0.7) if len(by_lower) <= COMPARED else []
    if not near and len(wanted) > 2:
        near = [name for name in by_lower if wanted in name][:SUGGESTED]
    *most, last = [by_lower[name] for name in near] or [""]
    return f"; did you mean {', '.join(most)}{' or ' if most else ''}{last}?" if near else ""


def _short(name: str) -> str:
    return name.partition(".")[0]


def as_typed(name: str) -> str:
    """The name for a sentence; in quotes where it is empty or would not be seen as it is."""
    return name if name.isprintable() and name.strip() == name != "" else repr(name)
