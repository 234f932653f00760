"""What `perfquery -l` prints: one block a port, a line a counter. Pure.

A counter that stands at the most that its field holds has saturated, and one that is not printed was not asked: both
are unknown, never zero. Of a text that was cut off the last line is not read: its number may go on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from discovery.samples import Counters

MAX_PORT = 254
_BLOCK = re.compile(r"# Port (extended )?counters: Lid (\d{1,5}) port (\d{1,3}) \(CapMask")
_COUNTER = re.compile(r"(\w{1,60}):\.{1,60}(\d{1,20})")
_EXTENDED_MOST = (1 << 64) - 1
_FIELDS: Mapping[str, tuple[str, int]] = {
    "SymbolErrorCounter": ("symbol_errors", 0xFFFF),
    "LinkErrorRecoveryCounter": ("link_error_recovery", 0xFF),
    "LinkDownedCounter": ("link_downed", 0xFF),
    "PortRcvErrors": ("receive_errors", 0xFFFF),
    "LocalLinkIntegrityErrors": ("local_link_integrity_errors", 0xF),
    "ExcessiveBufferOverrunErrors": ("excessive_buffer_overrun_errors", 0xF),
}
"""By name: the field of ours, and the most that the counter of PortCounters holds."""


def read_perfquery(text: str, lid: int) -> dict[int, Counters]:
    """By port number of the switch with that LID, those ports of which at least one error counter was told."""
    found: dict[int, dict[str, int | None]] = {}
    block: dict[str, int | None] | None = None
    extended = False
    for line in text.split("\n")[:-1]:
        if match := _BLOCK.match(line):
            extended, port = match[1] is not None, int(match[3])
            fits = int(match[2]) == lid and 0 < port <= MAX_PORT
            block = found.setdefault(port, {}) if fits else None
        elif line.startswith("#"):
            block = None
        elif block is not None and (counter := _COUNTER.fullmatch(line)) and counter[1] in _FIELDS:
            name, most = _FIELDS[counter[1]]
            value = int(counter[2])
            block[name] = value if value < (_EXTENDED_MOST if extended else most) else None
    return {port: Counters(**values) for port, values in found.items() if values}
