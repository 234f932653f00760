"""Attributes that say something which is not understood: what they would have told is lost, and that is told.

What the kernel writes where it knows nothing is understood. It is spelled so in drivers/infiniband/core/sysfs.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from discovery.sysfs.found import FOLDER

MAX_BYTES = 4096
"""A page: the kernel gives no more for one attribute."""
MAX_SHOWN = 16
"""Characters of what an attribute says."""
_NOTHING = re.compile(r"\d+: (?:NOP|UNKNOWN|<unknown>)|0 Gb/sec.*|[\d.]+ Gb/sec|N/A.*|Unknown", re.ASCII)


@dataclass(slots=True)
class Unclear:
    """Gathers them."""

    before: Mapping[str, str] = field(default_factory=dict)
    """Of the last look. What an attribute said first stays, so that rubbish that varies makes no news."""
    said: dict[str, str] = field(default_factory=dict)
    """By path, in order: what it says, cut short and printable."""

    def note(self, path: str, said: str | None) -> None:
        """An attribute that told no value."""
        if said and not _NOTHING.fullmatch(said):
            shown = ascii(said[:MAX_SHOWN]) + ("..." if len(said) > MAX_SHOWN else "")
            self.said[path] = self.before.get(path, shown)

    def too_large(self, path: str) -> None:
        """An attribute that is no attribute of a kernel."""
        self.said[path] = self.before.get(path, f"more than {MAX_BYTES:,} bytes")

    def keep(self, known: Mapping[str, str]) -> None:
        """Those of a device, whose attributes are not read again."""
        for path, shown in known.items():
            self.said[path] = self.before.get(path, shown)

    def forget(self, paths: Iterable[str]) -> None:
        """Whatever was noted of them."""
        for path in paths:
            self.said.pop(path, None)

    @property
    def told(self) -> list[str]:
        """How many there are and the first of them; nothing where there are none."""
        for path, shown in self.said.items():
            first = ascii(path.removeprefix(f"{FOLDER}/"))[1:-1]
            return [f"attributes that are not understood: {len(self.said)} (the first is {first}, which says {shown})"]
        return []
