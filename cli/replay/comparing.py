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
        wanted = msgspec.json.decode(expected, type=ReplayDocument)
    except msgspec.MsgspecError as error:
        raise ExpectedError(f"not the results of a replay: {error}") from error
    before, now = (dict(_flat(msgspec.to_builtins(one))) for one in (wanted, _as_told(found, wanted)))
    lines = []
    for place in sorted(before.keys() | now.keys()):
        if before.get(place) == now.get(place):
            continue
        lines += [f"- {place}: {before[place]}"] if place in before else []
        lines += [f"+ {place}: {now[place]}"] if place in now else []
    return lines


def _as_told(found: ReplayDocument, wanted: ReplayDocument) -> ReplayDocument:
    """Without the counts of nodes that older expected results hold without them."""
    silent = {name for name, row in wanted.nodes.items() if row.counts is None}
    nodes = {
        name: msgspec.structs.replace(row, counts=None) if name in silent else row for name, row in found.nodes.items()
    }
    return msgspec.structs.replace(found, nodes=nodes)


def _flat(value: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Every leaf with its place; texts of a list are places of their own."""
    for key, inner in value.items():
        if isinstance(inner, dict) and inner:
            yield from ((f"{key} {place}", text) for place, text in _flat(inner))
        elif isinstance(inner, list | tuple) and key != "members":
            yield from ((f"{key} {text}", "is told") for text in inner)
        else:
            yield key, ", ".join(inner) if isinstance(inner, list | tuple) else str(inner)
