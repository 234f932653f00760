"""The speeds of an interface, as ethtool tells them: `200000baseCR4/Full` is 200 Gb/s over four lanes."""

from __future__ import annotations

import re
from collections.abc import Iterable

from discovery.netlink.links import Modes
from discovery.netlink.messages import LinkModes, decoded, every, inner, told

_MODE = re.compile(r"(\d{2,8})base([A-Z]+)(\d{0,2})(?:_[A-Z0-9]+)*/(?:Full|Half)", re.ASCII)
_FASTEST = 10_000_000
"""Megabits a second; what is above it is `unknown`, which the kernel writes as -1."""


def understand(answer: bytes) -> Modes:
    """The answer to `messages.link_modes`."""
    message = decoded(LinkModes, answer)
    bits = every(
        inner(inner(message, "ETHTOOL_A_LINKMODES_OURS"), "ETHTOOL_A_BITSET_BITS"), "ETHTOOL_A_BITSET_BITS_BIT"
    )
    # All modes that are supported are listed; those that are advertised are marked among them.
    named = (told(bit, "ETHTOOL_A_BITSET_BIT_NAME", str) or "" for bit in bits)
    return modes(named, *(told(message, f"ETHTOOL_A_LINKMODES_{name}", int) for name in ("SPEED", "LANES")))


def modes(named: Iterable[str], speed: int | None, lanes: int | None = None) -> Modes:
    """The speeds of the modes that are named. Lanes are those of the present speed, where all its modes agree."""
    known = {(int(mode[1]), int(mode[3] or 1)) for name in named if (mode := _MODE.fullmatch(name))}
    if speed is None or not 0 < speed < _FASTEST:
        speed = None
    possible = {count for rate, count in known if rate == speed}
    return Modes(
        speed=speed,
        supported=tuple(sorted({rate for rate, _ in known if rate < _FASTEST})),
        lanes=lanes or (possible.pop() if len(possible) == 1 else None),
    )
