"""How the discovery tool ended, as it stands in a recording."""

from __future__ import annotations

import re

from discovery.recording.layout import CUT_OFF

_CODE = re.compile(r"-?[0-9]{1,9}")
_CUT_OFF = re.compile(rf"{CUT_OFF}(?: after ([0-9]{{1,9}}) s)?")
_SHOWN = 40


def read_ending(text: str) -> tuple[int | None, float | None]:
    """The exit code, None where it was cut off, and after how many seconds that was, where it is told. ValueError."""
    said = text.strip()
    if match := _CUT_OFF.fullmatch(said):
        return None, float(match[1]) if match[1] else None
    if said and not _CODE.fullmatch(said):
        shown = said if len(said) <= _SHOWN else f"{said[:_SHOWN]}..."
        raise ValueError(
            f"{shown!r} is no exit code; write a whole number of at most nine digits, or {CUT_OFF!r}, "
            "with ' after N s' behind where that is known"
        )
    return int(said or "0"), None
