"""How what was concluded differs from what is expected, in lines that people can read. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from cli.replay.document import ReplayDocument


class ExpectedError(Exception):
    """The expected results cannot be read; the message says why."""


def differences(expected: bytes, found: ReplayDocument) -> list[str]:
    """One line a difference: `-` is expected and missing, `+` is there and not expected. Raises ExpectedError."""
    try:
        wanted = msgspec.to_builtins(msgspec.json.decode(expected, type=ReplayDocument))
    except msgspec.MsgspecError as error:
        raise ExpectedError(f"not the results of a replay: {error}") from error
    before, now = dict(_flat(wanted)), dict(_flat(msgspec.to_builtins(found)))
    lines = []
    for place in sorted(before.keys() | now.keys()):
        if before.get(place) == now.get(place):
            continue
        lines += [f"- {place}: {before[place]}"] if place in before else []
        lines += [f"+ {place}: {now[place]}"] if place in now else []
    return lines


def _flat(value: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Every leaf with its place; texts of a list are places of their own."""
    for key, inner in value.items():
        if isinstance(inner, dict) and inner:
            yield from ((f"{key} {place}", text) for place, text in _flat(inner))
        elif isinstance(inner, list | tuple) and key != "members":
            yield from ((f"{key} {text}", "is told") for text in inner)
        else:
            yield key, ", ".join(inner) if isinstance(inner, list | tuple) else str(inner)
